import DayDatabase
import Foundation

/// Bearer token: 32 random bytes, of which the database holds only the SHA-256.
public struct Token: Hashable, Sendable {
  /// Text in base64url, 43 characters.
  public let text: String

  public init() {
    var numbers = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
    text = Data(bytes).base64URL
  }

  /// Makes a token of a text; nil if the text cannot be one.
  public init?(_ text: String) {
    guard text.utf8.count == 43, text.utf8.allSatisfy(\.isOfBase64URL) else { return nil }
    self.text = text
  }

  var hash: Data { Event.sha256(Data("promille token \(text)".utf8)) }

  /// CSRF token that changing requests carry beside the cookie; another site cannot read it.
  public var csrf: String {
    Event.sha256(Data("promille csrf \(text)".utf8)).hexadecimal
  }
}

extension Collection<UInt8> {
  /// Whether two strings of bytes are equal, in a time that does not say where they differ.
  func isEqualInConstantTime(to other: some Collection<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return zip(self, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension Data {
  /// Base64 for addresses, without what fills up at the end (RFC 4648, 5).
  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}

extension UInt8 {
  fileprivate var isOfBase64URL: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
