import Crypto
import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// How browsers are told: the key of the study, and the address of who answers for it.
struct Push: Sendable {
  let key: P256.Signing.PrivateKey
  /// An address of mail, for push services; nil while no browser is told.
  let contact: String?
  /// Names of hosts.
  let services: [String]

  /// What browsers know the study by.
  var publicKey: String { key.publicKey.x963Representation.base64URL }

  /// Shows a push service who sends: a JWT, signed by ES256 (RFC 8292).
  func token(for host: String, at now: Int64) throws -> String {
    var claims: [String: EventValue] = [
      "aud": .text("https://\(host)"), "exp": .integer(now / 1000 + Self.tokenLifetime),
    ]
    claims["sub"] = contact.map { .text("mailto:\($0)") }
    let parts = [EventValue.object(["typ": .text("JWT"), "alg": .text("ES256")]), .object(claims)]
    let text = parts.map { Data($0.text.utf8).base64URL }.joined(separator: ".")
    return "\(text).\(try key.signature(for: Data(text.utf8)).rawRepresentation.base64URL)"
  }

  /// In seconds; no more than a day is allowed.
  private static let tokenLifetime: Int64 = 12 * 3600
}

extension Push {
  /// How browsers are told; nil if that was never switched on.
  static func find(in db: Database) throws -> Push? {
    guard let row = try db.row("SELECT * FROM push"),
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
    guard contact?.string?.isMailAddress ?? true else {
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
    try db.run(
      "INSERT OR REPLACE INTO push (id, private_key, contact, services) VALUES (1, ?, ?, ?)",
      [
        (old?.key ?? P256.Signing.PrivateKey()).rawRepresentation, contact,
        (services ?? old?.services ?? PushEndpoint.services).joined(separator: " "),
      ])
  }
}

/// Where the push service of a browser takes messages for one device (RFC 8030). Browsers say so, and anybody can say
/// that they are one: it is https, to a host of the list, and to nothing else of it.
struct PushEndpoint: Hashable, Sendable {
  /// Those of Chromium, Firefox, Safari and Edge.
  static let services = [
    "fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com",
    "*.push.apple.com", "*.notify.windows.com",
  ]
  static let longest = 2000

  let host: String
  let path: String

  init?(_ text: String, services: [String]) {
    guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      let parts = URLComponents(string: text), parts.scheme == "https", parts.user == nil,
      parts.password == nil, parts.port == nil, parts.fragment == nil, let host = parts.host,
      services.contains(where: { Self.covers($0, host) }), parts.percentEncodedPath.hasPrefix("/")
    else { return nil }
    self.host = host
    path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
  }

  /// Whether it is the name of a host, or `*.` and what names of hosts end with: no address, and no name without a point.
  static func isService(_ text: String) -> Bool {
    text.utf8.count <= 253
      && text.wholeMatch(of: /(\*\.)?([a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9]/) != nil
  }

  private static func covers(_ service: String, _ host: String) -> Bool {
    guard isService(host), service.hasPrefix("*.") else { return service == host }
    return host.hasSuffix(service.dropFirst())
  }
}
