import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import ServiceLifecycle
import Synchronization

@testable import StudyServer

/// Transport of a test's requests.
enum Serving {
  /// Without a network.
  case router
  /// Each over a connection of its own, on a free port.
  case live
}

/// The response.
struct TestResponse: Sendable {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: ByteBuffer
}

/// Sends requests to a day that a test serves.
struct DayClient: Sendable {
  /// Port of the server; nil without a network.
  let port: Int?
  fileprivate let answer: @Sendable (HTTPRequest, ByteBuffer) async throws -> TestResponse

  func executeRequest(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil,
    host: String = "localhost"
  ) async throws -> TestResponse {
    var head = HTTPRequest(
      method: method, scheme: "http", authority: host, path: uri, headerFields: headers)
    head.headerFields[.contentLength] = body.map { "\($0.readableBytes)" }
    return try await answer(head, body ?? ByteBuffer())
  }
}

/// A logger that discards everything.
let silent = {
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  return logger
}()

extension StudyDay {
  /// Serves the day while something is done with it.
  func test(
    _ serving: Serving, services: [any Service]? = nil, silently logger: Logger = silent,
    _ body: @Sendable (DayClient) async throws -> Void
  ) async throws {
    let services = services ?? self.services
    let (ports, started) = AsyncStream.makeStream(of: Int.self)
    let running: [any Service]
    switch serving {
    case .router: running = services + [Signal { started.yield(0) }]
    case .live:
      running = [
        Application(
          responder: responder(),
          server: try DayServer.server(ServerSettings(database: ""), options, logger),
          configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
          services: services,
          onServerRunning: { started.yield($0.localAddress?.port ?? 0) }, logger: logger)
      ]
    }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(services: running, logger: logger))
    try await withThrowingTaskGroup { tasks in
      tasks.addTask {
        defer { started.finish() }
        try await group.run()
      }
      if let port = await ports.first(where: { _ in true }) {
        do {
          try await body(serving == .live ? .live(port) : .router(responder()))
        } catch {
          await group.triggerGracefulShutdown()
          throw error
        }
        await group.triggerGracefulShutdown()
      }
      try await tasks.waitForAll()
    }
  }
}

/// Says that the services before it were started.
private struct Signal: Service {
  let isStarted: @Sendable () -> Void

  func run() async throws {
    isStarted()
    try? await gracefulShutdown()
  }
}

extension DayClient {
  static func router(_ responder: some HTTPResponder<DayContext>) -> DayClient {
    DayClient(port: nil) { head, body in
      let context = DayContext(
        source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: silent))
      let response = try await responder.respond(
        to: Request(head: head, body: RequestBody(buffer: body)), context: context)
      let written = Written()
      try await response.body.write(written)
      return TestResponse(
        status: response.status, headers: response.headers, body: written.buffer.withLock { $0 })
    }
  }

  private final class Written: ResponseBodyWriter, Sendable {
    let buffer = Mutex(ByteBuffer())

    func write(_ part: ByteBuffer) async throws {
      buffer.withLock { _ = $0.writeImmutableBuffer(part) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }

  fileprivate static func live(_ port: Int) -> DayClient {
    DayClient(port: port) { head, body in
      try await HTTPConnection.open(port: port) { try await $0.send(head, body) }
    }
  }
}
