import AlcoholKinetics
public import ArgumentParser
import Foundation
import Reporting
import StudyData
import Validation

/// A command whose options are one value, which results, stored runs and golden tables carry whole.
///
/// The compiler encodes a command from its properties as it lets the parser decode one, so that an option
/// is declared once and cannot be missing. The properties are named like the options, with the unit at the
/// end: `--threshold` is `thresholdGPerKg`, and `threshold_g_per_kg` in results.
protocol RecordedCommand: ParsableCommand, Encodable {
  /// The command with what follows from other options, such as the parameters of its model, filled in.
  var filled: Self { get }
  /// How it converts concentrations.
  var factors: ConversionFactors { get }
}

extension RecordedCommand {
  var filled: Self { self }
  var factors: ConversionFactors { ConversionFactors() }

  /// All options with their values, defaults included, in the order of the help.
  var options: [(name: String, value: JSONValue)] {
    get throws { try OptionEncoder.members(of: filled) }
  }

  /// How a result was made.
  ///
  /// - Parameter thresholds: Those that subjects counted as sober by, where the command measures that.
  func provenance(
    inputs: [InputDigest] = [], thresholds: [SobrietyThreshold]? = nil
  ) throws -> Provenance {
    var provenance = Provenance(
      version: Release.version, command: Self.name,
      options: try options + (thresholds.map(SobrietyThreshold.members) ?? []), inputs: inputs,
      factors: factors)
    // Who builds again what was built before states the date (reproducible-builds.org).
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
    provenance.run = Provenance.Run(
      at: epoch.map { Date(timeIntervalSince1970: $0) } ?? Date(),
      ["promille"] + CommandLine.arguments.dropFirst())
    return provenance
  }
}

extension SobrietyThreshold {
  /// The thresholds that were used and where they came from, as results carry them.
  fileprivate static func members(
    of used: [SobrietyThreshold]
  ) -> [(name: String, value: JSONValue)] {
    [
      ("threshold_used_g_per_kg", oneOrAll(used.map(\.concentration.value), JSONValue.number)),
      ("threshold_from", oneOrAll(used.map(\.origin.rawValue), JSONValue.string)),
    ]
  }

  /// The value that all have in common, else the list of values; null without any.
  private static func oneOrAll<Value: Hashable & Comparable>(
    _ values: [Value], _ json: (Value) -> JSONValue
  ) -> JSONValue {
    let different = Set(values).sorted().map(json)
    return different.count > 1 ? .array(different) : different.first ?? .null
  }
}

/// A value of an option that results carry as it was typed.
protocol TypedValue: Encodable {
  var text: String { get }
}

extension TypedValue {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// Options that say where results go, in which format, and how fast. They change no number, and results
/// do not carry them.
protocol DeliveryOptions: ParsableArguments, Encodable {}

extension DeliveryOptions {
  func encode(to encoder: any Encoder) {}
}

extension ParsableArguments where Self: Encodable {
  /// Whether no option says anything but its default.
  var areDefaults: Bool {
    guard let usual = try? Self.parse([]) else { return false }
    return OptionEncoder.text(of: self) == OptionEncoder.text(of: usual)
  }
}

extension Argument: @retroactive Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Option: @retroactive Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Flag: @retroactive Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension OptionGroup: @retroactive Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// Makes JSON of options in their order, those of a group among those of the command.
private final class OptionEncoder: Encoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  /// What has been encoded; nil for options that results do not carry.
  fileprivate var value: JSONValue?

  static func members(of options: some Encodable) throws -> [(name: String, value: JSONValue)] {
    guard case .object(let members) = try json(options) else { return [] }
    return members.map { ($0.key, $0.value) }
  }

  static func text(of options: some Encodable) -> String? { try? json(options)?.line }

  fileprivate static func json(_ value: some Encodable) throws -> JSONValue? {
    switch value {
    case let bool as Bool: return .bool(bool)
    case let text as String: return .string(text)
    // Readers of JSON round what is beyond 2^53, as seeds may be.
    case let number as UInt64: return .string(String(number))
    case let number as any BinaryInteger: return .integer(Int(number))
    case let number as any BinaryFloatingPoint: return .number(Double(number))
    default:
      let encoder = OptionEncoder()
      try value.encode(to: encoder)
      return encoder.value
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    value = .object([])
    return KeyedEncodingContainer(OptionMembers(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    value = .array([])
    return OptionList(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { OptionScalar(encoder: self) }
}

private struct OptionMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: OptionEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    switch try OptionEncoder.json(value) {
    case nil: break
    case .object(let members)?: append(members)
    case let value?: append([(Self.name(key.stringValue), value)])
    }
  }

  func encodeNil(forKey key: Key) { append([(Self.name(key.stringValue), .null)]) }

  private func append(_ new: [(key: String, value: JSONValue)]) {
    guard case .object(let members) = encoder.value else { return }
    encoder.value = .object(members + new)
  }

  /// `thresholdGPerKg` as `threshold_g_per_kg`.
  private static func name(_ property: String) -> String {
    property.reduce(into: "") { name, letter in
      name += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
    }
  }

  // The values of options are flat.
  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type, forKey: Key
  ) -> KeyedEncodingContainer<Nested> { preconditionFailure("an option with parts") }
  func nestedUnkeyedContainer(forKey: Key) -> any UnkeyedEncodingContainer {
    preconditionFailure("an option with parts")
  }
  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey: Key) -> any Encoder { encoder }
}

private struct OptionList: UnkeyedEncodingContainer {
  let encoder: OptionEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  private var values: [JSONValue] {
    guard case .array(let values) = encoder.value else { return [] }
    return values
  }
  var count: Int { values.count }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.value = .array(values + [try OptionEncoder.json(value) ?? .null])
  }

  func encodeNil() { encoder.value = .array(values + [.null]) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { preconditionFailure("an option with parts") }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    preconditionFailure("an option with parts")
  }
  func superEncoder() -> any Encoder { encoder }
}

private struct OptionScalar: SingleValueEncodingContainer {
  let encoder: OptionEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.value = try OptionEncoder.json(value)
  }

  func encodeNil() { encoder.value = .null }
}
