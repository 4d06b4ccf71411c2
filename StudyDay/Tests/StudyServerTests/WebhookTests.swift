import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import StudyStore
import Synchronization
import TestSupport
import Testing

@testable import StudyServer

/// Letters that are posted to an address.
@Suite struct WebhookTests {
  /// RFC 4231, 4.2 and 4.7; and a key of just a block.
  @Test func signaturesAreThoseOfTheStandard() {
    #expect(
      Webhook.hmac(Data("Hi There".utf8), key: Data(repeating: 0x0B, count: 20)).hexadecimal
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      Webhook.hmac(
        Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        key: Data(repeating: 0xAA, count: 131)
      ).hexadecimal == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    #expect(
      Webhook.hmac(Data("x".utf8), key: Data(repeating: 0xAA, count: 64)).hexadecimal
        == "ce3c639dcb9d8baae5d44c3b8b5e233faab4d1860e07489af5c84f213998bd79")
  }

  /// A day that posts letters, and one for pat.
  private func day(postingTo webhook: Webhook?) async throws -> TestDay {
    var options = DayOptions()
    options.webhook = webhook
    let day = try TestDay(options: options)
    try await day.store(contact: "+43 1 2345", of: "pat")
    let pat = try await day.token(.participant, "pat")
    let staff = try await day.token(.operator)
    try await day.serve { client in
      _ = try await client.send(
        .put, "/people/pat/written", pat, ["kinds": ["turn"], "consent": true])
      _ = try await client.send(.post, "/queue", pat, [:])
      _ = try await client.send(.post, "/queue/next", staff, ["place": "Breath 1"])
    }
    return day
  }

  private func deliver(_ day: TestDay) async {
    await NotificationDelivery(
      store: day.day.store, mail: nil, webhook: day.day.options.webhook, logger: silent
    ).deliver()
  }

  private func loggedOutcomes(_ day: TestDay) async throws -> [EventValue] {
    try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
      .filter { ["letter.sent", "letter.failed"].contains($0.action) }.map(\.newValue)
  }

  @Test func aPostIsSignedAndHasNoAddress() async throws {
    let server = try await PostCatcher(["204 No Content"])
    let day = try await day(
      postingTo: Webhook("http://127.0.0.1:\(server.port)/hook?x=1", secret: "key"))
    await deliver(day)
    await deliver(day)
    #expect(try await loggedOutcomes(day).map { $0["arrived"] } == [true])
    #expect(try await loggedOutcomes(day).map { $0["answer"] } == ["204 No Content"])
    #expect(server.caught.count == 1)
    let request = try #require(server.caught.first)
    let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
    #expect(request.hasPrefix("POST /hook?x=1 HTTP/1.1\r\n") && !request.contains("2345"))
    let seconds = day.clock.now / 1000
    let signature = Webhook.hmac(Data("\(seconds).\(body)".utf8), key: Data("key".utf8)).hexadecimal
    #expect(request.contains("X-Promille-Signature: t=\(seconds),v1=\(signature)\r\n"))
    #expect(request.contains("X-Promille-Delivery: 1\r\n"))
    #expect(request.contains("Host: 127.0.0.1:\(server.port)\r\n"))
    #expect(EventValue(body)?["text"] == "Number 1 is called to Breath 1.")
    #expect(Webhook("http://example.org/", secret: "key") == nil, "not by https")
    #expect(Webhook("https://example.org/", secret: "") == nil, "not signed")
  }

  /// Temporary failures are tried again, not before the time that the server asks for; redirects are not followed.
  @Test(arguments: [
    ("500 Internal Server Error", 61), ("429 Too Many Requests\r\nRetry-After: 120", 121),
    ("503 Service Unavailable\r\nRetry-After: x", 61),
    ("307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/", 61), ("no HTTP", 61),
  ])
  func aPostThatFailsIsTriedAgain(_ answer: String, _ seconds: Int64) async throws {
    let server = try await PostCatcher([answer, "200 OK"])
    let day = try await day(postingTo: Webhook("http://127.0.0.1:\(server.port)", secret: "key"))
    await deliver(day)
    day.clock.advance(by: 1000 * (seconds - 2))
    await deliver(day)
    #expect(try await loggedOutcomes(day).isEmpty && server.caught.count == 1)
    day.clock.advance(by: 2000)
    await deliver(day)
    #expect(try await loggedOutcomes(day).map { $0["arrived"] } == [true])
    #expect(server.caught.count == 2)
  }

  @Test func webhookThatAnswersGoneIsNotTriedAgain() async throws {
    let server = try await PostCatcher(["410 Gone"])
    let day = try await day(postingTo: Webhook("http://127.0.0.1:\(server.port)", secret: "key"))
    await deliver(day)
    await deliver(day)
    #expect(try await loggedOutcomes(day).map { $0["answer"] } == ["the webhook said 410 Gone"])
    #expect(server.caught.count == 1)
  }

  @Test(.enabled(if: openssl != nil, "openssl is not installed"))
  func aPostGoesByTLS() async throws {
    let folder = try TemporaryFolder()
    let trusted = try madeCertificate("own", in: folder)
    let server = try await PostCatcher(["200 OK"], certificate: trusted)
    var webhook = try #require(Webhook("https://localhost:\(server.port)/", secret: "key"))
    // A certificate that nobody signed is not taken, and nothing is said to its server.
    await #expect(throws: (any Error).self) { try await webhook.post(.null, id: "1", at: 0) }
    #expect(server.caught.isEmpty)
    webhook.trust = .file(trusted.certificate)
    #expect(try await webhook.post(.null, id: "1", at: 0) == "200 OK")
    #expect(server.caught.count == 1)
  }
}

/// A server that keeps what is posted to it, and answers as it was told.
final class PostCatcher: Sendable {
  private struct Kept {
    var caught: [String] = []
    var answers: [String]
  }

  private final class Box: Sendable {
    let kept: Mutex<Kept>

    init(_ answers: [String]) { kept = Mutex(Kept(answers: answers)) }
  }

  private let box: Box
  private let channel: any Channel
  let port: Int

  var caught: [String] { box.kept.withLock { $0.caught } }

  init(_ answers: [String], certificate: (certificate: String, key: String)? = nil) async throws {
    let context = try certificate.map { trusted in
      try NIOSSLContext(
        configuration: .makeServerConfiguration(
          certificateChain: NIOSSLCertificate.fromPEMFile(trusted.certificate).map {
            .certificate($0)
          },
          privateKey: .privateKey(NIOSSLPrivateKey(file: trusted.key, format: .pem))))
    }
    let box = Box(answers)
    self.box = box
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
          try pipeline.addHandler(Conversation(box))
        }
      }.bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }

  private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let box: Box
    private var text = ""

    init(_ box: Box) { self.box = box }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      text += String(buffer: unwrapInboundIn(data))
      guard let end = text.range(of: "\r\n\r\n"),
        let length = text.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap({ Int($0.1) }),
        text[end.upperBound...].utf8.count == length
      else { return }
      let answer = box.kept.withLock { kept in
        kept.caught.append(text)
        return kept.answers.isEmpty ? "500 Asked again" : kept.answers.removeFirst()
      }
      let reply = "HTTP/1.1 \(answer)\r\nContent-Length: 0\r\n\r\n"
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
