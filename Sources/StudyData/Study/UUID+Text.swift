package import Foundation

extension UUID {
  /// The UUID as RFC 9562 writes it, in small letters.
  package var text: String { uuidString.lowercased() }
}
