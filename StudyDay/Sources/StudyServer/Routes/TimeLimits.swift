import DayDatabase
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Cancels a handler that takes too long; `SecurityHeaders` answers with problem 503.
///
/// The time of receiving a body does not count; connections have their own limit for it. Event streams are not
/// affected: their handlers answer at once, and the events are the body.
struct RequestTimeout<Inner: HTTPResponder<DayContext>>: HTTPResponder {
  let inner: Inner
  let limit: Duration

  func respond(to request: Request, context: DayContext) async throws -> Response {
    try await withThrowingTaskGroup(of: Response?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await inner.respond(to: request, context: context) }
      group.addTask {
        while case let rest = context.clock.rest(of: limit), rest > .zero {
          try await Task.sleep(for: rest)
        }
        return nil
      }
      while let response = try await group.next() {
        if let response { return response }
        // Time is over; the handler, now cancelled, still has to say so.
        group.cancelAll()
      }
      throw Problem(.slow)
    }
  }
}

/// Measures the time of an answer, without the time of receiving its request.
final class AnswerClock: Sendable {
  private let state = Mutex((start: ContinuousClock.now, isReceiving: false))

  func receive<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    state.withLock { $0.isReceiving = true }
    defer { state.withLock { $0 = (.now, false) } }
    return try await body()
  }

  /// Returns the remaining time.
  func rest(of limit: Duration) -> Duration {
    state.withLock { $0.isReceiving ? limit : limit - $0.start.duration(to: .now) }
  }
}

/// Closes connections that stay silent, send a request a byte at a time, do not read their answer, or exceed the limits.
///
/// Handler between HTTP and the request handlers of a NIO channel. Between two requests Hummingbird's idle time holds.
final class ConnectionPatience: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Time that a stopping server waits for clients that do not read.
  private static let stopLimit = TimeAmount.seconds(1)

  private let limit: TimeAmount
  private let helloLimit: TimeAmount
  private let connections: Connections
  /// Address of the client, once it is counted.
  private var address: String?
  private var reading: Scheduled<Void>?
  private var writing: Scheduled<Void>?
  private var path = ""
  private var isAnswering = false
  private var isStopping = false

  init(_ options: DayOptions, _ connections: Connections) {
    limit = .nanoseconds(Int64(options.connectionTime / .nanoseconds(1)))
    helloLimit = .nanoseconds(Int64(options.helloTime / .nanoseconds(1)))
    self.connections = connections
  }

  func channelActive(context: ChannelHandlerContext) {
    let address = context.remoteAddress?.ipAddress ?? "local"
    guard connections.add(address) else { return context.close(promise: nil) }
    self.address = address
    reading = schedule(context, helloLimit) { $1.close(promise: nil) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      path = head.path.map { String($0.prefix { $0 != "?" }) } ?? ""
      reading?.cancel()
      reading = schedule(context, limit) { $0.refuse($1) }
    case .body: break
    case .end: reading?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head: isAnswering = true
    case .body: break
    case .end: isAnswering = false
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    watchWriting(context)
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      isStopping = true
      watchWriting(context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// Closes the connection unless the client reads in time.
  private func watchWriting(_ context: ChannelHandlerContext) {
    writing?.cancel()
    guard !context.channel.isWritable else { return }
    writing = schedule(context, isStopping ? Self.stopLimit : limit) { $1.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    reading?.cancel()
    writing?.cancel()
    if let address { connections.remove(address) }
    address = nil
    context.fireChannelInactive()
  }

  private func schedule(
    _ context: ChannelHandlerContext, _ time: TimeAmount,
    _ body: @escaping (ConnectionPatience, ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: time) { body(self, context) }
  }

  /// Answers with the problem, unless an answer is under way, and closes.
  private func refuse(_ context: ChannelHandlerContext) {
    let problem = Problem(.slowRequest)
    if !isAnswering {
      let text = problem.json(instance: path).text
      let head = HTTPResponse(
        status: problem.status,
        headerFields: [
          .contentType: "application/problem+json", .contentLength: "\(text.utf8.count)",
          .cacheControl: "no-store", .connection: "close",
        ])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(ByteBuffer(string: text))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    context.close(promise: nil)
  }
}

/// Counts open connections, in all and by address, so that one machine cannot keep everybody else away. Connections
/// beyond the limits are closed at once and logged.
final class Connections: Sendable {
  private struct State {
    var all = 0
    var byAddress: [String: Int] = [:]
    var refused = 0
    var lastWarning: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let most: Int
  private let mostOfAddress: Int
  private let logger: Logger

  init(_ options: DayOptions, logger: Logger) {
    most = options.connections
    // Behind a proxy, all have its address.
    mostOfAddress = options.isBehindProxy ? most : options.connectionsPerAddress
    self.logger = logger
  }

  func add(_ address: String) -> Bool {
    let (isTaken, refused) = state.withLock { state -> (Bool, Int?) in
      let count = state.byAddress[address, default: 0]
      if state.all < most, count < mostOfAddress {
        state.all += 1
        state.byAddress[address] = count + 1
        return (true, nil)
      }
      state.refused += 1
      // At most one warning in 10 s, so that a flood does not fill the log.
      if let last = state.lastWarning, last.duration(to: .now) < .seconds(10) {
        return (false, nil)
      }
      state.lastWarning = .now
      defer { state.refused = 0 }
      return (false, state.refused)
    }
    if let refused {
      logger.warning(
        "too many connections", metadata: ["refused": "\(refused)", "limit": "\(most)"])
    }
    return isTaken
  }

  func remove(_ address: String) {
    state.withLock { state in
      state.all -= 1
      let rest = state.byAddress[address, default: 1] - 1
      state.byAddress[address] = rest > 0 ? rest : nil
    }
  }
}
