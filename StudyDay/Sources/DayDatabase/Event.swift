public import Foundation
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyFiles

/// A change: who made it, when, where, of what, and why.
public struct Event: Encodable, Hashable, Sendable {
  /// Its number: 1, 2, 3, without gaps.
  public var seq: Int64 = 0
  /// Made where it was entered, so that sending it twice changes nothing.
  public var uuid: UUID
  /// Time of storage on the server's clock, in ms since 1970.
  public var at: Int64 = 0
  /// Time by the device's own clock, in ms since 1970.
  public var device: Int64?
  /// Correction that is added to the device's time, in ms.
  public var clockOffset: Int64?
  public var actor: String
  /// The station, where a token belongs to one.
  public var station: String?
  /// Account that issued the actor's link or token; nil if nobody was signed in.
  public var issuer: String?
  /// Action, such as `reading.enter`.
  public var action: String
  /// Name of the subject that the data belong to.
  public var subject: String?
  /// The thing that changed.
  public var record: UUID?
  /// Value before the change, as JSON with sorted keys.
  public var old: String?
  /// Value after the change, as JSON with sorted keys.
  public var new: String?
  /// Why; required for corrections.
  public var reason: String?
  /// The hash of the event before, 32 bytes; zeros before the first.
  public var previous = Data(count: 32)
  /// The SHA-256 of `previous` and ``canonical``.
  public var hash = Data()

  /// Describes a change; ``EventLog/append(_:at:in:)`` adds its number, its time and the hashes.
  public init(
    uuid: UUID = UUID(), device: Int64? = nil, clockOffset: Int64? = nil, actor: String,
    station: String? = nil, issuer: String? = nil, action: String, subject: String? = nil,
    record: UUID? = nil,
    old: EventValue? = nil, new: EventValue? = nil, reason: String? = nil
  ) {
    self.uuid = uuid
    self.device = device
    self.clockOffset = clockOffset
    self.actor = actor
    self.station = station
    self.issuer = issuer
    self.action = action
    self.subject = subject
    self.record = record
    self.old = old?.text
    self.new = new?.text
    self.reason = reason
  }
}

extension Event {
  /// Canonical JSON that is hashed together with the previous hash: an object of all other columns that are not
  /// null, with sorted keys, without blanks, UUIDs in lower case.
  public var canonical: String {
    // In the order of the keys.
    let members: [(key: String, value: EventValue?)] = [
      ("action", .text(action)), ("actor", .text(actor)), ("at_ms", .integer(at)),
      ("clock_offset_ms", clockOffset.map(EventValue.integer)),
      ("device_ms", device.map(EventValue.integer)), ("issuer", issuer.map(EventValue.text)),
      ("new", new.map(EventValue.text)),
      ("old", old.map(EventValue.text)), ("reason", reason.map(EventValue.text)),
      ("record", record.map { .text($0.text) }), ("seq", .integer(seq)),
      ("station", station.map(EventValue.text)), ("subject", subject.map(EventValue.text)),
      ("uuid", .text(uuid.text)),
    ]
    var text = ""
    for case (let key, let value?) in members {
      text += "\(text.isEmpty ? "{" : ",")\"\(key)\":\(value.text)"
    }
    return text + "}"
  }

  var expectedHash: Data { Self.sha256(previous + Data(canonical.utf8)) }

  /// The SHA-256 of bytes, 32 bytes.
  package static func sha256(_ bytes: Data) -> Data {
    Data(Digest.sha256(of: bytes))
  }
}

extension Data {
  /// The bytes as hexadecimal digits, two each.
  package var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

public enum EventValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([EventValue])
  case object([String: EventValue])

  /// Reads JSON; nil for anything else, and for a number that is not finite.
  public init?(_ text: String) {
    var text = text
    guard let value = text.withUTF8({ EventValue(json: UnsafeRawBufferPointer($0)) }) else {
      return nil
    }
    self = value
  }

  /// Reads JSON in UTF-8.
  package init?(json bytes: UnsafeRawBufferPointer) {
    guard let json = JSONText(bytes) else { return nil }
    self.init(json)
  }

  private init(_ json: JSONText) {
    switch json {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .number(let number):
      // Beyond, neighbours in JSON are one number here.
      let isExact = abs(number) <= 0x1p53 && number == number.rounded()
      self = isExact ? .integer(Int64(number)) : .number(number)
    case .string(let text): self = .text(text)
    case .array(let values): self = .array(values.map { EventValue($0) })
    case .object(let members):
      self = .object(
        Dictionary(members.map { ($0.name, EventValue($0.value)) }, uniquingKeysWith: { $1 }))
    }
  }

  /// The JSON, its keys sorted, without blanks. Equal values have equal text.
  public var text: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .number(let number): number.isFinite ? "\(number)" : "null"
    case .text(let text): Self.quoted(text)
    case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{"
        + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        .map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
    }
  }

  /// A member of an object; nil if there is none, or this is no object.
  public subscript(_ key: String) -> EventValue? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  public var string: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  public var flag: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  /// Quotes a string for JSON: only quotation mark, backslash and control characters are escaped (RFC 8259).
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      $0 >= UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard !isPlain else { return "\"\(text)\"" }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case ..<" ":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension EventValue: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}
