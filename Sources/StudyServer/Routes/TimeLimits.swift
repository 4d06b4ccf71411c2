import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Answers in time: a handler that does not is cancelled, which `Outside` makes a problem 503 of.
///
/// Streams of events are not affected: their handlers answer at once, and what follows is the body of the answer.
struct InTime<Inner: HTTPResponder<DayContext>>: HTTPResponder {
  let inner: Inner
  let limit: Duration

  func respond(to request: Request, context: DayContext) async throws -> Response {
    try await withThrowingTaskGroup(of: Response?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await inner.respond(to: request, context: context) }
      group.addTask {
        try await Task.sleep(for: limit)
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

/// Closes connections on which somebody sends a request a byte at a time, or does not read what was asked for.
///
/// It stands between HTTP and whoever handles requests, in an event loop of NIO. Heads of requests that do not come
/// are the idle time's, which Hummingbird watches.
final class ConnectionPatience: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limit: TimeAmount
  private var reading: Scheduled<Void>?
  private var writing: Scheduled<Void>?
  private var path = ""
  private var isAnswering = false

  /// - Parameter limit: How long a request may take to come in whole, and an answer to be taken up.
  init(limit: Duration) {
    self.limit = .nanoseconds(Int64(limit / .nanoseconds(1)))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      path = head.path.map { String($0.prefix { $0 != "?" }) } ?? ""
      reading?.cancel()
      reading = schedule(context) { $0.refuse($1) }
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
    writing?.cancel()
    if !context.channel.isWritable { writing = schedule(context) { $1.close(promise: nil) } }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    reading?.cancel()
    writing?.cancel()
    context.fireChannelInactive()
  }

  private func schedule(
    _ context: ChannelHandlerContext,
    _ body: @escaping (ConnectionPatience, ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    context.eventLoop.assumeIsolated().scheduleTask(in: limit) { body(self, context) }
  }

  /// Says why, unless an answer is under way, and hangs up.
  private func refuse(_ context: ChannelHandlerContext) {
    let problem = Problem(.slowRequest)
    if !isAnswering, let text = try? JSONText.encode(problem.body(instance: path)) {
      let head = HTTPResponse(
        status: problem.status,
        headerFields: [
          .contentType: "application/problem+json", .contentLength: "\(text.count)",
          .cacheControl: "no-store", .connection: "close",
        ])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(ByteBuffer(bytes: text))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    context.close(promise: nil)
  }
}
