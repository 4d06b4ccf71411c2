import Crypto
import DayDatabase
import Foundation
import NIOSSL
@_spi(StudyDay) import StudyStore

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
  /// Tests listen at a stand in place of all push services.
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
