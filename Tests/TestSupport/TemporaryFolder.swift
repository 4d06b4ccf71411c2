package import Foundation

/// A folder that is gone when the test is.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let path: String

  /// Makes one that is empty.
  package init() throws {
    let folder = FileManager.default.temporaryDirectory
    path = folder.appending(path: "promille-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of something in the folder.
  package func callAsFunction(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// The names of what is in the folder.
  package var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Makes a folder in it.
  package func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: self(name), withIntermediateDirectories: true)
  }

  /// Writes a file.
  package func write(_ text: String, to name: String) throws {
    try write(Data(text.utf8), to: name)
  }

  /// Writes a file byte by byte as given.
  package func write(_ bytes: Data, to name: String) throws {
    try bytes.write(to: URL(filePath: self(name)))
  }

  /// The text of a file.
  package func read(_ name: String) throws -> String {
    try String(contentsOf: URL(filePath: self(name)), encoding: .utf8)
  }

  /// Makes a symbolic link.
  package func link(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: self(name), withDestinationPath: destination)
  }

  /// Makes a pipe with a name.
  package func makePipe(_ name: String) throws {
    guard mkfifo(self(name), 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
