import Crypto
import Foundation
import GRDB
import StudyData
import StudyStore

extension Push {
  /// How browsers are told; nil if that was never switched on.
  static func find(in db: Database) throws -> Push? {
    guard let row = try SafeRow.first(db, "SELECT * FROM push"),
      let bytes = row["private_key"] as Data?,
      let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
    else { return nil }
    let services: String = row["services"]
    return Push(
      key: key, contact: row["contact"], services: services.split(separator: " ").map(String.init))
  }

  static func isOn(in db: Database) throws -> Bool { try find(in: db)?.contact != nil }

  /// As the settings have it, without the key.
  static func json(in db: Database) throws -> EventValue {
    let push = try find(in: db)
    return .object([
      "contact": push?.contact.map(EventValue.text) ?? .null,
      "services": .array((push?.services ?? PushEndpoint.services).map(EventValue.text)),
    ])
  }
}

/// What a request makes of how browsers are told.
struct PushChange: Sendable {
  /// Null to tell none; nil for as it was.
  private let contact: EventValue?
  private let services: [String]?

  init(_ form: Form) throws(Problem) {
    var form = form
    contact = try form.textOrNull("contact", 1...254)
    let list = form.value("services")
    try form.end()
    guard contact?.string.map(MailServer.isAddress) ?? true else {
      throw Problem(.badValue, "contact must be an e-mail address, for push services to write to.")
    }
    guard let list else {
      services = nil
      return
    }
    guard case .array(let values) = list, 1...20 ~= values.count,
      values.allSatisfy({ $0.string.map(PushEndpoint.isService) ?? false })
    else {
      throw Problem(
        .badValue, "services must be 1 to 20 names of hosts as push.example.org, or *.example.org.")
    }
    services = values.compactMap(\.string)
  }

  /// Stores it. The key is made once: with another one every device would have to allow it again.
  func store(in db: Database) throws {
    let old = try Push.find(in: db)
    let contact = self.contact.map(\.string) ?? old?.contact
    try db.execute(
      sql: "INSERT OR REPLACE INTO push (id, private_key, contact, services) VALUES (1, ?, ?, ?)",
      values: [
        (old?.key ?? P256.Signing.PrivateKey()).rawRepresentation, contact,
        (services ?? old?.services ?? PushEndpoint.services).joined(separator: " "),
      ])
  }
}

/// A device of a person that is told: a browser that somebody is signed in on.
struct PushDevice: Sendable {
  /// As many devices of one account; with one more, the first is no longer told.
  private static let most = 5

  private let endpoint: String
  private let keys: PushKeys

  /// Reads what a browser says of itself: `endpoint`, and its keys `p256dh` and `auth`.
  init(_ form: Form) throws(Problem) {
    var form = form
    endpoint = try form.required("endpoint", form.text("endpoint", 1...PushEndpoint.longest))
    let publicKey = try form.required("p256dh", form.text("p256dh", 1...100))
    let secret = try form.required("auth", form.text("auth", 1...100))
    let hasConsent = try form.flag("consent")
    try form.end()
    guard hasConsent == true else {
      throw Problem(.badValue, "No device is told without consent (consent: true).")
    }
    let keys = Data(base64URL: publicKey).flatMap { key in
      Data(base64URL: secret).flatMap { PushKeys(publicKey: key, secret: $0) }
    }
    guard let keys else {
      throw Problem(.badValue, "p256dh and auth must be the keys of a browser, in base64url.")
    }
    self.keys = keys
  }

  /// Has an account's device told from now on. A browser is one device, whoever was told on it before.
  ///
  /// - Returns: The host of its push service.
  fileprivate func store(for identity: Identity, at now: Int64, in db: Database) throws -> String {
    guard let push = try Push.find(in: db), push.contact != nil else {
      throw Problem(.closed, "This study tells no browsers: its owner has not switched that on.")
    }
    guard let place = PushEndpoint(endpoint, services: push.services) else {
      throw Problem(
        .badValue,
        "endpoint must be by https, without port, user or fragment, at a push service of this study: \(push.services.joined(separator: ", "))."
      )
    }
    try db.execute(
      sql: "DELETE FROM push_devices WHERE endpoint = ? OR token_id = ?",
      values: [endpoint, identity.token])
    try db.insert(
      into: "push_devices",
      [
        "token_id": identity.token, "endpoint": endpoint, "public_key": keys.publicKey,
        "secret": keys.secret, "made_ms": now,
      ])
    try db.execute(
      sql: """
        DELETE FROM push_devices WHERE token_id IN (
          SELECT token_id FROM push_devices JOIN tokens ON tokens.id = token_id
          WHERE account_id = ? ORDER BY push_devices.made_ms DESC, token_id DESC LIMIT -1 OFFSET ?)
        """, values: [identity.account, Self.most])
    return place.host
  }
}

extension BookingDesk {
  /// Has the device of who asks told of what its person chose to be written to about.
  func tell(_ device: PushDevice) throws {
    let subject = identity.subject ?? ""
    guard try Letters.hasConsent(of: subject, in: db) else {
      throw Problem(.notFound, "There is no consent of \(subject.quoted): book first.")
    }
    let service = try device.store(for: identity, at: now, in: db)
    try log("letter.device", of: subject, new: .object(["service": .text(service)]))
  }

  /// Tells the device of who asks no longer.
  func tellNoLonger() throws {
    try db.execute(sql: "DELETE FROM push_devices WHERE token_id = ?", values: [identity.token])
    guard db.changesCount > 0 else { return }
    try log("letter.no-device", of: identity.subject)
  }
}
