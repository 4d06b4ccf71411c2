public import ArgumentParser
public import HealthData
import Reporting
public import StudyStore

/// Which vital signs are reported.
struct VitalArguments: ParsableArguments {
  @Option(parsing: .singleValue, help: ArgumentHelp("Only this subject.", valueName: "name"))
  var subject: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Only this kind, for example HeartRate.", valueName: "kind"))
  var kind: [VitalKind] = []

  @Option(help: ArgumentHelp("Only kinds of at least this importance, 1 to 5.", valueName: "n"))
  var importance = 1

  @Option(help: ArgumentHelp("Nothing before this day, for example 2024-05-01.", valueName: "day"))
  var from: CalendarDay?

  @Option(help: ArgumentHelp("Nothing after this day.", valueName: "day"))
  var to: CalendarDay?

  func validate() throws {
    guard 1...5 ~= importance else {
      throw ValidationError("--importance is \(importance); it must be from 1 to 5.")
    }
    if let from, let to, from.text > to.text {
      throw ValidationError("--from (\(from.text)) is after --to (\(to.text)).")
    }
  }

  /// The selection as the library takes it.
  var filter: VitalFilter {
    VitalFilter(
      subjects: subject.isEmpty ? nil : Set(subject),
      days: (from?.text ?? "0000-01-01")...(to?.text ?? "9999-12-31"),
      kinds: kind.isEmpty ? nil : Set(kind), importance: importance)
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("subject", .array(subject.map(JSONValue.string))),
      ("kind", .array(kind.map { .string($0.rawValue) })),
      ("importance", .integer(importance)),
      ("from", from.map { .string($0.text) } ?? .null),
      ("to", to.map { .string($0.text) } ?? .null),
    ]
  }
}

extension VitalKind: ExpressibleByArgument {}

extension CalendarDay: ExpressibleByArgument {
  /// Takes a day as ISO 8601 writes it.
  public init?(argument: String) {
    self.init(argument)
  }
}
