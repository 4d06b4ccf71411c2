import Foundation

/// Puts results where options say, and says so where that cannot be done.
struct Destination {
  /// Where to say it.
  let console: Console

  /// Writes a text to a file, whole or not at all, or to standard output.
  ///
  /// - Parameters:
  ///   - text: What to write.
  ///   - file: Where to; nil for standard output.
  ///   - option: The option that names the file.
  func write(_ text: String, to file: String?, option: String) throws {
    try attempt(file ?? "standard output", option) {
      try (file.map(OutputFile.file) ?? .standardOutput).write(text)
    }
  }

  /// Writes a file of bytes, whole or not at all.
  ///
  /// - Parameter option: The option that names the file.
  func write(_ data: Data, to file: String, option: String) throws {
    try attempt(file, option) { try Replacement.write(data, to: file) }
  }

  /// Writes files beside the places in a folder that they will take; the folder is made if need be.
  ///
  /// - Parameters:
  ///   - files: Paths in the folder, and what the files hold.
  ///   - folder: Where to.
  ///   - option: The option that names the folder.
  /// - Returns: The files, which are in place once they are finished.
  func prepare(
    _ files: [(name: String, data: Data)], in folder: String, option: String
  ) throws -> FileSet {
    try attempt(folder, option) {
      let target = URL(filePath: folder, directoryHint: .isDirectory)
      return try FileSet(
        files.map { (target.appending(path: $0.name).path(percentEncoded: false), $0.data) })
    }
  }

  /// Writes files into a folder, which is made if need be: none of them before all are written.
  ///
  /// - Parameters:
  ///   - files: Paths in the folder, and texts.
  ///   - folder: Where to.
  ///   - option: The option that names the folder.
  func write(
    _ files: [(path: String, text: String)], into folder: String, option: String
  ) throws {
    let files = try prepare(
      files.map { ($0.path, Data($0.text.utf8)) }, in: folder, option: option)
    try attempt(folder, option) { try files.finish() }
  }

  /// Does something to a place, and ends the command with a message if that fails.
  ///
  /// - Parameters:
  ///   - place: Where results go.
  ///   - option: The option that names it.
  func attempt<Value>(
    _ place: String, _ option: String, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch {
      BrokenPipe.endIfCause(of: error)
      console.error(
        "promille: error E_OUTPUT: cannot write \(place): "
          + "\(error.localizedDescription); choose another place with \(option)")
      throw ExitStatus.cannotCreate
    }
  }
}

/// Options that name where results go; nil is standard output.
protocol OutputNaming {
  var output: String? { get }
  var console: Console { get }
}

extension OutputOptions: OutputNaming {}
extension FileOptions: OutputNaming {}
