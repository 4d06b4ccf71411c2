import Foundation

/// Standard input, of which the beginning can be looked at before somebody reads it.
enum StandardInput {
  /// Its first bytes.
  ///
  /// They are put back: a pipe takes the place of standard input, and is fed
  /// with it and with what follows.
  static func beginning() -> Data {
    var start = [UInt8](repeating: 0, count: 1 << 12)
    let count = read(STDIN_FILENO, &start, start.count)
    guard count > 0 else { return Data() }
    start.removeSubrange(count...)
    return putBack(start) ? Data(start) : Data()
  }

  /// Whether the first byte of a text that is no blank and no mark of an encoding is that of XML.
  static func isXML(_ start: some Sequence<UInt8>) -> Bool {
    let blanks: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00, 0x20, 0x09, 0x0A, 0x0D]
    return start.first { !blanks.contains($0) } == UInt8(ascii: "<")
  }

  private static func putBack(_ start: [UInt8]) -> Bool {
    // A file is read again from where it was.
    if lseek(STDIN_FILENO, off_t(-start.count), SEEK_CUR) >= 0 { return true }
    var ends: [Int32] = [0, 0]
    let original = dup(STDIN_FILENO)
    guard original >= 0, pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) >= 0 else { return false }
    close(ends[0])
    let feeder = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    let rest = FileHandle(fileDescriptor: original, closeOnDealloc: true)
    Thread.detachNewThread {
      // If the reader has ended, there is nobody to feed.
      try? feeder.write(contentsOf: Data(start))
      while let block = try? rest.read(upToCount: 1 << 16), !block.isEmpty {
        guard (try? feeder.write(contentsOf: block)) != nil else { break }
      }
      try? feeder.close()
    }
    return true
  }
}
