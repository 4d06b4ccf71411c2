import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
import NIOCore
import NIOPosix
import NIOSSL
@_spi(StudyDay) import StudyStore
import Synchronization
import TestSupport
import Testing

@testable import StudyServer

/// Who is written to, about what, and what becomes of it.
@Suite struct LetterTests {
  private static let address = "pat@example.org"

  /// A day that writes by a mail server, and pat, who booked with an address.
  private func day(mailingTo port: Int, again: TestDay? = nil) async throws -> TestDay {
    var options = DayOptions()
    options.mail = MailServer("smtp://127.0.0.1:\(port)", from: "study@example.org", password: nil)
    let day = try TestDay(options: options, again: again)
    guard again == nil else { return day }
    try await day.store(contact: Self.address, of: "pat")
    return day
  }

  private func carry(_ day: TestDay) async {
    await LetterCarrier(
      store: day.day.store, mail: day.day.options.mail, webhook: day.day.options.webhook,
      logger: silent
    ).carry()
  }

  /// Chooses to be written to about the turn, and has it called.
  private func call(_ day: TestDay) async throws {
    let (pat, staff) = (
      try await day.token(.participant, "pat"), try await day.token(.operator)
    )
    try await day.serve { client in
      let path = "/people/pat/written"
      let choice: EventValue = ["kinds": ["turn"]]
      #expect(try await client.send(.put, path, pat, choice).status == 422, "without consent")
      let chosen = try await client.send(.put, path, pat, ["kinds": ["turn"], "consent": true])
      #expect(chosen.status == 200 && chosen.json["has_address"] == true, "\(chosen.json)")
      _ = try await client.send(.post, "/queue", pat, [:])
      _ = try await client.send(.post, "/queue/next", staff, ["place": "Breath 1"])
    }
  }

  private func told(_ day: TestDay) async throws -> [EventValue] {
    try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
      .filter { ["letter.sent", "letter.failed"].contains($0.action) }.map(\.newValue)
  }

  @Test func whoChoseItIsWrittenToOnce() async throws {
    let server = try await MailCatcher()
    let day = try await day(mailingTo: server.port)
    try await call(day)
    await carry(day)
    await carry(day)
    let mail = server.caught
    #expect(mail.count == 1)
    let message = try #require(mail.first)
    #expect(
      message.contains("To: <pat@example.org>") && message.contains("Subject: It is your turn"))
    let body = message.components(separatedBy: "\r\n\r\n").dropFirst().joined()
    let text = try #require(Data(base64Encoded: body, options: .ignoreUnknownCharacters))
    #expect(String(decoding: text, as: UTF8.self).contains("Number 1 is called to Breath 1."))
    // What, to whom and whether it arrived is in the log; the address is not.
    let told = try await told(day)
    #expect(told.count == 1)
    #expect(told[0]["arrived"] == true && told[0]["kind"] == "turn" && told[0]["way"] == "mail")
    let events = try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
    #expect(!events.contains { "\($0)".contains(Self.address) })
    #expect(events.last?.subject == "pat")
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  /// The mail server is away, and the day's server is started anew meanwhile.
  @Test func aLetterWaitsOverARestart() async throws {
    let gone = try await MailCatcher()
    let port = gone.port
    try await gone.stop()
    let day = try await day(mailingTo: port)
    try await call(day)
    await carry(day)
    #expect(try await told(day).isEmpty)
    let server = try await MailCatcher()
    let later = try await self.day(mailingTo: server.port, again: day)
    // Not before its time.
    await carry(later)
    #expect(server.caught.isEmpty)
    later.clock.advance(by: 61_000)
    await carry(later)
    #expect(server.caught.count == 1)
    #expect(try await told(later).map { $0["arrived"] } == [true])
  }

  @Test func aLetterIsGivenUpWithAReason() async throws {
    let server = try await MailCatcher(refusing: "550 5.1.1 <pat@example.org> is unknown")
    let day = try await day(mailingTo: server.port)
    try await call(day)
    await carry(day)
    await carry(day)
    let told = try await told(day)
    #expect(told.map { $0["arrived"] } == [false])
    #expect(told[0]["answer"]?.string?.contains("550 5.1.1 <...> is unknown") == true)
    // What may be mended is tried for a day.
    let busy = try await MailCatcher(refusing: "451 later")
    let other = try await self.day(mailingTo: busy.port)
    try await call(other)
    for _ in 0..<40 {
      await carry(other)
      other.clock.advance(by: 3_600_000)
    }
    #expect(try await self.told(other).map { $0["arrived"] } == [false])
    #expect((20...40).contains(busy.asked))
  }

  @Test func nothingIsSentOnceTheConsentIsWithdrawn() async throws {
    let server = try await MailCatcher()
    let day = try await day(mailingTo: server.port)
    try await call(day)
    let pat = try await day.token(.participant, "pat")
    try await day.serve { client in
      let answer = try await client.send(.delete, "/people/pat/consent", pat)
      #expect(answer.status == 204)
    }
    await carry(day)
    #expect(server.caught.isEmpty)
    #expect(try await told(day).map { $0["answer"] } == ["the consent was withdrawn"])
  }

  /// By STARTTLS, and from the first byte.
  @Test(.enabled(if: openssl != nil, "openssl is not installed"), arguments: ["smtp", "smtps"])
  func mailGoesByTLS(_ scheme: String) async throws {
    let folder = try TemporaryFolder()
    let own = try madeCertificate("own", in: folder)
    let server = try await MailCatcher(certificate: own, isSecure: scheme == "smtps")
    let url = "\(scheme)://ann@localhost:\(server.port)"
    var mail = try #require(MailServer(url, from: "study@example.org", password: "secret"))
    // A certificate that nobody signed is not taken, and nothing is said to its server.
    await #expect(throws: (any Error).self) {
      try await mail.send("text", subject: "x", id: "1", to: Self.address, at: 0)
    }
    mail.trust = .file(own.certificate)
    _ = try await mail.send("text", subject: "x", id: "1", to: Self.address, at: 0)
    #expect(server.caught.count == 1)
    let login = Data("\0ann\0secret".utf8).base64EncodedString()
    #expect(server.commands.filter { $0.hasPrefix("AUTH") } == ["AUTH PLAIN \(login)"])
    #expect(server.commands.contains("STARTTLS") == (scheme == "smtp"))
  }

  @Test(arguments: ["a b@c.org", "a@b.org>\r\nRCPT TO:<x@y.org", "nobody", "a@b@c", ""])
  func whatIsNoAddressIsNotWrittenTo(_ text: String) async throws {
    #expect(!text.isMailAddress)
    #expect(MailServer("smtp://h", from: text, password: nil) == nil)
  }

  /// RFC 4231, 4.2 and 4.7.
  @Test func signaturesAreThoseOfTheStandard() {
    #expect(
      Webhook.hmac(Data("Hi There".utf8), key: Data(repeating: 0x0B, count: 20)).hexadecimal
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      Webhook.hmac(
        Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        key: Data(repeating: 0xAA, count: 131)
      ).hexadecimal == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test func aWebhookIsSignedAndHasNoAddress() async throws {
    let server = try await MailCatcher(answering: "HTTP/1.1 204 No Content\r\n\r\n")
    var options = DayOptions()
    options.webhook = Webhook("http://127.0.0.1:\(server.port)/hook?x=1", secret: "key")
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
    await carry(day)
    #expect(try await told(day).map { $0["arrived"] } == [true])
    let request = server.received
    let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
    #expect(request.hasPrefix("POST /hook?x=1 HTTP/1.1\r\n") && !request.contains("2345"))
    let seconds = day.clock.now / 1000
    let signature = Webhook.hmac(Data("\(seconds).\(body)".utf8), key: Data("key".utf8)).hexadecimal
    #expect(request.contains("X-Promille-Signature: t=\(seconds),v1=\(signature)\r\n"))
    #expect(EventValue(body)?["text"] == "Number 1 is called to Breath 1.")
    #expect(Webhook("http://example.org/", secret: "key") == nil, "not by https")
  }

  /// Places gained, sessions moved and called off, releases: who chose it, and nobody else.
  @Test func whatHappensToABookingIsWrittenOf() async throws {
    try await ServedDay.run { served in
      served.day.store.letterWays = ["mail"]
      let slot = try await served.makeSlot(places: 1)
      let first = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p02", ServedDay.form)
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p03", ServedDay.form)
      let all = EventValue.array(LetterKind.allCases.map { .text($0.rawValue) })
      for name in ["p01", "p02"] {
        let answer = try await served.send(
          .put, "/people/\(name)/written", as: name, ["kinds": all, "consent": true])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
          try await served.send(.get, "/people/\(name)/written", as: "p03").status == 403)
      }
      func letters() async throws -> [String] {
        try await served.day.store.read { db in
          try String.fetchAll(
            db,
            sql:
              "SELECT name || ' ' || kind FROM letters JOIN subjects ON subjects.id = subject_id ORDER BY letters.id"
          )
        }
      }
      // Who cancels knows it; who moves up is told.
      _ = try await served.send(.delete, "/bookings/\(first)", as: "p01")
      #expect(try await letters() == ["p02 place"])
      _ = try await served.send(
        .patch, "/slots/\(slot)", as: "olga", ["starts": "2026-05-02T17:00:00Z"])
      #expect(try await letters() == ["p02 place", "p02 moved"])
      _ = try await served.send(
        .patch, "/slots/\(slot)", as: "olga", ["closed": true, "cancel_bookings": true])
      #expect(try await letters() == ["p02 place", "p02 moved", "p02 cancelled"])
      let texts = try await served.day.store.read {
        try String.fetchAll($0, sql: "SELECT text FROM letters ORDER BY id")
      }
      #expect(texts.allSatisfy { $0.contains("Evening") && $0.contains("2026-05-02") }, "\(texts)")
      // Nobody chooses for others.
      #expect(
        try await served.send(
          .put, "/people/p01/written", as: "p02", ["kinds": all, "consent": true]
        ).status == 403)
    }
  }
}

extension TestDay {
  /// A person who gave a contact.
  fileprivate func store(contact: String, of name: String) async throws {
    try await day.store.change { change in
      let id = try Sessions.subject(name, in: change.db)
      try change.db.execute(
        sql: "INSERT INTO people (subject_id, name, contact, consent_ms) VALUES (?, 'N', ?, 0)",
        arguments: [id, contact])
    }
  }
}

/// A mail server that keeps what it gets; or anything else that answers a request.
private final class MailCatcher: Sendable {
  private struct Kept {
    var mail: [String] = []
    var commands: [String] = []
    var received = ""
  }

  private final class Box: Sendable {
    let kept = Mutex(Kept())
  }

  private let box = Box()
  private let channel: any Channel
  let port: Int

  var caught: [String] { box.kept.withLock { $0.mail } }
  var commands: [String] { box.kept.withLock { $0.commands } }
  var asked: Int { commands.count { $0.hasPrefix("RCPT") } }
  var received: String { box.kept.withLock { $0.received } }

  init(
    refusing refusal: String? = nil, answering answer: String? = nil,
    certificate: (certificate: String, key: String)? = nil, isSecure: Bool = false
  ) async throws {
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { [box] channel in
        channel.eventLoop.makeCompletedFuture {
          if isSecure, let certificate {
            try channel.pipeline.syncOperations.addHandler(Self.tls(certificate))
          }
          try channel.pipeline.syncOperations.addHandler(
            Conversation(box, refusal, answer, isSecure ? nil : certificate))
        }
      }.bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }

  fileprivate static func tls(
    _ own: (certificate: String, key: String)
  ) throws -> NIOSSLServerHandler {
    let chain = try NIOSSLCertificate.fromPEMFile(own.certificate)
    return NIOSSLServerHandler(
      context: try NIOSSLContext(
        configuration: .makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) },
          privateKey: .privateKey(try NIOSSLPrivateKey(file: own.key, format: .pem)))))
  }

  func stop() async throws { try await channel.close() }

  private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let box: Box
    private let refusal: String?
    private let answer: String?
    private let certificate: (certificate: String, key: String)?
    private var text = ""
    private var isMessage = false

    init(
      _ box: Box, _ refusal: String?, _ answer: String?,
      _ certificate: (certificate: String, key: String)?
    ) {
      (self.box, self.refusal) = (box, refusal)
      (self.answer, self.certificate) = (answer, certificate)
    }

    func channelActive(context: ChannelHandlerContext) {
      if answer == nil { say("220 catcher", context) }
    }

    private func say(_ line: String, _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: line + "\r\n")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      text += String(buffer: unwrapInboundIn(data))
      if let answer {
        guard text.hasSuffix("}") else { return }
        box.kept.withLock { $0.received = text }
        return say(answer, context)
      }
      while true {
        if isMessage {
          guard let end = text.range(of: "\r\n.\r\n") else { return }
          let message = String(text[..<end.lowerBound])
          box.kept.withLock { $0.mail.append(message) }
          text = String(text[end.upperBound...])
          isMessage = false
          say("250 2.0.0 kept", context)
        } else {
          guard let end = text.range(of: "\r\n") else { return }
          let command = String(text[..<end.lowerBound])
          text = String(text[end.upperBound...])
          box.kept.withLock { $0.commands.append(command) }
          reply(to: command, context)
        }
      }
    }

    private func reply(to command: String, _ context: ChannelHandlerContext) {
      switch command.prefix(4) {
      case "EHLO":
        say(certificate == nil ? "250 catcher" : "250-catcher\r\n250 STARTTLS", context)
      case "STAR":
        guard let certificate else { return say("502 no", context) }
        say("220 go on", context)
        do {
          try context.pipeline.syncOperations.addHandler(
            try MailCatcher.tls(certificate), position: .first)
        } catch { context.close(promise: nil) }
      case "AUTH": say("235 welcome", context)
      case "RCPT": say(refusal ?? "250 ok", context)
      case "DATA":
        isMessage = true
        say("354 go on", context)
      case "QUIT": context.close(promise: nil)
      default: say("250 ok", context)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
