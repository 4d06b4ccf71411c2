import Foundation
import StudyData

/// Reads an export of Apple Health element by element, so that it may be of any size.
///
/// It reads the XML that exports have and no more: elements with attributes, text, comments and CDATA, behind a declaration
/// and a document type, which is passed over with the entities that it may declare. There is no processing instruction,
/// and a piece of markup (a tag, a comment, and so on) must not be longer than ``limit``; those of real exports have a
/// few hundred bytes. Foundation's parser would need guards around it: on Linux it ends the process at names that are
/// not UTF-8, at `<?x?>` and at declarations of attributes without a default, goes on behind errors, and takes time
/// with the square of the number of attributes of an element.
struct HealthParser {
  struct Person {
    var sex: String?
    var dateOfBirth: String?
  }

  /// The longest piece of markup, in bytes, from `<` to `>`.
  static let limit = 1 << 16
  /// How deep elements may lie in each other; those of exports, four.
  private static let depth = 256

  private enum State {
    case text
    /// Within `&...;` in a text.
    case reference
    /// Within markup that so far says nothing else than that it is a tag.
    case tag
    /// Within an attribute's value, up to this quote.
    case value(quote: UInt8)
    case comment
    case characters
    /// Within `<?xml ... ?>`.
    case declaration
  }

  private let stream: InputStream
  private let file: String
  private let takePerson: (Person) throws -> Void
  private let takeRecord: ([String: String], _ line: Int) throws -> Void

  private var state = State.text
  /// The markup so far; of comments and CDATA only how they open.
  private var markup: [UInt8] = []
  private var length = 0
  /// The last two bytes, from the opening of a comment or CDATA on: what opens it does not close it.
  private var last: (UInt8, UInt8) = (0, 0)
  /// How many `<` of a document type are open.
  private var documentType = 0
  /// The elements that are open, and whether there was one.
  private var open: [String] = []
  private var hasRoot = false
  /// Where the markup began, and where the next byte is.
  private var begin = Place.start
  private var line = 1
  private var column = 1
  /// The bytes that may begin a character which the last block ended in, and where they are.
  private var rest: [UInt8] = []
  private var restBegin = Place.start

  /// Prepares to read a stream; what is found in it is handed over as it comes.
  init(
    _ stream: InputStream, file: String,
    person: @escaping (Person) throws -> Void,
    record: @escaping ([String: String], _ line: Int) throws -> Void
  ) {
    self.stream = stream
    self.file = file
    takePerson = person
    takeRecord = record
  }

  /// Reads to the end.
  ///
  /// - Throws: ``HealthFinding`` if it is no export, or what the handlers throw.
  mutating func parse() throws {
    stream.open()
    defer { stream.close() }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = stream.read(&buffer, maxLength: buffer.count)
      guard count >= 0 else {
        throw finding(.unreadable, at: nil, "the rest of the file cannot be read")
      }
      if count == 0 { return try finish() }
      if place == .start { try requireUTF8(buffer[..<count]) }
      try take(buffer[..<count])
    }
  }

  mutating func take(_ block: ArraySlice<UInt8>) throws {
    try checkText(block, isWhole: false)
    for byte in block { try take(byte) }
  }

  mutating func finish() throws {
    try checkText([], isWhole: true)
    guard case .text = state, hasRoot, open.isEmpty else {
      throw place == .start || !hasRoot && documentType > 0
        ? finding(.notXML, at: nil, "the file is empty or not XML") : notXML
    }
  }

  private var place: Place { Place(line: line, column: column) }

  private func finding(
    _ code: HealthFinding.Code, at place: Place?, _ message: String
  ) -> HealthFinding {
    HealthFinding(
      code: code, file: file, line: place?.line, column: place?.column, message: message)
  }

  private var notXML: HealthFinding {
    HealthFinding(
      code: .notXML, file: file, line: line,
      message: "the file is not XML from here on, or ends here")
  }

  // MARK: Characters

  /// UTF-16 and UTF-32 have a byte order mark, or NUL in every character of the markup.
  private func requireUTF8(_ bytes: ArraySlice<UInt8>) throws {
    guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]),
      !bytes.prefix(4).contains(0)
    else { throw otherEncoding }
  }

  private var otherEncoding: HealthFinding {
    finding(.encoding, at: nil, "the text is not UTF-8")
  }

  private mutating func checkText(_ block: ArraySlice<UInt8>, isWhole: Bool) throws {
    let begin = rest.isEmpty ? place : restBegin
    let bytes = rest + block
    try bytes.withUnsafeBytes { text in
      do throws(UTF8Text.Problem) {
        let count = try UTF8Text.checkedLength(of: text, from: begin, isWhole: isWhole)
        rest = Array(text[count...])
        if !rest.isEmpty {
          restBegin = begin.advanced(over: UnsafeRawBufferPointer(rebasing: text[..<count]))
        }
      } catch {
        throw finding(.encoding, at: error.place, error.message)
      }
    }
  }

  private mutating func take(_ byte: UInt8) throws {
    // Control characters, and U+FFFE and U+FFFF.
    if byte < 0x20 && !Self.isBlank(byte)
      || byte >= 0xBE && last == (0xEF, 0xBF) && byte <= 0xBF
    {
      throw finding(.notXML, at: place, "there is a character that XML does not have")
    }
    if case .text = state { try takeText(byte) } else { try takeMarkup(byte) }
    last = (last.1, byte)
    if byte == 0x0A {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {  // Bytes that continue a character are no columns.
      column += 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func takeText(_ byte: UInt8) throws {
    switch byte {
    case UInt8(ascii: "<"):
      state = .tag
      begin = place
      markup = [byte]
      length = 1
    case UInt8(ascii: "&") where !open.isEmpty:
      state = .reference
      begin = place
      markup.removeAll(keepingCapacity: true)
      length = 0
    case UInt8(ascii: ">") where last == (UInt8(ascii: "]"), UInt8(ascii: "]")): throw notXML
    default:
      guard open.isEmpty, !Self.isBlank(byte) else { return }
      // Around the root are only blanks, and a mark of the byte order before all.
      let isMark = [0xEF, 0xBB, 0xBF].contains(byte) && line == 1 && column <= 2
      guard isMark, !hasRoot else { throw notXML }
    }
  }

  // MARK: Markup

  private mutating func takeMarkup(_ byte: UInt8) throws {
    length += 1
    guard length <= Self.limit || documentType > 0 else {
      throw finding(
        .markup, at: begin, "an element or a comment is longer than \(Self.limit) bytes")
    }
    switch (state, byte) {
    case (.text, _): break
    case (.reference, UInt8(ascii: ";")):
      guard Self.character(String(decoding: markup, as: UTF8.self)) != nil else { throw notXML }
      state = .text
    case (.reference, _):
      guard length <= Self.longestReference else { throw notXML }
      markup.append(byte)
    case (.comment, _): try takeCharacters(byte, until: UInt8(ascii: "-"))
    case (.characters, _): try takeCharacters(byte, until: UInt8(ascii: "]"))
    case (.tag, UInt8(ascii: "<")) where documentType > 0:
      documentType += 1
      markup = [byte]
    case (_, UInt8(ascii: "<")) where documentType == 0:
      throw finding(.notXML, at: place, "a < stands within an element's tag")
    case (.tag, UInt8(ascii: ">")) where documentType > 0:
      documentType -= 1
      markup = []
      if documentType == 0 { state = .text }
    case (.tag, UInt8(ascii: ">")):
      state = .text
      try takeTag()
    case (.tag, UInt8(ascii: "\"")), (.tag, UInt8(ascii: "'")):
      state = .value(quote: byte)
      keep(byte)
    case (.tag, _):
      keep(byte)
      if markup.count > 1, markup[1] == UInt8(ascii: "!") || markup[1] == UInt8(ascii: "?") {
        try noteOpening()
      }
    case (.value(let quote), _):
      keep(byte)
      if byte == quote { state = .tag }
    case (.declaration, _):
      markup.append(byte)
      try takeDeclaration()
    }
  }

  /// Keeps a byte of a tag; of a document type only what may open a comment.
  private mutating func keep(_ byte: UInt8) {
    if documentType == 0 || markup.count < 9 { markup.append(byte) }
  }

  /// The bytes behind `<` say what the markup is, where it is no tag.
  private mutating func noteOpening() throws {
    switch markup {
    case Array("<?".utf8):
      // A mark of the byte order may stand before it.
      guard begin.line == 1, begin.column <= 2, documentType == 0 else { throw instruction }
      state = .declaration
    case Array("<!--".utf8): state = .comment
    case Array("<![CDATA[".utf8) where !open.isEmpty: state = .characters
    case Array("<!DOCTYPE".utf8) where !hasRoot && documentType == 0: documentType = 1
    default: return
    }
    last = (0, 0)
  }

  /// What is in comments and CDATA counts for nothing.
  private mutating func takeCharacters(_ byte: UInt8, until mark: UInt8) throws {
    if byte == UInt8(ascii: "?"), last.1 == UInt8(ascii: "<") { throw instruction }
    guard byte == UInt8(ascii: ">"), last == (mark, mark) else { return }
    markup = []
    if documentType > 0 { documentType -= 1 }
    state = documentType > 0 ? .tag : .text
  }

  private var instruction: HealthFinding {
    finding(.markup, at: place, "there is a processing instruction, as in no export")
  }

  private mutating func takeDeclaration() throws {
    let opening = Array("<?xml ".utf8)
    if markup.count == opening.count, Self.isBlank(markup[5]) { markup[5] = opening[5] }
    guard markup.count > opening.count || opening.starts(with: markup) else { throw instruction }
    guard markup.suffix(2).elementsEqual("?>".utf8) else { return }
    state = .text
    let text = String(decoding: markup, as: UTF8.self).lowercased()
    guard let encoding = text.firstRange(of: "encoding") else { return }
    // Those whose markup is that of UTF-8 byte by byte.
    let names = ["\"utf-8\"", "'utf-8'", "\"us-ascii\"", "'us-ascii'"]
    let name = text[encoding.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    guard names.contains(where: { name.hasPrefix($0) }) else { throw otherEncoding }
  }

  // MARK: Elements

  private mutating func takeTag() throws {
    var tag = markup.dropFirst()
    if tag.first == UInt8(ascii: "/") {
      let name = tag.dropFirst().prefix { !Self.isBlank($0) }
      guard tag.dropFirst(1 + name.count).allSatisfy(Self.isBlank),
        open.popLast()?.utf8.elementsEqual(name) == true
      else { throw notXML }
      return
    }
    let isEmpty = tag.last == UInt8(ascii: "/")
    if isEmpty { tag = tag.dropLast() }
    guard let name = Self.takeName(&tag), let attributes = Self.attributes(tag),
      open.count < Self.depth, !hasRoot || !open.isEmpty
    else { throw notXML }
    if open.isEmpty, name != "HealthData" {
      throw HealthFinding(
        code: .root, file: file, line: line,
        message: "the file begins with \(name), not with HealthData")
    }
    hasRoot = true
    if name == "Record" {
      try takeRecord(attributes, line)
    } else if name == "Me" {
      try takePerson(
        Person(
          sex: attributes["HKCharacteristicTypeIdentifierBiologicalSex"],
          dateOfBirth: attributes["HKCharacteristicTypeIdentifierDateOfBirth"]))
    }
    if !isEmpty { open.append(name) }
  }

  private static func takeName(_ bytes: inout ArraySlice<UInt8>) -> String? {
    let name = bytes.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") }
    bytes = bytes.dropFirst(name.count)
    let isName = name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "."), 0x80...:
        true
      default: false
      }
    }
    let begins = name.first.map { !(UInt8(ascii: "-")...UInt8(ascii: "9") ~= $0) } ?? false
    return isName && begins ? String(decoding: name, as: UTF8.self) : nil
  }

  /// The attributes of a tag behind its name; nil if it is not well-formed.
  private static func attributes(_ tag: ArraySlice<UInt8>) -> [String: String]? {
    var (attributes, rest) = ([String: String](), tag)
    while true {
      let blanks = rest.prefix(while: isBlank).count
      rest = rest.dropFirst(blanks)
      guard !rest.isEmpty else { return attributes }
      guard blanks > 0, let name = takeName(&rest) else { return nil }
      rest = rest.drop(while: isBlank)
      guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
      rest = rest.drop(while: isBlank)
      guard let quote = rest.popFirst(), [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(quote),
        let end = rest.firstIndex(of: quote), let value = value(rest[..<end]),
        attributes.updateValue(value, forKey: name) == nil
      else { return nil }
      rest = rest[(end + 1)...]
    }
  }

  /// The value of an attribute: references are replaced, and line ends and tabs are blanks. Nil if it has a reference
  /// to nothing.
  private static func value(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "&") }) else { return text }
    var value = String.UnicodeScalarView()
    var reference: String?
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case ";" where reference != nil:
        guard let character = character(reference ?? "") else { return nil }
        value.append(character)
        reference = nil
      case _ where reference != nil: reference?.unicodeScalars.append(scalar)
      case "&": reference = ""
      case "\n" where previous == "\r": break
      case "\n", "\r", "\t": value.append(" ")
      default: value.append(scalar)
      }
      previous = scalar
    }
    return reference == nil ? String(value) : nil
  }

  private static let entities: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]
  private static let longestReference = 16

  /// The character that a reference means, by its name or number; nil if there is none.
  private static func character(_ reference: String) -> Unicode.Scalar? {
    guard reference.hasPrefix("#") else { return entities[reference] }
    let isHexadecimal = reference.hasPrefix("#x")
    let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
    guard digits.allSatisfy(\.isHexDigit),
      let scalar = UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init),
      scalar.value >= 0x20 || ["\t", "\n", "\r"].contains(scalar),
      ![0xFFFE, 0xFFFF].contains(scalar.value)
    else { return nil }
    return scalar
  }
}
