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

  /// Copies a file, whole or not at all.
  ///
  /// - Parameter option: The option that names the file.
  func copyFile(_ source: URL, to file: String, option: String) throws {
    try attempt(file, option) {
      try Replacement.write(try Data(contentsOf: source), to: file)
    }
  }

  /// Copies files into a folder, which is made if need be: none of them before all are written.
  ///
  /// - Parameters:
  ///   - source: The folder with the files.
  ///   - folder: Where to.
  ///   - ending: The ending of the files to copy; nil for all.
  ///   - option: The option that names the folder.
  func copyFiles(
    in source: URL, to folder: String, ending: String? = nil, option: String
  ) throws {
    try attempt(folder, option) {
      let target = URL(filePath: folder, directoryHint: .isDirectory)
      let folders = MadeFolders()
      try folders.make(folder)
      let all = try FileManager.default.contentsOfDirectory(
        at: source, includingPropertiesForKeys: nil)
      try Replacement.write(
        all.filter { ending == nil || $0.pathExtension == ending }.map { file in
          let place = target.appending(path: file.lastPathComponent)
          return (place.path(percentEncoded: false), try Data(contentsOf: file))
        })
      folders.keep()
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
    try attempt(folder, option) {
      let target = URL(filePath: folder, directoryHint: .isDirectory)
      let places = files.map { target.appending(path: $0.path) }
      let folders = MadeFolders()
      for place in places {
        try folders.make(place.deletingLastPathComponent().path(percentEncoded: false))
      }
      try Replacement.write(
        zip(places, files).map { ($0.path(percentEncoded: false), Data($1.text.utf8)) })
      folders.keep()
    }
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
