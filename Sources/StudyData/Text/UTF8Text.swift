/// Checks that bytes are text as study files hold it: UTF-8 without NUL.
package enum UTF8Text {
  package struct Problem: Error, Equatable {
    /// The place of the first offending byte.
    package var place: Place
    package var message: String

    package init(place: Place, message: String) {
      self.place = place
      self.message = message
    }
  }

  package static func check(_ bytes: UnsafeRawBufferPointer) throws(Problem)
    -> UnsafeRawBufferPointer
  {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Problem(place: .start, message: "the file is UTF-16")
    }
    // Without the byte order mark.
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let text = UnsafeRawBufferPointer(rebasing: bytes[start...])
    _ = try checkedLength(of: text, isWhole: true)
    return text
  }

  /// The bytes of a piece of text, which begins at a place, that make up whole characters.
  package static func checkedLength(
    of text: UnsafeRawBufferPointer, from start: Place = .start, isWhole: Bool
  ) throws(Problem) -> Int {
    var isASCII = true
    return try checkedLength(of: text, from: start, isWhole: isWhole, isASCII: &isASCII)
  }

  /// The length of whole characters; `isASCII` becomes false if any is not ASCII.
  package static func checkedLength(
    of text: UnsafeRawBufferPointer, from start: Place, isWhole: Bool, isASCII: inout Bool
  ) throws(Problem) -> Int {
    var offset = 0
    while true {
      offset = skipASCII(in: text, from: offset)
      guard offset < text.count else { return offset }
      guard let length = scalarLength(in: text, at: offset) else {
        // With the bytes that follow, the last few may become a character yet.
        if !isWhole, text[offset] != 0, text.count - offset < 4 { return offset }
        let place = start.advanced(over: text[..<offset])
        throw Problem(place: place, message: describe(text[offset]))
      }
      isASCII = false
      offset += length
    }
  }

  /// Offset of the first byte that is NUL or not ASCII.
  private static func skipASCII(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
    typealias Chunk = SIMD4<UInt64>
    let ones = Chunk(repeating: 0x0101_0101_0101_0101)
    var offset = start
    while offset + 32 <= text.count {
      let chunk = text.loadUnaligned(fromByteOffset: offset, as: Chunk.self)
      // A byte's high bit is left standing where it was set, or where the byte is 0.
      let high = chunk | (chunk &- ones)
      if (high[0] | high[1] | high[2] | high[3]) & 0x8080_8080_8080_8080 != 0 { break }
      offset += 32
    }
    while offset < text.count, 1..<0x80 ~= text[offset] { offset += 1 }
    return offset
  }

  /// The number of bytes of the scalar at an offset; nil if there is none, or NUL.
  private static func scalarLength(in text: UnsafeRawBufferPointer, at offset: Int) -> Int? {
    guard text[offset] != 0 else { return nil }
    // Four bytes are enough for any scalar; more would only be buffered by the parser.
    var bytes = text[offset..<min(offset + 4, text.count)].makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    guard case .valid(let scalar) = parser.parseScalar(from: &bytes) else { return nil }
    return scalar.count
  }

  private static func describe(_ byte: UInt8) -> String {
    if byte == 0 { return "a NUL byte (the file may be UTF-16, or no text at all)" }
    return "byte 0x\(String(byte, radix: 16, uppercase: true)) is not UTF-8"
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes end in the beginning of a character of UTF-8 that has more bytes.
  package var endsWithinScalar: Bool {
    let tail = suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
    guard tail < count else { return false }
    switch self[count - 1 - tail] {
    case 0xC2...0xDF: return tail < 1
    case 0xE0...0xEF: return tail < 2
    case 0xF0...0xF4: return tail < 3
    default: return false
    }
  }
}

/// Text in UTF-8 that comes in blocks, for the study day's reader of XML.
@_spi(StudyDay) public struct UTF8Blocks {
  /// The first place where a text is not UTF-8.
  public struct InvalidText: Error {
    public let line, column: Int
    public let message: String
  }

  /// The place where the next block begins.
  private var position = Place.start

  public init() {}

  /// Checks the next block, and returns the number of bytes that make up whole characters: all,
  /// unless it ends within one.
  public mutating func validate(
    _ block: UnsafeRawBufferPointer, isLast: Bool
  ) throws(InvalidText) -> Int {
    do throws(UTF8Text.Problem) {
      let length = try UTF8Text.checkedLength(of: block, from: position, isWhole: isLast)
      position = position.advanced(over: block[..<length])
      return length
    } catch {
      throw InvalidText(
        line: error.place.line, column: error.place.column, message: error.message)
    }
  }
}
