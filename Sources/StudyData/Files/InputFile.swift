import Foundation

/// A file, read whole.
///
/// Read rather than mapped: a mapped file that somebody truncates meanwhile ends the process.
struct InputFile {
  let path: String
  private let bytes: Data

  init(path: String, bytes: Data) {
    self.path = path
    self.bytes = bytes
  }

  /// Reads a file; nil if there is none.
  init?(readingFrom path: String) throws(StudyError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw Self.unreadable(path, because: String(cString: strerror(errno)))
    }
    // Anything else than a regular file (a pipe, say) might never end.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Self.unreadable(path, because: "it is not a regular file")
    }
    do {
      self.init(path: path, bytes: try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw Self.unreadable(path, because: error.localizedDescription)
    }
  }

  /// The file's name and SHA-256.
  var digest: InputDigest {
    InputDigest(file: path, sha256: withBytes(SHA256.hexDigest))
  }

  /// Lends the bytes out for reading.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes(body)
  }

  private static func unreadable(_ path: String, because reason: String) -> StudyError {
    let finding = Diagnostic(
      .fileUnreadable, at: SourceLocation(file: path),
      message: "the file cannot be read: \(reason)",
      remedy: "make it a readable file")
    return StudyError(kind: .noInput, diagnostics: [finding])
  }
}
