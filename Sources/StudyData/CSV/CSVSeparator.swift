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
