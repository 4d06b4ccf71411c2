import Crypto
import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

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

  /// Has an account's device told from now on, and returns the host of its push service. A browser is one device,
  /// whoever was told on it before.
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
    try db.run(
      "DELETE FROM push_devices WHERE endpoint = ? OR token_id = ?", [endpoint, identity.token])
    try db.insert(
      into: "push_devices",
      [
        "token_id": identity.token, "endpoint": endpoint, "public_key": keys.publicKey,
        "secret": keys.secret, "made_ms": now,
      ])
    try db.run(
      """
      DELETE FROM push_devices WHERE token_id IN (
        SELECT token_id FROM push_devices JOIN tokens ON tokens.id = token_id
        WHERE account_id = ? ORDER BY push_devices.made_ms DESC, token_id DESC LIMIT -1 OFFSET ?)
      """, [identity.account, Self.most])
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
    try db.run("DELETE FROM push_devices WHERE token_id = ?", [identity.token])
    guard db.changesCount > 0 else { return }
    try log("letter.no-device", of: identity.subject)
  }
}
