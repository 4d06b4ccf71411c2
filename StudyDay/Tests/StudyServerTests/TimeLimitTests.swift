import DayDatabase
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
@_spi(StudyDay) import StudyStore
import Synchronization
import Testing

@testable import StudyServer

/// Nobody holds a connection, or the server, for ever.
@Suite struct TimeLimitTests {
  @Test func anAnswerThatTakesTooLongIsAProblem() async throws {
    let router = try TestDay().day.router()
    router.get("/slow") { _, _ in
      try await Task.sleep(for: .seconds(600))
      return Response(status: .ok)
    }
    router.get("/quick") { _, _ in Response(status: .ok) }
    let client = DayClient.router(
      RequestTimeout(inner: router.buildResponder(), limit: .milliseconds(50)))
    #expect(try await client.executeRequest(uri: "/quick", method: .get).status == .ok)
    let slow = try await client.executeRequest(uri: "/slow", method: .get)
    #expect(slow.status == .serviceUnavailable)
    #expect(String(buffer: slow.body).contains("E_DAY_SLOW"))
    #expect(slow.headers[.contentType] == "application/problem+json")
    #expect(slow.headers[.xContentTypeOptions] == "nosniff")
    #expect(slow.headers[.retryAfter] == "5")
  }

  @Test func tooSlowBodyIsRefusedAndConnectionCloses() async throws {
    var options = DayOptions()
    options.connectionTime = .milliseconds(300)
    let day = try TestDay(options: options)
    let token = try await day.token(.operator)
    try await day.serve(.live) { client in
      let wire = try Wire(port: try #require(client.client.port))
      wire.send(
        "POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token.text)\r\n"
          + "Content-Length: 1000\r\n\r\n{\"entries\":")
      let trickle = Task {
        while !Task.isCancelled {
          wire.send(" ")
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      defer { trickle.cancel() }
      let answer = try await wire.receiveAll()
      #expect(answer.text.hasPrefix("HTTP/1.1 408"), "\(answer.text)")
      #expect(answer.text.contains("\"code\":\"E_DAY_SLOW_REQUEST\""))
      #expect(answer.text.contains("\"instance\":\"/api/v1/entries\""))
      // A hundred times what was set, and what would be waited for otherwise.
      #expect(answer.time < .seconds(30))
    }
    #expect(try await day.count("entries") == 0)
  }

  /// A stream that nobody reads does not delay a stop, which would else wait 30 s.
  @Test func unreadStreamDoesNotDelayStop() async throws {
    let day = try TestDay()
    let token = try await day.token(.operator)
    let end = Mutex(ContinuousClock.now)
    try await day.serve(.live) { client in
      let wire = try Wire(port: try #require(client.client.port))
      wire.send(
        "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token.text)\r\n\r\n")
      #expect(try await wire.receive()?.hasPrefix("HTTP/1.1 200") == true)
      while day.day.hub.messages.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
      let long = try LiveMessage(
        Notice(
          kind: .due, subject: "ann", text: String(repeating: "x", count: 1 << 20), importance: 3,
          since: ""))
      for _ in 0..<50 { day.day.hub.messages.send(long) }
      try await Task.sleep(for: .milliseconds(500))
      end.withLock { $0 = .now }
      // It stays open.
      Task.detached {
        try? await Task.sleep(for: .seconds(40))
        withExtendedLifetime(wire) {}
      }
    }
    let time = end.withLock { $0 }.duration(to: .now)
    #expect(time < .seconds(20), "\(time)")
  }

  /// More connections than one machine may have, none of which says anything; each on a clock of its own.
  @Test func silentConnectionsKeepNobodyAway() throws {
    var options = DayOptions()
    (options.connectionsPerAddress, options.helloTime) = (8, .seconds(10))
    let connections = Connections(options, logger: silent)
    let channels = try (0..<32).map { _ in try connection(options, connections) }
    #expect(channels.count { $0.isActive } == 8)
    let more = try connection(options, connections)
    #expect(!more.isActive)
    for channel in channels { channel.embeddedEventLoop.advanceTime(by: .seconds(11)) }
    #expect(channels.count { $0.isActive } == 0)
    let next = try connection(options, connections)
    #expect(next.isActive)
    // Who has said something is not silent.
    try next.writeInbound(Self.head)
    next.embeddedEventLoop.advanceTime(by: .seconds(11))
    #expect(next.isActive)
  }

  @Test func connectionsAreCountedByAddress() {
    var options = DayOptions()
    (options.connections, options.connectionsPerAddress) = (3, 2)
    let connections = Connections(options, logger: silent)
    #expect(["a", "a", "a", "b", "b"].map(connections.add) == [true, true, false, true, false])
    connections.remove("a")
    #expect(["b", "a"].map(connections.add) == [true, false])
    options.isBehindProxy = true
    let proxied = Connections(options, logger: silent)
    #expect(["a", "a", "a", "a"].map(proxied.add) == [true, true, true, false])
  }

  @Test func streamsOfATokenAreLimited() async throws {
    var options = DayOptions()
    options.streamsPerToken = 2
    let day = try TestDay(options: options)
    let token = try await day.token(.operator)
    let viewer = try await day.token(.viewer)
    try await day.serve(.live) { client in
      func stream(_ token: Token) async throws -> (Wire, String?) {
        let wire = try Wire(port: try #require(client.client.port))
        wire.send(
          "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token.text)\r\n\r\n")
        var text = ""
        while !text.contains("retry: "), !text.contains("E_DAY"),
          let part = try await wire.receive()
        {
          text += part
        }
        return (wire, text)
      }
      var streams = [try await stream(token), try await stream(token)]
      #expect(streams.allSatisfy { $0.1?.contains("retry: ") == true })
      #expect(try await stream(token).1?.contains("E_DAY_TOO_OFTEN") == true)
      #expect(try await stream(viewer).1?.contains("retry: ") == true)
      // A page that goes makes room, once the server has noticed.
      streams.removeLast()
      for _ in 0..<100 where day.day.hub.streams.count(of: 1) > 1 {
        _ = try await client.enter(token, entry("note", of: "ann", ["text": "x"]))
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(try await stream(token).1?.contains("retry: ") == true)
    }
  }

  /// A connection on a clock of its own.
  private func connection(
    _ options: DayOptions = patient, _ connections: Connections? = nil
  ) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(
      handler: ConnectionPatience(options, connections ?? Connections(options, logger: silent)))
    try? channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    return channel
  }

  private static let patient = {
    var options = DayOptions()
    options.helloTime = .seconds(3600)
    return options
  }()

  private static let head = HTTPRequestPart.head(
    HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/entries?x=1"))

  @Test func completeRequestMayWaitForAnswer() throws {
    let channel = try connection()
    try channel.writeInbound(Self.head)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    try channel.writeInbound(HTTPRequestPart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .seconds(600))
    #expect(channel.isActive)
    #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
  }

  @Test func anAnswerUnderWayIsNotMixedWithAProblem() throws {
    let channel = try connection()
    try channel.writeInbound(Self.head)
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    channel.embeddedEventLoop.advanceTime(by: .seconds(31))
    #expect(!channel.isActive)
    guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else {
      Issue.record("the answer is gone")
      return
    }
    #expect(head.status == .ok)
    #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
  }

  @Test func connectionThatDoesNotReadCloses() throws {
    let channel = try connection()
    func set(writable: Bool) {
      channel.isWritable = writable
      channel.pipeline.fireChannelWritabilityChanged()
    }
    set(writable: false)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    set(writable: true)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    #expect(channel.isActive)
    set(writable: false)
    channel.embeddedEventLoop.advanceTime(by: .seconds(31))
    #expect(!channel.isActive)
  }
}
