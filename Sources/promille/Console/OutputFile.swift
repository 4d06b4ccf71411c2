import Foundation

/// Where a result is written: a file, whole or not at all, or standard output.
enum OutputFile {
  case standardOutput
  case file(String)

  /// Writes the result.
  ///
  /// - Throws: ``OutputFailure`` or Foundation's error if it cannot be written; a file that was
  ///   there before is then as it was.
  func write(_ text: String) throws {
    let output = try OpenOutput(self)
    try output.write(Data(text.utf8))
    try output.finish()
  }

  /// Whether the path leads, as `/dev/stdout` does, to where standard output goes anyway; what else
  /// is written there must stay.
  static func isStandardOutput(_ path: String) -> Bool {
    var named = stat()
    var standard = stat()
    guard stat(path, &named) == 0, fstat(STDOUT_FILENO, &standard) == 0 else { return false }
    return named.st_dev == standard.st_dev && named.st_ino == standard.st_ino
  }

  /// Whether the path leads, links followed, to something that is neither file nor folder.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let type = status.st_mode & S_IFMT
    return type != S_IFREG && type != S_IFDIR
  }
}

/// Why a file could not be written.
struct OutputFailure: LocalizedError {
  let errorDescription: String?
  /// Whether there is something already where something was to be made.
  let isBecauseThere: Bool

  /// What the last system call says.
  init(code: Int32 = errno) {
    isBecauseThere = code == EEXIST
    errorDescription = String(cString: strerror(code))
  }
}

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
