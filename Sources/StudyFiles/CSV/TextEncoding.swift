package import StudyData

/// The supported encodings other than UTF-8, as spreadsheets and instruments write them.
package enum TextEncoding: Equatable {
  case utf16(isBigEndian: Bool)
  /// Latin-1 with printable characters instead of the C1 controls; every text in Latin-1 is the same in both.
  case windows1252

  var name: String {
    switch self {
    case .utf16: "UTF-16"
    case .windows1252: "Windows-1252 (Latin-1)"
    }
  }

  /// Detects UTF-16 by its byte order mark or by NUL bytes at the beginning; nil for anything else.
  init?(beginning bytes: UnsafeRawBufferPointer) {
    if bytes.starts(with: [0xFF, 0xFE]) {
      self = .utf16(isBigEndian: false)
    } else if bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16(isBigEndian: true)
    } else {
      guard bytes.count >= Self.beginning else { return nil }
      let isZero = bytes.prefix(Self.beginning).map { $0 == 0 }
      switch isZero {
      case [false, true, false, true]: self = .utf16(isBigEndian: false)
      case [true, false, true, false]: self = .utf16(isBigEndian: true)
      default: return nil
      }
    }
  }

  static let beginning = 4
}

/// Converts a text to UTF-8, piece by piece.
struct TextConverter {
  let encoding: TextEncoding
  /// The incomplete character at the end of a piece.
  private var rest: [UInt8] = []

  init(_ encoding: TextEncoding) { self.encoding = encoding }

  /// Converts the next piece, which is the last one if `isWhole`; nil if it is not text in the encoding.
  mutating func convert(_ piece: UnsafeRawBufferPointer, isWhole: Bool) -> [UInt8]? {
    switch encoding {
    case .windows1252: Self.windows1252(piece)
    case .utf16(let isBigEndian): utf16(piece, isBigEndian, isWhole: isWhole)
    }
  }

  private mutating func utf16(
    _ piece: UnsafeRawBufferPointer, _ isBigEndian: Bool, isWhole: Bool
  ) -> [UInt8]? {
    let bytes = rest + piece
    var units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let first = UInt16(bytes[index])
      let second = UInt16(bytes[index + 1])
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    var used = 2 * units.count
    // A lead surrogate at the end waits for the next piece.
    if let last = units.last, UTF16.isLeadSurrogate(last), !isWhole {
      units.removeLast()
      used -= 2
    }
    rest = Array(bytes[used...])
    guard !isWhole || rest.isEmpty, !units.contains(0) else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(units.count)
    let isBroken = transcode(
      units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
    ) { text.append($0) }
    return isBroken ? nil : text
  }

  /// The characters of the bytes 0x80 to 0x9F; 0 for unassigned ones.
  private static let printed: [UInt16] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
  ]

  private static func windows1252(_ piece: UnsafeRawBufferPointer) -> [UInt8]? {
    var text: [UInt8] = []
    text.reserveCapacity(piece.count + piece.count / 8)
    for byte in piece {
      if byte < 0x80 {
        // Text has no control characters except tabs and line ends.
        guard
          byte >= ASCII.space || ASCII.isBlank(byte) || byte == ASCII.lineFeed
            || byte == ASCII.carriageReturn
        else { return nil }
        text.append(byte)
      } else {
        let unit = byte < 0xA0 ? printed[Int(byte - 0x80)] : UInt16(byte)
        guard unit > 0, let scalar = Unicode.Scalar(unit) else { return nil }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
    return text
  }
}

extension FindingLog {
  package func conversion(from encoding: TextEncoding, at place: Place) -> Diagnostic {
    finding(
      .encodingConverted, at: place, "the file is not UTF-8; it was read as \(encoding.name)",
      remedy: "check names with accents; saving the file as UTF-8 makes the encoding certain")
  }
}
