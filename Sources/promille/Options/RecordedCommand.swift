import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import StudyData
import Validation

/// A command whose options are one value, which results and golden tables carry whole.
///
/// The parser finds the options of a command by reflection, and so does the record of them: an option is
/// declared once and cannot be missing. The properties are named like the options, with the unit at the
/// end: `--threshold` is `thresholdGPerKg`, and `threshold_g_per_kg` in results.
protocol RecordedCommand: ResultWriting {
  /// The command with what follows from other options, such as the parameters of its model, filled in.
  var filled: Self { get }
  /// How it converts concentrations.
  var factors: ConversionFactors { get }
}

extension RecordedCommand {
  var filled: Self { self }
  var factors: ConversionFactors { ConversionFactors() }

  /// All options with their values, defaults included, in the order of the help.
  var options: [(name: String, value: JSONValue)] { filled.recorded }

  /// How a result was made.
  ///
  /// - Parameter thresholds: Those that subjects counted as sober by, where the command measures that.
  func provenance(
    inputs: [InputDigest] = [], thresholds: [SobrietyThreshold]? = nil
  ) -> Provenance {
    var provenance = Provenance(
      version: Release.version, command: Self.name,
      options: options + (thresholds.map(SobrietyThreshold.members) ?? []), inputs: inputs,
      factors: factors)
    // Who builds again what was built before states the date (reproducible-builds.org).
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
    provenance.run = Provenance.Run(
      at: epoch.map { Date(timeIntervalSince1970: $0) } ?? Date(),
      ["promille"] + Invocation.arguments)
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
protocol TypedValue {
  var text: String { get }
}

/// A value that help shows as it is typed, too.
protocol TypedArgument: ExpressibleByArgument, TypedValue {}

extension TypedArgument {
  var defaultValueDescription: String { text }
}

/// Options that say where results go, in which format, and how fast. They change no number, and results
/// do not carry them.
protocol DeliveryOptions: ParsableArguments {}

/// Options of which results carry some in another way than they were given.
protocol ResolvedOptions: ParsableArguments {
  /// By the names that results have for them.
  var resolved: [String: JSONValue] { get }
}

extension ParsableArguments {
  /// The options as results carry them, those of a group among those of the command.
  fileprivate var recorded: [(name: String, value: JSONValue)] {
    guard !(self is any DeliveryOptions) else { return [] }
    let resolved = (self as? any ResolvedOptions)?.resolved ?? [:]
    return parsed.flatMap { property, value in
      if let group = value as? any ParsableArguments { return group.recorded }
      let name = Self.name(property)
      return [(name, resolved[name] ?? JSONValue(option: value))]
    }
  }

  /// The options and groups of options by their properties, as they were parsed.
  var parsed: [(property: Substring, value: Any)] {
    Mirror(reflecting: self).children.compactMap { property, option in
      // A wrapper is stored behind an underscore.
      guard let property, let option = option as? any ParsedOption else { return nil }
      return (property.dropFirst(), option.value)
    }
  }

  /// `thresholdGPerKg` as `threshold_g_per_kg`.
  private static func name(_ property: Substring) -> String {
    property.reduce(into: "") { name, letter in
      name += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
    }
  }

  /// Whether no option says anything but its default.
  var areDefaults: Bool {
    guard let usual = try? Self.parse([]) else { return false }
    return recorded.map(\.value.line) == usual.recorded.map(\.value.line)
  }
}

/// What the parser keeps behind a property: the option with its value.
private protocol ParsedOption {
  var value: Any { get }
}

extension Argument: ParsedOption { fileprivate var value: Any { wrappedValue } }
extension Option: ParsedOption { fileprivate var value: Any { wrappedValue } }
extension Flag: ParsedOption { fileprivate var value: Any { wrappedValue } }
extension OptionGroup: ParsedOption { fileprivate var value: Any { wrappedValue } }

extension JSONValue {
  /// The value of an option; null for one that was not given and has no default.
  fileprivate init(option value: Any) {
    switch value {
    case let bool as Bool: self = .bool(bool)
    case let text as String: self = .string(text)
    // Readers of JSON round what is beyond 2^53, as seeds may be.
    case let number as UInt64: self = .string(String(number))
    case let number as any BinaryInteger: self = .integer(Int(number))
    case let number as Double: self = .number(number)
    case let typed as any TypedValue: self = .string(typed.text)
    case let word as any RawRepresentable<String>: self = .string(word.rawValue)
    case let list as [Any]: self = .array(list.map(JSONValue.init(option:)))
    default: self = .null
    }
  }
}
