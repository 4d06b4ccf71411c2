import StudyData

/// Looks at XML, block by block, before a parser does, and lets through only what parsers are made for.
///
/// Foundation's parser on Linux ends the process where a byte of a name is not UTF-8, at a processing instruction
/// without content (`<?x?>`) and at declarations of attributes without a default, and takes time with the square of
/// the number of attributes of an element. It also goes on behind errors, and then takes for markup what was within
/// a value or a comment. So text must be UTF-8 without characters that XML has not, no `<` may stand in a tag, there
/// is no instruction but the declaration that XML begins with, and a piece of markup (an element's tag, a comment,
/// and so on) must not be longer than ``limit``; those of real exports have a few hundred bytes.
struct MarkupCheck {
  /// Why the text goes no further.
  struct Problem: Error {
    var code: HealthFinding.Code
    var line: Int
    var column: Int
    var message: String
  }

  /// The longest piece of markup, in bytes, from `<` to `>`.
  static let limit = 1 << 16

  private enum State {
    case text
    /// Within markup that so far says nothing else than that it is a tag.
    case tag
    /// Within an attribute's value, up to this quote.
    case value(quote: UInt8)
    case comment
    case characters
    /// Within the declaration, with so many bytes of `xml` and the blank behind it.
    case declaration(length: Int)
  }

  private var state = State.text
  /// The length of the piece of markup so far, and its first bytes and last bytes.
  private var length = 0
  private var opening: [UInt8] = []
  private var last: (UInt8, UInt8) = (0, 0)
  /// The two bytes before, whatever they were.
  private var before: (UInt8, UInt8) = (0, 0)
  /// Where the markup began, and where the next byte is, as a count of line feeds and of bytes since.
  private var begin = (line: 1, column: 1)
  private var line = 1
  private var column = 1
  /// The bytes that may begin a character which the last block ended in, and where they are.
  private var rest: [UInt8] = []
  private var restBegin = Place.start

  /// Checks the next bytes.
  ///
  /// - Parameter isWhole: Whether none follow.
  /// - Throws: ``Problem`` for what must not go on to a parser.
  mutating func check(_ block: UnsafeRawBufferPointer, isWhole: Bool) throws(Problem) {
    try checkText(block, isWhole: isWhole)
    for byte in block { try take(byte) }
  }

  private mutating func checkText(
    _ block: UnsafeRawBufferPointer, isWhole: Bool
  ) throws(Problem) {
    let begin = rest.isEmpty ? Place(line: line, column: column) : restBegin
    let bytes = rest + block
    let checked = bytes.withUnsafeBytes { bytes in
      Result { () throws(UTF8Text.Problem) in
        try UTF8Text.checkedLength(of: bytes, from: begin, isWhole: isWhole)
      }
    }
    do throws(UTF8Text.Problem) {
      let count = try checked.get()
      rest = Array(bytes[count...])
      guard !rest.isEmpty else { return }
      restBegin = bytes.withUnsafeBytes { begin.advanced(over: $0[..<count]) }
    } catch {
      throw Problem(
        code: .encoding, line: error.place.line, column: error.place.column, message: error.message)
    }
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8) throws(Problem) {
    // Control characters, and U+FFFE and U+FFFF.
    if byte < 0x20 && ![0x09, 0x0A, 0x0D].contains(byte)
      || byte >= 0xBE && before == (0xEF, 0xBF) && byte <= 0xBF
    {
      throw Problem(
        code: .notXML, line: line, column: column,
        message: "there is a character that XML does not have")
    }
    before = (before.1, byte)
    if case .text = state {
      if byte == UInt8(ascii: "<") { beginMarkup() }
    } else {
      try takeMarkup(byte)
    }
    if byte == 0x0A {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {  // Bytes that continue a character are no columns.
      column += 1
    }
  }

  private mutating func beginMarkup() {
    state = .tag
    begin = (line, column)
    length = 1
    opening.removeAll(keepingCapacity: true)
    last = (0, 0)
  }

  private mutating func takeMarkup(_ byte: UInt8) throws(Problem) {
    length += 1
    guard length <= Self.limit else {
      throw Problem(
        code: .markup, line: begin.line, column: begin.column,
        message: "an element or a comment is longer than \(Self.limit) bytes")
    }
    switch state {
    case .text: break
    case .tag:
      if length == 2 || !opening.isEmpty { try noteOpening(byte) }
      if case .tag = state {
        try refuseOpening(byte)
        if byte == UInt8(ascii: ">") {
          state = .text
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          state = .value(quote: byte)
        }
      }
    case .value(let quote):
      try refuseOpening(byte)
      if byte == quote { state = .tag }
    case .comment:
      try refuseInstruction(byte)
      if byte == UInt8(ascii: ">"), last == (UInt8(ascii: "-"), UInt8(ascii: "-")) { state = .text }
    case .characters:
      try refuseInstruction(byte)
      if byte == UInt8(ascii: ">"), last == (UInt8(ascii: "]"), UInt8(ascii: "]")) { state = .text }
    case .declaration(let length):
      try refuseOpening(byte)
      if length < Self.declaration.count {
        let expected = Self.declaration[length]
        guard byte == expected || expected == 0x20 && [0x09, 0x0A, 0x0D].contains(byte) else {
          throw instruction
        }
        state = .declaration(length: length + 1)
      } else if byte == UInt8(ascii: ">"), last.1 == UInt8(ascii: "?") {
        state = .text
      }
    }
    last = (last.1, byte)
  }

  private func refuseOpening(_ byte: UInt8) throws(Problem) {
    guard byte == UInt8(ascii: "<") else { return }
    throw Problem(
      code: .notXML, line: line, column: column, message: "a < stands within an element's tag")
  }

  private func refuseInstruction(_ byte: UInt8) throws(Problem) {
    guard byte == UInt8(ascii: "?"), last.1 == UInt8(ascii: "<") else { return }
    throw instruction
  }

  private var instruction: Problem {
    Problem(
      code: .markup, line: line, column: column,
      message: "there is a processing instruction, as in no export")
  }

  /// The bytes behind `<` say what the markup is, where it is no tag.
  private mutating func noteOpening(_ byte: UInt8) throws(Problem) {
    guard length > 2 || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?"),
      opening.count < Self.longestOpening
    else { return }
    opening.append(byte)
    if opening.elementsEqual("?".utf8) {
      // A mark of the byte order may stand before it.
      guard begin.line == 1, begin.column <= 2 else { throw instruction }
      state = .declaration(length: 0)
    } else if opening.elementsEqual("!--".utf8) {
      state = .comment
    } else if opening.elementsEqual("![CDATA[".utf8) {
      state = .characters
    } else {
      return
    }
    // What opens it does not close it.
    last = (0, 0)
  }

  private static let declaration = Array("xml ".utf8)
  private static let longestOpening = "![CDATA[".utf8.count
}
