/// A file that was read, and its SHA-256, so that a result can be traced to its data.
public struct InputDigest: Hashable, Sendable {
  /// The file.
  public var file: String
  /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
  public var sha256: String

  /// Names a file and its digest.
  public init(file: String, sha256: String) {
    self.file = file
    self.sha256 = sha256
  }
}
