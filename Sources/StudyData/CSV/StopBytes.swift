/// The bytes that end a run of plain text in CSV: separator, LF, CR and quote.
///
/// They are looked for in eight bytes at once. Fields are short and of all lengths, so that a loop
/// over single bytes would spend its time on mispredicted ends.
struct StopBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080
  private static let lineFeeds = ones * UInt64(ASCII.lineFeed)
  private static let carriageReturns = ones * UInt64(ASCII.carriageReturn)
  private static let quotes = ones * UInt64(ASCII.quote)

  private let separator: UInt8
  private let separators: UInt64

  init(separator: UInt8) {
    self.separator = separator
    separators = Self.ones * UInt64(separator)
  }

  /// Offset of the first stop at or after `start`, or the end.
  @inline(__always)
  func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var offset = start
    while offset + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let found = matches(in: UInt64(littleEndian: word))
      if found != 0 { return offset + found.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < bytes.count, !contains(bytes[offset]) { offset += 1 }
    return offset
  }

  private func contains(_ byte: UInt8) -> Bool {
    byte == separator || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
      || byte == ASCII.quote
  }

  /// The high bits of the bytes that are stops; only the lowest of them is certain.
  @inline(__always)
  private func matches(in word: UInt64) -> UInt64 {
    let lines = Self.zeros(in: word ^ Self.lineFeeds) | Self.zeros(in: word ^ Self.carriageReturns)
    return (lines | Self.zeros(in: word ^ separators) | Self.zeros(in: word ^ Self.quotes))
      & Self.highs
  }

  /// Sets the high bit of every zero byte; the borrow may set some above the lowest one too.
  @inline(__always)
  private static func zeros(in word: UInt64) -> UInt64 {
    (word &- ones) & ~word
  }
}
