import StudyData

/// Writes CSV (RFC 4180, with line feeds) field by field, as bytes.
public struct CSVText {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// Begins an empty text.
  public init() {}

  /// The text.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Removes all text and keeps the memory.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Ends a field.
  public mutating func end(isLastOfRow: Bool = false) {
    bytes.append(isLastOfRow ? ASCII.lineFeed : ASCII.comma)
  }

  /// Writes a text, in quotes if it needs them or if they are requested.
  public mutating func append(_ words: String, inQuotes isQuoted: Bool = false) {
    guard isQuoted || words.utf8.contains(where: Self.needsQuotes) else {
      bytes.append(contentsOf: words.utf8)
      return
    }
    bytes.append(ASCII.quote)
    for byte in words.utf8 {
      bytes.append(byte)
      if byte == ASCII.quote { bytes.append(byte) }
    }
    bytes.append(ASCII.quote)
  }

  /// Writes a text as a field that is not the last of its row.
  public mutating func appendField(_ words: String) {
    append(words)
    end()
  }

  /// Writes a whole row of words.
  public mutating func appendRow(_ words: [String]) {
    for (index, word) in words.enumerated() {
      append(word)
      end(isLastOfRow: index == words.count - 1)
    }
  }

  /// Writes a number of magnitude below 1e9 with up to 9 decimals.
  public mutating func append(_ number: Double, decimals: Int) {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    guard let scaled = Int(exactly: (number.magnitude * Double(scale)).rounded()) else {
      return append(number)
    }
    if number < 0, scaled > 0 { bytes.append(ASCII.minus) }
    append(scaled / scale)
    guard decimals > 0 else { return }
    bytes.append(ASCII.point)
    var rest = scaled % scale
    for _ in 0..<decimals {
      scale /= 10
      bytes.append(ASCII.zero + UInt8(truncatingIfNeeded: rest / scale))
      rest %= scale
    }
  }

  /// Writes a finite number with the fewest digits that reproduce it.
  public mutating func append(_ number: Double) {
    if let whole = Int32(exactly: number) {
      append(Int(whole))
    } else {
      bytes.append(contentsOf: number.description.utf8)
    }
  }

  /// Writes a whole number.
  public mutating func append(_ number: Int) {
    if number < 0 { bytes.append(ASCII.minus) }
    let start = bytes.count
    var rest = number.magnitude
    repeat {
      bytes.append(ASCII.zero + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == ASCII.quote || byte == ASCII.comma || byte == ASCII.lineFeed
      || byte == ASCII.carriageReturn || byte == ASCII.semicolon || byte == ASCII.tab
  }

  public init(header: [String]) {
    self.init()
    appendRow(header)
  }
}
