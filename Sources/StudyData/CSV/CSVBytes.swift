/// The bytes that the readers of CSV, numbers and JSON look for.
enum ASCII {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let plus = UInt8(ascii: "+")
  static let comma = UInt8(ascii: ",")
  static let minus = UInt8(ascii: "-")
  static let point = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")
  static let lessThan = UInt8(ascii: "<")
  static let semicolon = UInt8(ascii: ";")

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab
  }

  static func isPrintable(_ byte: UInt8) -> Bool {
    byte &- space < 0x5F
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte &- zero < 10
  }
}

/// What stands between the fields of a CSV file.
enum CSVSeparator: UInt8, CaseIterable {
  case comma = 0x2C
  case semicolon = 0x3B
  case tab = 0x09

  /// The separator that the header uses most; a comma if it uses none. Nil if the header is not
  /// complete yet.
  init?(ofHeaderIn bytes: UnsafeRawBufferPointer, isWhole: Bool = true) {
    var counts: [Int] = Self.allCases.map { _ in 0 }
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
      guard !isQuoted, let found = Self(rawValue: byte) else { continue }
      counts[found.index] += 1
    }
    guard isComplete else { return nil }
    // The first of equals, so that ties go to the comma.
    self = Self.allCases.first { counts[$0.index] == counts.max() } ?? .comma
  }

  private var index: Int {
    switch self {
    case .comma: 0
    case .semicolon: 1
    case .tab: 2
    }
  }
}

/// The bytes that end a run of plain text in CSV: separator, LF, CR and quote.
///
/// They are looked for in eight bytes at once. Fields are short and of all lengths, so that a loop
/// over single bytes would spend its time on mispredicted ends.
struct StopBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highs: UInt64 = 0x8080_8080_8080_8080
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

  /// The high bits of those of eight bytes that are stops, the first byte's lowest.
  @inline(__always)
  func matches(in word: UInt64) -> UInt64 {
    let others =
      Self.others(in: word ^ separators) & Self.others(in: word ^ Self.lineFeeds)
      & Self.others(in: word ^ Self.carriageReturns) & Self.others(in: word ^ Self.quotes)
    return ~others & Self.highs
  }

  /// Sets the high bit of every byte that is not zero.
  @inline(__always)
  private static func others(in word: UInt64) -> UInt64 {
    ((word & ~highs) &+ ~highs) | word
  }
}
