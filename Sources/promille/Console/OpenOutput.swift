import Foundation

/// A result that is being written, piece by piece; a file that was there before stays as it was if it
/// is not finished.
struct OpenOutput {
  private let handle: FileHandle
  /// The file that it becomes; nil where it goes at once to where it belongs.
  private let replacement: Replacement?
  private let isOwned: Bool

  /// Opens what a result is to be written to.
  init(_ destination: OutputFile) throws {
    guard case .file(let path) = destination, !OutputFile.isStandardOutput(path) else {
      handle = .standardOutput
      replacement = nil
      isOwned = false
      return
    }
    isOwned = true
    if OutputFile.isSpecial(path) {
      // A device or a pipe is written to; replacing it would take it away from its users.
      handle = try FileHandle(forWritingTo: URL(filePath: path))
      replacement = nil
    } else {
      let replacement = try Replacement(of: path)
      handle = replacement.file
      self.replacement = replacement
    }
  }

  /// Writes what comes next.
  func write(_ data: Data) throws {
    try handle.write(contentsOf: data)
  }

  /// Closes the result, which is complete.
  func finish() throws {
    if let replacement {
      try replacement.finish()
    } else if isOwned {
      try handle.close()
    }
  }
}
