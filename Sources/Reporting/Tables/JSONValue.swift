import StudyData
import StudyFiles

/// A JSON value whose objects keep the order of their keys, as a reader of results wants them.
///
/// `JSONEncoder` sorts keys or has them in any order, refuses numbers that are not finite, and lays out everything or
/// nothing over lines.
public enum JSONValue: Sendable {
  /// Named values in order.
  public typealias Members = [(key: String, value: JSONValue)]

  case null
  case bool(Bool)
  /// A whole number.
  case integer(Int)
  /// A number; one that is not finite is written as null, since JSON has no other.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(Members)

  /// The value as a document: two levels laid out over lines, what is deeper on one line each, and a
  /// line feed at the end.
  public var document: String { written(expandedLevels: 2) + "\n" }

  /// The value on one line, words without quotes.
  package var inline: String { if case .string(let text) = self { text } else { line } }

  /// The value on one line.
  public var line: String { written(expandedLevels: 0) }

  private func written(expandedLevels: Int) -> String {
    var text = ""
    write(to: &text, expandedLevels: expandedLevels)
    return text
  }

  /// Writes the value, so many levels of it laid out over lines.
  func write(
    to text: inout some TextOutputStream, expandedLevels: Int = 0, indent: String = ""
  ) {
    switch self {
    case .null: text.write("null")
    case .bool(let bool): text.write(bool ? "true" : "false")
    case .integer(let integer): text.write(String(integer))
    case .number(let number) where number.isFinite: number.write(to: &text)
    case .number: text.write("null")
    case .string(let words): text.write(words.jsonLiteral)
    case .array(let values):
      Self.write(values.map { (nil, $0) }, "[", "]", to: &text, expandedLevels, indent)
    case .object(let members):
      Self.write(members.map { ($0, $1) }, "{", "}", to: &text, expandedLevels, indent)
    }
  }

  private static func write(
    _ items: [(key: String?, value: JSONValue)], _ open: String, _ close: String,
    to text: inout some TextOutputStream, _ expandedLevels: Int, _ indent: String
  ) {
    let isExpanded = expandedLevels > 0 && !items.isEmpty
    let inner = indent + "  "
    text.write(open)
    for (index, (key, value)) in items.enumerated() {
      if isExpanded {
        text.write((index == 0 ? "\n" : ",\n") + inner)
      } else if index > 0 {
        text.write(", ")
      }
      if let key { text.write(key.jsonLiteral + ": ") }
      value.write(to: &text, expandedLevels: expandedLevels - 1, indent: inner)
    }
    text.write(isExpanded ? "\n" + indent + close : close)
  }
}

// Literals, so that a document in Swift looks like what is written.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral bool: Bool) { self = .bool(bool) }
  public init(integerLiteral integer: Int) { self = .integer(integer) }
  public init(stringLiteral text: String) { self = .string(text) }
  public init(arrayLiteral values: JSONValue...) { self = .array(values) }
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { ($0, $1) })
  }
}

extension JSONValue {
  /// The text, or null.
  package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }

  /// The number, or null.
  package init(_ number: Double?) { self = number.map(JSONValue.number) ?? .null }
}

extension JSONValue: Codable {
  private struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes any JSON; the members of an object are in the order of their names.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: MemberKey.self) {
      let keys = container.allKeys.sorted { $0.stringValue < $1.stringValue }
      self = .object(
        try keys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) })
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else {
      self = .array(try container.decode([JSONValue].self))
    }
  }

  /// Encodes the value; a number that is not finite is null.
  public func encode(to encoder: any Encoder) throws {
    if case .object(let members) = self {
      var container = encoder.container(keyedBy: MemberKey.self)
      for (key, value) in members {
        try container.encode(value, forKey: MemberKey(stringValue: key))
      }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null, .object: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number.isFinite ? number : nil)
    case .string(let text): try container.encode(text)
    case .array(let values): try container.encode(values)
    }
  }
}
