public import Foundation

/// A folder that is gone when the test is.
public final class TemporaryFolder: Sendable {
  /// The path of the folder.
  public let path: String

  /// Makes one that is empty.
  public init() throws {
    let folder = FileManager.default.temporaryDirectory
    path = folder.appending(path: "promille-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of something in the folder.
  public func callAsFunction(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// The names of what is in the folder.
  public var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Makes a folder in it.
  public func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: self(name), withIntermediateDirectories: true)
  }

  /// Writes a file.
  public func write(_ text: String, to name: String) throws {
    try write(Data(text.utf8), to: name)
  }

  /// Writes a file byte by byte as given.
  public func write(_ bytes: Data, to name: String) throws {
    try bytes.write(to: URL(filePath: self(name)))
  }

  /// The text of a file.
  public func read(_ name: String) throws -> String {
    try String(contentsOf: URL(filePath: self(name)), encoding: .utf8)
  }

  /// Makes a symbolic link.
  public func link(_ name: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: self(name), withDestinationPath: destination)
  }

  /// Makes a pipe with a name.
  public func makePipe(_ name: String) throws {
    guard mkfifo(self(name), 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
