import Foundation

/// Rows of a result that are written as they come.
///
/// A class because whoever makes rows, and whoever closes the file after the last, share it.
final class RowOutput {
  private static let bufferSize = 1 << 16

  private let output: OpenOutput
  /// Whether every row is passed on at once, for a reader who waits for it.
  private let isFlushing: Bool
  private let isFile: Bool
  private var buffer = Data()

  /// - Parameter path: The file, written whole or not at all; nil for standard output.
  init(to path: String?, isFlushing: Bool) throws {
    output = try OpenOutput(path.map(OutputFile.file) ?? .standardOutput)
    self.isFlushing = isFlushing
    isFile = path != nil
  }

  /// Writes a row, or several.
  func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if isFlushing || buffer.count >= Self.bufferSize { try flush() }
  }

  /// Ends the result, which is complete.
  func finish() throws {
    try flush()
    try output.finish()
  }

  /// Ends a result that will not be complete: standard output gets the rows so far, a file none.
  func breakOff() throws {
    if !isFile { try flush() }
  }

  private func flush() throws {
    guard !buffer.isEmpty else { return }
    try output.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
