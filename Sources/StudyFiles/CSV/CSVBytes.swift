import StudyData

package enum CSVSeparator: UInt8, CaseIterable {
  case comma = 0x2C
  case semicolon = 0x3B
  case tab = 0x09

  /// Returns the most frequent separator of the header, or a comma; nil if the header is incomplete.
  init?(ofHeaderIn bytes: UnsafeRawBufferPointer, isWhole: Bool = true) {
    var counts: [Self: Int] = [:]
    var isQuoted = false
    var isBlank = true
    var isComplete = isWhole
    for byte in bytes {
      if byte == ASCII.quote { isQuoted.toggle() }
      if byte == ASCII.lineFeed, !isQuoted, !isBlank {
        isComplete = true
        break
      }
      if byte > ASCII.space { isBlank = false }
      guard !isQuoted, let separator = Self(rawValue: byte) else { continue }
      counts[separator, default: 0] += 1
    }
    guard isComplete else { return nil }
    // Of equally frequent ones, the first: the comma.
    self = Self.allCases.first { counts[$0] == counts.values.max() } ?? .comma
  }
}

/// Finds the structural bytes of CSV one after another: separator, LF, CR and quote.
///
/// 32 bytes are tested at once. Fields are short and vary in length, so a loop over single bytes would spend its time on
/// mispredicted branches.
struct StopCursor {
  private typealias Chunk = SIMD4<UInt64>
  private static let size = 32
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  private let text: UnsafeRawPointer
  private let end: Int
  private let separator: UInt8
  /// The offset of the current chunk.
  private var begin: Int
  /// A bit for each structural byte of the chunk that has not been returned yet.
  private var stops: UInt32 = 0
  private var isChunkASCII = true
  /// Whether all chunks since the start of the record are ASCII; they may extend beyond it.
  private(set) var isASCII = true

  init(in text: UnsafeRawPointer, from start: Int, to end: Int, separator: UInt8) {
    self.text = text
    self.end = end
    self.separator = separator
    begin = start - Self.size
  }

  @inline(__always)
  mutating func beginRecord() { isASCII = isChunkASCII }

  @inline(__always)
  mutating func next() -> Int {
    while stops == 0 {
      guard begin &+ Self.size < end else { return end }
      begin &+= Self.size
      look(at: begin &+ Self.size <= end ? (text + begin).loadUnaligned(as: Chunk.self) : rest)
    }
    defer { stops &= stops &- 1 }
    return begin &+ stops.trailingZeroBitCount
  }

  /// The last bytes, padded with zeros to a chunk.
  private var rest: Chunk {
    var rest = Chunk()
    withUnsafeMutableBytes(of: &rest) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: text + begin, count: end - begin))
    }
    return rest
  }

  @inline(__always)
  private mutating func look(at chunk: Chunk) {
    let others =
      Self.others(than: separator, in: chunk) & Self.others(than: ASCII.lineFeed, in: chunk)
      & Self.others(than: ASCII.carriageReturn, in: chunk)
      & Self.others(than: ASCII.quote, in: chunk)
    stops =
      ~(Self.bits(others[0]) | Self.bits(others[1]) &<< 8 | Self.bits(others[2]) &<< 16
      | Self.bits(others[3]) &<< 24)
    isChunkASCII = (chunk[0] | chunk[1] | chunk[2] | chunk[3]) & Self.highs == 0
    isASCII = isASCII && isChunkASCII
  }

  /// Sets the high bit of every byte that differs from `byte`.
  @inline(__always)
  private static func others(than byte: UInt8, in chunk: Chunk) -> Chunk {
    let difference = chunk ^ Chunk(repeating: 0x0101_0101_0101_0101 &* UInt64(byte))
    return ((difference & Chunk(repeating: ~highs)) &+ Chunk(repeating: ~highs)) | difference
  }

  /// Returns the high bits of eight bytes, that of the first in the lowest position.
  @inline(__always)
  private static func bits(_ word: UInt64) -> UInt32 {
    let bits = (word.littleEndian & highs) &>> 7
    return UInt32(truncatingIfNeeded: (bits &* 0x0102_0408_1020_4080) &>> 56)
  }
}
