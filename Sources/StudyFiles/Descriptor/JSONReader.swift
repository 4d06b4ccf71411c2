import Foundation
package import StudyData

/// Reads JSON (RFC 8259) from checked UTF-8, strictly.
package struct JSONReader {
  /// The maximum depth; without a limit, a file of brackets would exhaust the stack.
  private static let maximumDepth = 100

  private let text: UnsafeRawBufferPointer
  private var position = 0
  /// The offset and place of the last value, from which the next place is counted.
  private var mark = (offset: 0, place: Place.start)

  package static func read(file bytes: UnsafeRawBufferPointer) throws(DescriptorProblem) -> JSONNode
  {
    try read(UTF8Text.check(bytes))
  }

  package static func read(_ text: UnsafeRawBufferPointer) throws(DescriptorProblem) -> JSONNode {
    var reader = JSONReader(text: text)
    let node = try reader.readValue(depth: 0)
    guard reader.peek() == nil else { throw reader.problem("text follows the end of the value") }
    return node
  }

  // MARK: Values

  private mutating func readValue(depth: Int) throws(DescriptorProblem) -> JSONNode {
    guard depth < Self.maximumDepth else { throw problem("values are nested too deeply") }
    let first = peek()
    let place = markPlace()
    switch first {
    case UInt8(ascii: "{"):
      return JSONNode(value: .object(try readMembers(depth: depth)), place: place)
    case UInt8(ascii: "["):
      var elements: [JSONNode] = []
      try readList(endingWith: UInt8(ascii: "]")) { reader throws(DescriptorProblem) in
        elements.append(try reader.readValue(depth: depth + 1))
      }
      return JSONNode(value: .array(elements), place: place)
    case ASCII.quote:
      return JSONNode(value: .string(try readString()), place: place)
    default:
      return JSONNode(value: try readWord(), place: place)
    }
  }

  private mutating func readMembers(depth: Int) throws(DescriptorProblem) -> [JSONNode.Member] {
    var members: [JSONNode.Member] = []
    var names: Set<String> = []
    try readList(endingWith: UInt8(ascii: "}")) { reader throws(DescriptorProblem) in
      guard reader.peek() == ASCII.quote else { throw reader.problem("a name is expected here") }
      let place = reader.markPlace()
      let name = try reader.readString()
      guard names.insert(name).inserted else {
        throw DescriptorProblem(
          place: place, message: "the key \(name.quoted) is there twice; keep one of them")
      }
      try reader.skip(UInt8(ascii: ":"))
      let node = try reader.readValue(depth: depth + 1)
      members.append(JSONNode.Member(name: name, place: place, node: node))
    }
    return members
  }

  private mutating func readList(
    endingWith end: UInt8,
    readItem: (inout JSONReader) throws(DescriptorProblem) -> Void
  ) throws(DescriptorProblem) {
    position += 1
    if peek() != end {
      try readItem(&self)
      while peek() == ASCII.comma {
        position += 1
        try readItem(&self)
      }
    }
    try skip(end)
  }

  /// Reads a number or one of the three words.
  private mutating func readWord() throws(DescriptorProblem) -> JSONNode.Value {
    let start = position
    while position < text.count, Self.isWordByte(text[position]) { position += 1 }
    let word = UnsafeRawBufferPointer(rebasing: text[start..<position])
    switch String(decoding: word, as: UTF8.self) {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: break
    }
    guard let number = Self.number(word) else {
      position = start
      throw problem("a value is expected here")
    }
    return .number(number)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    ASCII.isDigit(byte) || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
      || byte == ASCII.plus || byte == ASCII.minus || byte == ASCII.point
  }

  /// Parses a number by the rules of JSON: no leading zero or plus, digits on both sides of a point.
  private static func number(_ word: UnsafeRawBufferPointer) -> Double? {
    let unsigned = word.first == ASCII.minus ? word.dropFirst() : word[...]
    let whole = unsigned.prefix(while: ASCII.isDigit)
    guard whole.count == 1 || whole.first.map({ $0 != ASCII.zero }) == true else { return nil }
    let rest = unsigned.dropFirst(whole.count)
    let hasFraction = rest.dropFirst().first.map(ASCII.isDigit) == true
    guard rest.first != ASCII.point || hasFraction else { return nil }
    return try? DecimalNumber.parse(word)
  }

  // MARK: Strings

  private mutating func readString() throws(DescriptorProblem) -> String {
    position += 1
    var bytes: [UInt8] = []
    while position < text.count, text[position] >= ASCII.space {
      let byte = text[position]
      position += 1
      switch byte {
      case ASCII.quote: return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: try readEscape())
      default: bytes.append(byte)
      }
    }
    throw problem("a string is not closed")
  }

  private mutating func readEscape() throws(DescriptorProblem) -> [UInt8] {
    guard position < text.count else { throw problem("a string is not closed") }
    let escape = text[position]
    position += 1
    if escape == UInt8(ascii: "u") { return try readUnicodeEscape() }
    guard let meant = Self.escapes[Unicode.Scalar(escape)] else {
      position -= 1
      throw problem("a string has an unknown escape")
    }
    return [meant]
  }

  private static let escapes: [Unicode.Scalar: UInt8] = [
    "n": ASCII.lineFeed, "r": ASCII.carriageReturn, "t": ASCII.tab, "b": 0x08, "f": 0x0C,
    "\"": ASCII.quote, "\\": 0x5C, "/": ASCII.slash,
  ]

  /// Reads the digits after `\u`, and a second escape if the first is half of a surrogate pair.
  private mutating func readUnicodeEscape() throws(DescriptorProblem) -> [UInt8] {
    var units = [try readCodeUnit()]
    if UTF16.isLeadSurrogate(units[0]), text[position...].starts(with: Array("\\u".utf8)) {
      position += 2
      units.append(try readCodeUnit())
    }
    guard let character = String(validating: units, as: UTF16.self) else {
      throw problem("a string contains half of a surrogate pair")
    }
    return Array(character.utf8)
  }

  private mutating func readCodeUnit() throws(DescriptorProblem) -> UInt16 {
    let digits = text[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw problem("four hexadecimal digits are expected here") }
    position += 4
    return unit
  }

  // MARK: Places

  /// Skips white space and returns the next byte; nil at the end.
  private mutating func peek() -> UInt8? {
    while position < text.count, Self.isSpace(text[position]) { position += 1 }
    return position < text.count ? text[position] : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    ASCII.isBlank(byte) || byte == ASCII.lineFeed || byte == ASCII.carriageReturn
  }

  private mutating func skip(_ byte: UInt8) throws(DescriptorProblem) {
    guard peek() == byte else { throw problem("\(Unicode.Scalar(byte)) is expected here") }
    position += 1
  }

  private var place: Place { mark.place.advanced(over: text[mark.offset..<position]) }

  private mutating func markPlace() -> Place {
    mark = (position, place)
    return mark.place
  }

  private func problem(_ message: String) -> DescriptorProblem {
    DescriptorProblem(place: place, message: "the file is not JSON: \(message)")
  }
}

/// A JSON value with its place in the file.
///
/// Findings need places, which Foundation's decoders do not provide on every platform.
package struct JSONNode: Sendable {
  package enum Value: Sendable {
    case object([Member])
    case array([JSONNode])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
  }

  package struct Member: Sendable {
    package var name: String
    package var place: Place
    package var node: JSONNode
  }

  package var value: Value
  package var place: Place

  package var isNull: Bool {
    if case .null = value { true } else { false }
  }

  package var members: [Member]? {
    guard case .object(let members) = value else { return nil }
    return members
  }
}

/// A JSON value without its place, for the study day.
@_spi(StudyDay) public enum JSONText {
  case object([(name: String, value: JSONText)])
  case array([JSONText])
  case string(String)
  case number(Double)
  case bool(Bool)
  case null

  /// Reads JSON in UTF-8; nil for anything else.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard let node = try? JSONReader.read(file: bytes) else { return nil }
    self.init(node)
  }

  private init(_ node: JSONNode) {
    switch node.value {
    case .object(let members): self = .object(members.map { ($0.name, JSONText($0.node)) })
    case .array(let nodes): self = .array(nodes.map { JSONText($0) })
    case .string(let text): self = .string(text)
    case .number(let number): self = .number(number)
    case .bool(let flag): self = .bool(flag)
    case .null: self = .null
    }
  }
}

package typealias DescriptorProblem = UTF8Text.Problem

extension InputFile {
  /// Converts the root of a JSON file; throws `StudyError` with the remedy if the file or its content is invalid.
  func json<Value>(
    remedy: String, _ convert: (JSONNode) throws(DescriptorProblem) -> Value
  ) throws(StudyError) -> Value {
    let node = try contents().withUnsafeBytes { bytes in
      Result { () throws(DescriptorProblem) in try JSONReader.read(file: bytes) }
    }
    do throws(DescriptorProblem) {
      return try convert(try node.get())
    } catch {
      throw StudyError(
        .badData, .fileFormat, in: path, at: error.place, message: error.message, remedy: remedy)
    }
  }
}
