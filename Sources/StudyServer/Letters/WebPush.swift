import Crypto
import Foundation
import NIOSSL
import StudyStore

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

/// What encrypts for one browser: what it made when it allowed to be told.
struct PushKeys: Sendable {
  /// On the curve P-256, uncompressed: 65 bytes.
  var publicKey: Data
  /// 16 bytes.
  var secret: Data

  /// Nil for what is no key.
  init?(publicKey: Data, secret: Data) {
    guard (try? P256.KeyAgreement.PublicKey(x963Representation: publicKey)) != nil,
      secret.count == 16
    else { return nil }
    (self.publicKey, self.secret) = (publicKey, secret)
  }

  /// Push services take no more, in bytes.
  static let mostBytes = 4096

  /// Encrypts a message so that only the browser can read it (RFC 8291, `aes128gcm` of RFC 8188, in one record).
  ///
  /// - Parameters:
  ///   - padding: So many bytes more, so that its length does not say what it is.
  ///   - own: The key of this message, and ``salt``; tests know them.
  func sealed(
    _ message: Data, padding: Int = 0, own: P256.KeyAgreement.PrivateKey = .init(),
    salt: Data = SymmetricKey(size: .bits128).data
  ) throws -> Data {
    let browser = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
    let sender = own.publicKey.x963Representation
    let material = try own.sharedSecretFromKeyAgreement(with: browser).hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: secret,
      sharedInfo: Data("WebPush: info\0".utf8) + publicKey + sender, outputByteCount: 32)
    func derived(_ name: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: material, salt: salt, info: Data("Content-Encoding: \(name)\0".utf8),
        outputByteCount: count)
    }
    let box = try AES.GCM.seal(
      message + [2] + Data(count: padding), using: derived("aes128gcm", 16),
      nonce: AES.GCM.Nonce(data: derived("nonce", 12).data))
    let recordSize: [UInt8] = [0, 0, UInt8(Self.mostBytes >> 8), UInt8(Self.mostBytes & 0xFF)]
    let header = salt + recordSize + [UInt8(sender.count)] + sender
    return header + box.ciphertext + box.tag
  }
}

extension SymmetricKey {
  fileprivate var data: Data { withUnsafeBytes { Data($0) } }
}

/// How a message to a browser is sent.
struct PushMessage: Sendable {
  var json: EventValue
  /// How long a push service keeps it for a device that is away, in seconds.
  var lifetime: Int64
  var isUrgent = false
  /// Messages of one topic replace each other while the device is away; nil for none.
  var topic: String?

  /// Messages are as long as one of so many bytes: a push service does not see from the length what it is.
  private static let usualLength = 1024

  /// Sends it to a device (RFC 8030), as the study whose key is shown (RFC 8292).
  ///
  /// - Parameters:
  ///   - stand: Where a test listens in place of all push services.
  /// - Returns: What the service said.
  func send(
    to endpoint: PushEndpoint, _ keys: PushKeys, as push: Push, at now: Int64, stand: PushStand?
  ) async throws -> String {
    let text = Data(json.text.utf8)
    let body = try keys.sealed(text, padding: max(0, Self.usualLength - text.count))
    guard body.count <= PushKeys.mostBytes else {
      throw DeliveryFailure(reason: "the message is too long", isFinal: true)
    }
    var head = [
      "POST \(endpoint.path) HTTP/1.1", "Host: \(endpoint.host)",
      "Authorization: vapid t=\(try push.token(for: endpoint.host, at: now)), k=\(push.publicKey)",
      "TTL: \(lifetime)", "Urgency: \(isUrgent ? "high" : "normal")",
      "Content-Type: application/octet-stream", "Content-Encoding: aes128gcm",
      "Content-Length: \(body.count)",
    ]
    // Push services read topics; this one says only that two messages have the same.
    if let topic {
      let digest = Event.sha256(keys.secret + Data(topic.utf8)).prefix(24)
      head.append("Topic: \(digest.base64URL)")
    }
    let request =
      Data((head + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8) + body
    return try await OutgoingConnection.open(
      stand?.host ?? endpoint.host, stand?.port ?? 443, isSecure: true,
      trust: stand?.trust ?? .default
    ) { connection in
      try await connection.send(request)
      let answer = try await connection.answer()
      guard 200...299 ~= answer.status else {
        // No redirect is followed; and what is wrong with a request stays wrong, but for clocks and keys.
        let isGone = [404, 410].contains(answer.status)
        let isFinal =
          isGone || 300...499 ~= answer.status && ![401, 403, 429].contains(answer.status)
        throw DeliveryFailure(
          reason: "the push service said \(answer.line.prefix(200))", isFinal: isFinal,
          isGone: isGone, wait: answer.wait)
      }
      return answer.line
    }
  }
}

/// Where tests listen in place of push services.
struct PushStand: Sendable {
  var host: String
  var port: Int
  var trust: NIOSSLTrustRoots
}

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

extension Data {
  /// Base64 for addresses, without what fills up at the end (RFC 4648, 5).
  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  init?(base64URL text: String) {
    guard text.utf8.allSatisfy(\.isOfBase64URL) else { return nil }
    let usual = text.replacing("-", with: "+").replacing("_", with: "/")
    self.init(
      base64Encoded: usual + String(repeating: "=", count: (4 - usual.utf8.count % 4) % 4))
  }
}

extension UInt8 {
  var isOfBase64URL: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
