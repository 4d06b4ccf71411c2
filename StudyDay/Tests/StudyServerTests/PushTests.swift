import Crypto
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

/// Browsers that are told: what is encrypted, who is told, and when no longer.
@Suite struct PushTests {
  // MARK: What the standards say

  /// RFC 8291, appendix A.
  private static let browser = Browser(
    key: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", secret: "BTBZMqHH6r4Tts7J_aSIgg")

  @Test func encryptsAsTheStandardDoes() throws {
    let keys = try #require(Self.browser.keys)
    #expect(
      keys.publicKey.base64URL
        == "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )
    let own = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    let message = Data("When I grow up, I want to be a watermelon".utf8)
    let sealed = try keys.sealed(message, own: own, salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    #expect(
      sealed.base64URL
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
    #expect(try Self.browser.opened(sealed) == message)
    // Each message has a key and salt of its own, and padding is not part of what is read.
    let (one, other) = (try keys.sealed(message, padding: 100), try keys.sealed(message))
    #expect(one.count == other.count + 100 && one.prefix(86) != other.prefix(86))
    #expect(try Self.browser.opened(one) == message)
  }

  @Test func saysWhoItIsAsTheStandardDoes() throws {
    // RFC 8292, 2.4: this test reads what others signed.
    let claims = try verified(
      "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA",
      key:
        "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    )
    #expect(claims["aud"] == "https://push.example.net")
    let push = Push(key: P256.Signing.PrivateKey(), contact: "lab@example.org", services: [])
    let token = try push.token(for: "push.example.net", at: 1_453_500_000_000)
    #expect(
      try verified(token, key: push.publicKey) == [
        "aud": "https://push.example.net", "exp": .integer(1_453_500_000 + 12 * 3600),
        "sub": "mailto:lab@example.org",
      ])
    let other = Push(key: P256.Signing.PrivateKey(), contact: nil, services: [])
    #expect(try !isSigned(token, by: other.publicKey))
  }

  // MARK: Where it goes

  @Test(arguments: [
    "https://fcm.googleapis.com/fcm/send/abc:DEF-_", "https://web.push.apple.com/Q?x=1",
    "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
    "https://wns2-par02p.notify.windows.com/w/?token=BQYAAA%3d%3d",
  ])
  func theServicesOfBrowsersAreKnown(_ text: String) throws {
    let place = try #require(PushEndpoint(text, services: PushEndpoint.services))
    #expect(text == "https://\(place.host)\(place.path)")
  }

  static let hostile = [
    "http://fcm.googleapis.com/x", "https://127.0.0.1/x", "https://localhost/x", "https://[::1]/x",
    "https://169.254.169.254/latest/meta-data", "https://2130706433/x", "https://example.org/x",
    "https://fcm.googleapis.com.example.org/x", "https://notfcm.googleapis.com/x",
    "https://fcm.googleapis.com@example.org/x", "https://ann@fcm.googleapis.com/x",
    "https://ann:x@fcm.googleapis.com/x", "https://fcm.googleapis.com:22/x",
    "https://fcm.googleapis.com:443/x", "https://fcm.googleapis.com/x#y",
    "https://fcm.googleapis.com", "https:fcm.googleapis.com/x", "//fcm.googleapis.com/x",
    "https://fcm.googleapis.com\\@example.org/x", "https://fcm.googleapis.com%2eexample.org/x",
    "https://FCM.googleapis.com./x", "https://.push.apple.com/x", "https://push.apple.com/x",
    "https://a b.push.apple.com/x", "https://evil/.notify.windows.com/x",
    "https://fcm.googleapis.com/x y", "https://fcm.googleapis.com/x\r\nHost: example.org",
    "https://fcm.googleapis.com/\u{E4}", "javascript:alert(1)", "file:///etc/passwd", "x", "",
    "https://fcm.googleapis.com/" + String(repeating: "x", count: 2000),
  ]

  @Test(arguments: hostile) func nothingGoesAnywhereElse(_ text: String) {
    #expect(PushEndpoint(text, services: PushEndpoint.services) == nil)
  }

  @Test(arguments: [
    "localhost", "127.0.0.1", "*", "*.com", "*.", "::1", "a b.org", "push.example.org/x",
    "push.example.org:443", "PUSH.example.org", "",
  ])
  func whatIsNoServiceCannotBeOne(_ text: String) {
    #expect(!PushEndpoint.isService(text))
  }

  // MARK: Who is told

  /// A day on which browsers may be told, and pat, who booked.
  private func day(isOn: Bool = true) async throws -> TestDay {
    let day = try TestDay()
    try await day.day.store.change { change in
      let id = try Sessions.subject("pat", in: change.db)
      try change.db.execute(
        sql: "INSERT INTO people (subject_id, name, contact, consent_ms) VALUES (?, 'N', '+43', 0)",
        arguments: [id])
    }
    let owner = try await day.token(.owner)
    guard isOn else { return day }
    try await day.serve { client in
      let answer = try await client.send(
        .patch, "/settings", owner, ["push": ["contact": "lab@example.org"]])
      #expect(answer.status == 200, "\(answer.json)")
    }
    return day
  }

  static func form(_ number: Int = 1, at endpoint: String? = nil) -> EventValue {
    [
      "endpoint": .text(endpoint ?? "https://fcm.googleapis.com/fcm/send/\(number)"),
      "p256dh": .text(Self.browser.keys?.publicKey.base64URL ?? ""),
      "auth": .text(Self.browser.secret.base64URL), "consent": true,
    ]
  }

  private func endpoints(_ day: TestDay) async throws -> [String] {
    try await day.day.store.read {
      try String.fetchAll($0, sql: "SELECT endpoint FROM push_devices ORDER BY token_id")
    }
  }

  /// Chooses to be told of the turn, on so many devices, and has it called.
  private func call(_ day: TestDay, devices: Int = 1) async throws {
    let staff = try await day.token(.operator)
    let pats = try await (0..<devices).asyncMap { _ in try await day.token(.participant, "pat") }
    try await day.serve { client in
      for (number, pat) in pats.enumerated() {
        let answer = try await client.send(.put, "/me/push", pat, Self.form(number + 1))
        #expect(answer.status == 204, "\(answer.json)")
      }
      let chosen = try await client.send(
        .put, "/people/pat/written", pats[0], ["kinds": ["turn"], "consent": true])
      #expect(chosen.json["ways"] == ["push"])
      #expect(chosen.json["push"]?["is_here"] == true)
      #expect(chosen.json["push"]?["devices"] == .integer(Int64(devices)))
      _ = try await client.send(.post, "/queue", pats[0], [:])
      _ = try await client.send(.post, "/queue/next", staff, ["place": "Breath 1"])
    }
  }

  private func carry(_ day: TestDay, to service: PushCatcher?) async {
    await LetterCarrier(
      store: day.day.store, mail: nil, webhook: nil, logger: silent, stand: service?.stand
    ).carry()
  }

  private func told(_ day: TestDay) async throws -> [EventValue] {
    try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
      .filter { ["letter.sent", "letter.failed"].contains($0.action) }.map(\.newValue)
  }

  private func waiting(_ day: TestDay) async throws -> Int {
    try await day.day.store.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM letters WHERE state = 'waiting'") ?? -1
    }
  }

  @Test(.enabled(if: openssl != nil, "openssl is not installed"))
  func aDeviceIsToldAndNobodyElseReadsIt() async throws {
    let service = try await PushCatcher()
    let day = try await day()
    try await call(day, devices: 2)
    await carry(day, to: service)
    await carry(day, to: service)
    #expect(service.caught.count == 2)
    let caught = try #require(service.caught.min { $0.head < $1.head })
    #expect(caught.head.hasPrefix("POST /fcm/send/1 HTTP/1.1\r\nHost: fcm.googleapis.com\r\n"))
    for field in ["TTL: 600", "Urgency: high", "Content-Encoding: aes128gcm"] {
      #expect(caught.head.contains("\r\n\(field)\r\n"), "\(caught.head)")
    }
    let message = EventValue(String(decoding: try Self.browser.opened(caught.body), as: UTF8.self))
    #expect(
      message == [
        "title": "It is your turn", "text": "Number 1 is called to Breath 1.", "tag": "turn",
      ])
    // Neither its length nor its topic says what it is.
    #expect(caught.body.count == 86 + 1024 + 17)
    let topic = try #require(caught.head.firstMatch(of: /\r\nTopic: ([A-Za-z0-9_-]+)\r\n/)).1
    #expect(topic.count == 32)
    let shown = try #require(
      caught.head.firstMatch(of: /\r\nAuthorization: vapid t=([^,]+), k=([^\r]+)\r\n/))
    let claims = try verified(String(shown.1), key: String(shown.2))
    #expect(claims["aud"] == "https://fcm.googleapis.com")
    #expect(claims["sub"] == "mailto:lab@example.org")
    #expect(claims["exp"] == .integer(day.clock.now / 1000 + 12 * 3600))
    // What, to whom and whether it arrived is in the log; where devices are told is not.
    let told = try await told(day)
    #expect(told.map { $0["way"] } == ["push", "push"])
    #expect(told.allSatisfy { $0["arrived"] == true && $0["kind"] == "turn" })
    let events = try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
    #expect(!events.contains { "\($0)".contains("/fcm/send") })
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  @Test func nothingWithoutTheOwnerAndTheConsent() async throws {
    let day = try await day(isOn: false)
    let (pat, ann, owner) = (
      try await day.token(.participant, "pat"), try await day.token(.participant, "ann"),
      try await day.token(.owner)
    )
    try await day.serve { client in
      #expect(
        try await client.send(.put, "/me/push", pat, Self.form()).json["code"] == "E_DAY_CLOSED")
      #expect(try await client.send(.get, "/people/pat/written", pat).json["push"] == .null)
      for contact: EventValue in ["nobody", "a@b.org\r\nX: y", 5] {
        let wrong = try await client.send(
          .patch, "/settings", owner, ["push": ["contact": contact]])
        #expect(wrong.status == 422)
      }
      let on: EventValue = ["push": ["contact": "lab@example.org"]]
      let set = try await client.send(.patch, "/settings", owner, on)
      #expect(set.json["push"]?["services"]?.items.count == PushEndpoint.services.count)
      // A form without consent, and a person without a booking.
      guard case .object(var members) = Self.form() else { return }
      members["consent"] = nil
      #expect(try await client.send(.put, "/me/push", pat, .object(members)).status == 422)
      #expect(try await client.send(.put, "/me/push", ann, Self.form()).status == 404)
      members = ["p256dh": "AAAA", "auth": "AAAA", "consent": true]
      members["endpoint"] = Self.form()["endpoint"]
      #expect(try await client.send(.put, "/me/push", pat, .object(members)).status == 422)
      for endpoint in Self.hostile {
        let answer = try await client.send(.put, "/me/push", pat, Self.form(at: endpoint))
        #expect(answer.status == 422, "\(endpoint)")
      }
      #expect(try await endpoints(day) == [])
      // Told where, and not of what: nothing is laid ready.
      #expect(try await client.send(.put, "/me/push", pat, Self.form()).status == 204)
      _ = try await client.send(.post, "/queue", pat, [:])
      _ = try await client.send(.post, "/queue/next", owner, ["place": "Breath 1"])
      #expect(try await day.count("letters") == 0)
      // Switched off, what waits is given up; the key stays, so that devices need not allow it again.
      let key = try await client.send(.get, "/people/pat/written", pat).json["push"]?["key"]
      _ = try await client.send(
        .put, "/people/pat/written", pat, ["kinds": ["turn"], "consent": true])
      _ = try await client.send(.delete, "/queue/1", owner)
      _ = try await client.send(.post, "/queue", pat, [:])
      _ = try await client.send(.post, "/queue/next", owner, ["place": "Breath 1"])
      #expect(try await waiting(day) == 1)
      _ = try await client.send(.patch, "/settings", owner, ["push": ["contact": nil]])
      await carry(day, to: nil)
      #expect(try await told(day).map { $0["answer"] } == ["browsers are no longer told"])
      _ = try await client.send(.patch, "/settings", owner, on)
      let again = try await client.send(.get, "/people/pat/written", pat).json["push"]
      #expect(again?["key"] == key && again?["is_here"] == true)
    }
  }

  @Test func everybodyHasOwnDevicesOnly() async throws {
    let day = try await day()
    let pat = try await day.token(.participant, "pat")
    try await day.serve { client in
      #expect(try await client.send(.put, "/me/push", nil, Self.form()).status == 401)
      #expect(try await client.send(.put, "/me/push", Token(), Self.form()).status == 401)
      for role in Role.allCases where role != .participant {
        let token = try await day.token(role)
        #expect(try await client.send(.put, "/me/push", token, Self.form()).status == 403)
      }
      #expect(try await client.send(.put, "/me/push", pat, Self.form()).status == 204)
      let other = try await day.token(.participant, "other")
      #expect(try await client.send(.delete, "/me/push", other).status == 204)
      #expect(try await endpoints(day).count == 1)
      #expect(try await client.send(.delete, "/me/push", pat).status == 204)
      #expect(try await endpoints(day) == [])
    }
  }

  /// Five devices; a browser that somebody else signed in on is theirs, and no longer the other's.
  @Test func aBrowserIsOneDeviceAndDevicesAreFew() async throws {
    let day = try await day()
    try await day.day.store.change { change in
      let id = try Sessions.subject("ann", in: change.db)
      try change.db.execute(
        sql: "INSERT INTO people (subject_id, name, contact, consent_ms) VALUES (?, 'N', '+43', 0)",
        arguments: [id])
    }
    let ann = try await day.token(.participant, "ann")
    let pats = try await (0..<7).asyncMap { _ in try await day.token(.participant, "pat") }
    try await day.serve { client in
      #expect(try await client.send(.put, "/me/push", ann, Self.form(3)).status == 204)
      for (number, pat) in pats.enumerated() {
        _ = try await client.send(.put, "/me/push", pat, Self.form(number))
        day.clock.advance(by: 1000)
      }
      let last = try await endpoints(day).map { $0.suffix(1) }
      #expect(last == ["2", "3", "4", "5", "6"])
      _ = try await client.send(.put, "/me/push", pats[6], Self.form(8))
      #expect(try await endpoints(day).map { $0.suffix(1) } == ["2", "3", "4", "5", "8"])
    }
  }

  @Test func aDeviceEndsWithItsTokenAccountAndConsent() async throws {
    let day = try await day()
    let owner = try await day.token(.owner)
    let invitation = try await day.day.accounts.invite(
      "pat", as: .participant, subject: "pat", by: "test")
    try await day.serve { client in
      // The session of a browser, by its cookie.
      let signedIn = try await client.send(
        .post, "/sign-in", nil, ["token": .text(invitation.text)])
      let cookie = try #require(signedIn.response.headers[.setCookie]?.split(separator: ";").first)
      var headers: HTTPFields = [.cookie: String(cookie)]
      headers[.csrfToken] = signedIn.json["csrf"]?.string
      let stored = try await client.send(.put, "/me/push", nil, Self.form(), headers: headers)
      #expect(stored.status == 204, "\(stored.json)")
      #expect(try await endpoints(day).count == 1)
      _ = try await client.send(.post, "/sign-out", nil, nil, headers: headers)
      #expect(try await endpoints(day) == [])
      let pat = try await day.token(.participant, "pat")
      let accounts = try await client.send(.get, "/accounts", owner).json["items"]?.items
      let account = try #require(accounts?.first { $0["name"] == "pat" })
      guard case .integer(let number) = account["id"] else { return }
      _ = try await client.send(.put, "/me/push", pat, Self.form())
      #expect(try await endpoints(day).count == 1)
      #expect(try await client.send(.delete, "/accounts/\(number)", owner).status == 204)
      #expect(try await endpoints(day) == [])
      _ = try await client.send(.post, "/accounts/\(number)/restore", owner)
      let again = try await day.token(.participant, "pat")
      _ = try await client.send(.put, "/me/push", again, Self.form())
      #expect(try await endpoints(day).count == 1)
      #expect(try await client.send(.delete, "/people/pat/consent", owner).status == 204)
      #expect(try await endpoints(day) == [])
    }
  }

  @Test func nothingIsToldOnceTheConsentIsWithdrawn() async throws {
    let day = try await day()
    try await call(day)
    let pat = try await day.token(.participant, "pat")
    try await day.serve { client in
      let answer = try await client.send(.delete, "/people/pat/consent", pat)
      #expect(answer.status == 204)
    }
    await carry(day, to: nil)
    #expect(try await told(day).map { $0["answer"] } == ["the consent was withdrawn"])
  }

  // MARK: What becomes of it

  @Test(
    .enabled(if: openssl != nil, "openssl is not installed"),
    arguments: ["404 Not Found", "410 Gone"])
  func aDeviceThatIsGoneIsForgotten(_ status: String) async throws {
    let service = try await PushCatcher([status])
    let day = try await day()
    try await call(day)
    await carry(day, to: service)
    await carry(day, to: service)
    #expect(service.caught.count == 1)
    #expect(try await endpoints(day) == [])
    let told = try await told(day)
    #expect(told.map { $0["arrived"] } == [false])
    #expect(told[0]["answer"]?.string?.contains(status) == true)
  }

  @Test(
    .enabled(if: openssl != nil, "openssl is not installed"),
    arguments: [
      "429 Too Many Requests\r\nRetry-After: 120", "500 Internal Server Error",
      "503 Service Unavailable", "401 Unauthorized",
    ])
  func whatMayBeMendedIsTriedAgainAfterARestart(_ status: String) async throws {
    let service = try await PushCatcher([status])
    let day = try await day()
    try await call(day)
    await carry(day, to: service)
    #expect(service.caught.count == 1)
    let later = try TestDay(again: day)
    later.clock.advance(by: 59_000)
    await carry(later, to: service)
    later.clock.advance(by: 2_000)
    await carry(later, to: service)
    // A service says itself when it wants to be asked again.
    let isLater = status.contains("Retry-After")
    #expect(service.caught.count == (isLater ? 1 : 2))
    later.clock.advance(by: 60_000)
    await carry(later, to: service)
    #expect(service.caught.count == 2)
    #expect(try await told(later).map { $0["arrived"] } == [true])
    // It is kept for no longer than it is of use from the beginning.
    #expect(service.caught[1].head.contains("TTL: \(isLater ? 479 : 539)\r\n"))
    #expect(try await endpoints(later).count == 1)
  }

  @Test(.enabled(if: openssl != nil, "openssl is not installed"))
  func noRedirectIsFollowedAndNothingIsToldTooLate() async throws {
    let service = try await PushCatcher(["307 Temporary Redirect\r\nLocation: https://localhost/"])
    let day = try await day()
    try await call(day)
    await carry(day, to: service)
    await carry(day, to: service)
    #expect(service.caught.count == 1)
    #expect(try await told(day).map { $0["arrived"] } == [false])
    let other = try await self.day()
    try await call(other)
    other.clock.advance(by: 601_000)
    await carry(other, to: service)
    #expect(service.caught.count == 1)
    #expect(try await told(other).map { $0["answer"] } == ["it was too late"])
  }

  /// The owner's list of services holds for devices that are there already.
  @Test func aServiceThatIsNoLongerOnTheListIsNotAsked() async throws {
    let day = try await day()
    try await call(day)
    let owner = try await day.token(.owner)
    try await day.serve { client in
      let own: EventValue = ["push": ["services": ["push.example.org"]]]
      let set = try await client.send(.patch, "/settings", owner, own)
      #expect(set.json["push"]?["contact"] == "lab@example.org")
      for list: EventValue in [[], ["localhost"], ["10.0.0.1"], [5], "push.example.org"] {
        let wrong = try await client.send(
          .patch, "/settings", owner, ["push": ["services": list]])
        #expect(wrong.status == 422, "\(list)")
      }
    }
    await carry(day, to: nil)
    #expect(try await told(day).map { $0["answer"] } == ["the device is no longer told"])
  }
}

private func bytes(_ text: String) throws -> Data { try #require(Data(base64URL: text)) }

/// Whether the signature of a JWT is that of a key.
private func isSigned(_ token: String, by key: String) throws -> Bool {
  let end = try #require(token.lastIndex(of: "."))
  let signer = try P256.Signing.PublicKey(x963Representation: bytes(key))
  let signature = try P256.Signing.ECDSASignature(
    rawRepresentation: bytes(String(token[token.index(after: end)...])))
  return signer.isValidSignature(signature, for: Data(token[..<end].utf8))
}

/// The claims of a JWT that a key signed.
private func verified(_ token: String, key: String) throws -> EventValue {
  try #require(try isSigned(token, by: key))
  let parts = token.split(separator: ".").map(String.init)
  try #require(parts.count == 3)
  #expect(
    EventValue(String(decoding: try bytes(parts[0]), as: UTF8.self)) == [
      "typ": "JWT", "alg": "ES256",
    ])
  return try #require(EventValue(String(decoding: try bytes(parts[1]), as: UTF8.self)))
}

/// A browser, which alone can read what is for it (RFC 8291, 3; RFC 8188, 2).
private struct Browser {
  let key: P256.KeyAgreement.PrivateKey?
  let secret: Data

  init(key: String, secret: String) {
    self.key = Data(base64URL: key).flatMap {
      try? P256.KeyAgreement.PrivateKey(rawRepresentation: $0)
    }
    self.secret = Data(base64URL: secret) ?? Data()
  }

  var keys: PushKeys? {
    key.flatMap { PushKeys(publicKey: $0.publicKey.x963Representation, secret: secret) }
  }

  func opened(_ body: Data) throws -> Data {
    let key = try #require(key)
    let (salt, sender) = (body.prefix(16), body.dropFirst(21).prefix(65))
    #expect(Array(body.dropFirst(16).prefix(5)) == [0, 0, 16, 0, 65])
    let shared = try key.sharedSecretFromKeyAgreement(
      with: P256.KeyAgreement.PublicKey(x963Representation: sender))
    func hmac(_ text: Data, _ key: Data) -> Data {
      Data(HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: key)))
    }
    let info = Data("WebPush: info\0".utf8) + key.publicKey.x963Representation + sender + [1]
    let material = hmac(info, hmac(shared.withUnsafeBytes { Data($0) }, secret))
    let random = hmac(material, Data(salt))
    let contentKey = hmac(Data("Content-Encoding: aes128gcm\0\u{1}".utf8), random).prefix(16)
    let nonce = hmac(Data("Content-Encoding: nonce\0\u{1}".utf8), random).prefix(12)
    let padded = try AES.GCM.open(
      AES.GCM.SealedBox(combined: nonce + body.dropFirst(86)), using: SymmetricKey(data: contentKey)
    )
    let end = try #require(padded.lastIndex { $0 != 0 })
    #expect(padded[end] == 2)
    return padded[..<end]
  }
}

/// A push service, by https: keeps what it gets, and answers as it was told, then by 201.
private final class PushCatcher: Sendable {
  private struct Kept {
    var caught: [(head: String, body: Data)] = []
    var answers: [String]
  }

  private final class Box: Sendable {
    let kept: Mutex<Kept>

    init(_ answers: [String]) { kept = Mutex(Kept(answers: answers)) }
  }

  private let box: Box
  private let folder: TemporaryFolder
  private let channel: any Channel
  let stand: PushStand

  var caught: [(head: String, body: Data)] { box.kept.withLock { $0.caught } }

  init(_ answers: [String] = []) async throws {
    folder = try TemporaryFolder()
    let own = try madeCertificate("own", in: folder)
    let chain = try NIOSSLCertificate.fromPEMFile(own.certificate)
    let context = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: own.key, format: .pem))))
    let box = Box(answers)
    self.box = box
    channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            NIOSSLServerHandler(context: context), Conversation(box),
          ])
        }
      }.bind(host: "127.0.0.1", port: 0).get()
    stand = PushStand(
      host: "localhost", port: channel.localAddress?.port ?? 0, trust: .file(own.certificate))
  }

  deinit { channel.close(promise: nil) }

  private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let box: Box
    private var bytes = Data()

    init(_ box: Box) { self.box = box }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      bytes += Data(unwrapInboundIn(data).readableBytesView)
      guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return }
      let (head, body) = (
        String(decoding: bytes[..<end.upperBound], as: UTF8.self), bytes[end.upperBound...]
      )
      let length = head.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap { Int($0.1) }
      guard body.count == length else { return }
      let answer = box.kept.withLock { kept in
        kept.caught.append((head, Data(body)))
        return kept.answers.isEmpty ? "201 Created" : kept.answers.removeFirst()
      }
      let text = "HTTP/1.1 \(answer)\r\nContent-Length: 0\r\n\r\n"
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
