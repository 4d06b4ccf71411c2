/// What stands before the first element of an XML document.
///
/// Exports of Apple Health declare their document type, and Foundation's parser on Linux ends the
/// process on such declarations (it takes an attribute's absent default for text). Nothing here needs
/// them, so that they are blanked out before the parser sees them.
struct XMLProlog {
  /// What became of the attempt to find the end of it.
  enum Outcome {
    /// More bytes are needed.
    case isIncomplete
    /// The document is in another encoding than UTF-8.
    case isOtherEncoding
    /// The end was found; declarations are blank now.
    case isBlanked
  }

  private var position = 0
  private var bytes: [UInt8]

  /// Blanks out what declares the document type, line ends excepted.
  static func blank(_ bytes: inout [UInt8]) -> Outcome {
    var prolog = XMLProlog(bytes: bytes)
    let outcome = prolog.scan()
    if case .isBlanked = outcome { bytes = prolog.bytes }
    return outcome
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func scan() -> Outcome {
    // UTF-16 and UTF-32 have a byte order mark, or NUL in every character of the markup.
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      || bytes.prefix(4).contains(0)
    {
      return .isOtherEncoding
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    while position < bytes.count {
      if take("<?xml") {
        guard let end = find("?>") else { return .isIncomplete }
        guard isUTF8(declaration: position..<end) else { return .isOtherEncoding }
        position = end
      } else if take("<?") {
        guard skip(past: "?>") else { return .isIncomplete }
      } else if take("<!--") {
        guard skip(past: "-->") else { return .isIncomplete }
      } else if bytes[position...].starts(with: "<!DOCTYPE".utf8) {
        guard blankDeclaration() else { return .isIncomplete }
      } else if bytes[position] == 0x3C, bytes.count - position < 9 {
        return .isIncomplete
      } else if [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
        position += 1
      } else {
        return .isBlanked
      }
    }
    return .isIncomplete
  }

  /// Blanks out a declaration with all that is in its brackets; false if its end is not there.
  private mutating func blankDeclaration() -> Bool {
    let start = position
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let quote = bytes[position]
        guard let end = bytes[(position + 1)...].firstIndex(of: quote) else { return false }
        position = end + 1
      case UInt8(ascii: "<") where take("<!--"):
        guard skip(past: "-->") else { return false }
      case UInt8(ascii: "<") where take("<?"):
        guard skip(past: "?>") else { return false }
      case UInt8(ascii: "<"):
        depth += 1
        position += 1
      case UInt8(ascii: ">"):
        depth -= 1
        position += 1
        guard depth > 0 else {
          for index in start..<position where ![0x0A, 0x0D].contains(bytes[index]) {
            bytes[index] = 0x20
          }
          return true
        }
      default: position += 1
      }
    }
    return false
  }

  /// Whether a declaration names no encoding, or one whose markup is that of UTF-8 byte by byte.
  private func isUTF8(declaration range: Range<Int>) -> Bool {
    let text = String(decoding: bytes[range], as: UTF8.self).lowercased()
    guard let encoding = text.firstRange(of: "encoding") else { return true }
    let names = ["\"utf-8\"", "'utf-8'", "\"us-ascii\"", "'us-ascii'"]
    let name = text[encoding.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    return names.contains { name.hasPrefix($0) }
  }

  private mutating func take(_ mark: StaticString) -> Bool {
    let isThere = mark.withUTF8Buffer { bytes[position...].starts(with: $0) }
    if isThere { position += mark.utf8CodeUnitCount }
    return isThere
  }

  private mutating func skip(past mark: StaticString) -> Bool {
    guard let end = find(mark) else { return false }
    position = end
    return true
  }

  /// Where the next mark ends.
  private func find(_ mark: StaticString) -> Int? {
    let count = mark.utf8CodeUnitCount
    guard bytes.count - position >= count else { return nil }
    return mark.withUTF8Buffer { mark in
      (position...(bytes.count - count)).first { bytes[$0...].starts(with: mark) }
    }.map { $0 + count }
  }
}
