import Dispatch
import Foundation

/// A terminal nobody sits at.
struct Terminal {
  private let screen: FileHandle
  /// The end that a program writes to; close it once a program has it.
  let line: FileHandle

  /// - Parameter columns: How wide it says that it is; 0 if it does not say.
  init(columns: Int = 0) throws {
    var (screen, line): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&screen, &line, nil, nil, &size) == 0 else { throw CocoaError(.fileReadUnknown) }
    self.screen = FileHandle(fileDescriptor: screen, closeOnDealloc: true)
    self.line = FileHandle(fileDescriptor: line, closeOnDealloc: true)
  }

  /// Types a text, line ends included.
  func type(_ text: String) throws { try screen.write(contentsOf: Data(text.utf8)) }

  /// Reads until the last writer is gone and returns the text with its line ends.
  func readToEnd() async -> String {
    // Off the threads of Swift's tasks, which must not wait.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [screen] in
        let bytes = Self.bytes(from: screen.fileDescriptor).filter { $0 != UInt8(ascii: "\r") }
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  private static func bytes(from descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // Linux reports an error where other systems report the end.
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
