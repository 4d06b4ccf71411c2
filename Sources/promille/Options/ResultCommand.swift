import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Reporting
import StrictOptions
import StudyData
import Validation

/// A command that makes a result from options, which the result carries whole.
///
/// The parser finds the options of a command by reflection, and so does their record: an option is declared once and
/// cannot be missing. Properties are named like the options, with the unit at the end: `--threshold` is `thresholdGPerKg`,
/// and `threshold_g_per_kg` in results. Where options of the library follow from them, the record has what these encode.
protocol ResultCommand: StrictCommand, FileNaming {
  associatedtype Output: ResultOptions
  var output: Output { get }
  /// Endings of the files that it writes with `-o`; nil where it looks at names itself.
  var writtenEndings: [String]? { get }
  /// Members of the record as the options of the library have them, where that is not as they were typed.
  var members: OptionMembers { get }
  /// The factors by which it converts concentrations.
  var factors: ConversionFactors { get }
  /// A suggestion of the next command, in one line; nil if that depends.
  var following: String? { get }
}

extension ResultCommand where Output == OutputOptions {
  var writtenEndings: [String]? { OutputName.ofResults }
}

extension ResultCommand {
  var writtenEndings: [String]? { nil }
  var members: OptionMembers { [] }
  var factors: ConversionFactors { ConversionFactors() }
  var following: String? { nil }
  var console: Console { output.console }
  var namedFiles: [NamedFile] { [] }
  var unused: [UnusedOptions?] { [] }

  /// All options with their values, defaults included, in the order of the help.
  var options: [(name: String, value: JSONValue)] {
    var options = recorded
    for (name, value) in [("blood_breath_ratio", factors.bloodBreathRatio)] + members {
      guard let index = options.firstIndex(where: { $0.name == name }) else { continue }
      let value = JSONValue(option: value)
      if value.line != "null" { options[index].value = value }
    }
    return options
  }

  /// Says how a result was made.
  ///
  /// - Parameter thresholds: The thresholds for sobriety, where the command measures times to
  ///   sobriety.
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

extension UnusedOptions {
  /// The names of options without effect, as typed.
  init?(_ options: IneffectiveOptions) {
    self.init(
      options.names.map { "--" + $0.replacing("_", with: "-") }, if: true, options.reason)
  }
}

extension ResultCommand {
  /// Says what one does next, to somebody at a terminal.
  func suggestFollowing() {
    guard isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1, !output.display.quiet,
      Invocation.errorFormat == .text, !Invocation.isForWorker, let following
    else { return }
    console.suggest(following)
  }

  /// The report of the same study.
  var samePage: String? {
    line(for: ReportCommand.self, adding: ["-o", "report.html"]).map { "the same as a page: \($0)" }
  }

  /// A line to type about the same study: the arguments, and the options that were typed and that the command has, too.
  ///
  /// - Parameters:
  ///   - left: Further options to leave out; those of how this result is shown always are.
  ///   - added: The words that come last.
  /// - Returns: Nil if there is no such line, as where the study was read from standard input.
  func line(
    for command: any ParsableCommand.Type, leaving left: Set<String> = [], adding added: [String]
  ) -> String? {
    let shown: Set<String> = [
      "--output", "--format", "--decimal", "--color", "--quiet", "--summary", "--details", "--jobs",
    ]
    let typed = StrictLine.words(
      of: Array(Invocation.arguments.dropFirst()), to: Self.self, for: command,
      leaving: shown.union(left))
    guard !typed.contains("-") else { return nil }
    // What is added stands before a "--".
    let words = [command.name] + added + typed
    guard (try? Promille.command(from: Promille.arguments(from: words))) != nil else { return nil }
    return
      (["promille", command.name] + typed.prefix { $0 != "--" } + added
      + typed.drop { $0 != "--" }).map(\.quotedForShell).joined(separator: " ")
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

extension ParsableArguments {
  /// The options as they were typed, those of a group among those of the command.
  fileprivate var recorded: [(name: String, value: JSONValue)] {
    self is any DeliveryOptions
      ? []
      : parsed.flatMap { property, value in
        (value as? any ParsableArguments)?.recorded
          ?? [(Self.name(property), JSONValue(option: value))]
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

/// The parser's storage of a property: the option with its value.
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
    case let typed as any TextOption: self = .string(typed.text)
    case let word as any RawRepresentable<String>: self = .string(word.rawValue)
    case let list as [Any]: self = .array(list.map(JSONValue.init(option:)))
    default: self = .null
    }
  }
}
