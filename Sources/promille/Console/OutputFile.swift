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
