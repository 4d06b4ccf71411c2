public import ArgumentParser
import DayDatabase
public import HealthData
@_spi(StudyDay) public import StudyData
@_spi(StudyDay) import StudyStore

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
      throw ValidationError("--importance is \(importance); it must be 1 to 5.")
    }
    if let from, let to, from.text > to.text {
      throw ValidationError("--from (\(from.text)) is after --to (\(to.text)).")
    }
  }

  var filter: VitalFilter {
    VitalFilter(
      subjects: subject.isEmpty ? nil : Set(subject),
      days: (from?.text ?? "0000-01-01")...(to?.text ?? "9999-12-31"),
      kinds: kind.isEmpty ? nil : Set(kind), importance: importance)
  }
}

extension VitalKind: ExpressibleByArgument {}

extension CalendarDay: @retroactive ExpressibleByArgument {
  /// Takes a day as ISO 8601 writes it.
  public init?(argument: String) {
    self.init(argument)
  }
}

/// Settings of vital signs.
struct VitalSettingArguments: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Set the importance of a kind, 1 to 5.", valueName: "kind=n"))
  var setImportance: [VitalAssignment] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Set the lower threshold of the mean; none removes it.", valueName: "kind=value"))
  var setBelow: [VitalAssignment] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Set the upper threshold of the mean; none removes it.", valueName: "kind=value"))
  var setAbove: [VitalAssignment] = []

  @Option(help: ArgumentHelp("Set the number of days that are averaged.", valueName: "days"))
  var setSpan: Int?

  func validate() throws {
    for (name, assignments) in [
      ("--set-importance", setImportance), ("--set-below", setBelow), ("--set-above", setAbove),
    ] {
      for (index, assignment) in assignments.enumerated()
      where assignments[..<index].contains(where: { $0.kind == assignment.kind }) {
        throw ValidationError("\(name) is given twice for \(assignment.kind.rawValue).")
      }
    }
    for assignment in setImportance {
      guard let value = assignment.value, (1...5).contains(value), value == value.rounded() else {
        throw ValidationError("--set-importance is \(assignment.text); it must be from 1 to 5.")
      }
    }
    if let setSpan, !(1...3650).contains(setSpan) {
      throw ValidationError("--set-span is \(setSpan); it must be from 1 to 3650 days.")
    }
  }

  var isEmpty: Bool {
    setImportance.isEmpty && setBelow.isEmpty && setAbove.isEmpty && setSpan == nil
  }

  func apply(to store: StudyStore) throws(StoreError) {
    guard !isEmpty else { return }
    try store.changeVitalSettings(spanDays: setSpan) { setting in
      for assignment in setImportance where assignment.kind == setting.kind {
        setting.importance = Int(assignment.value ?? 3)
      }
      for assignment in setBelow where assignment.kind == setting.kind {
        setting.below = assignment.value
      }
      for assignment in setAbove where assignment.kind == setting.kind {
        setting.above = assignment.value
      }
    }
  }
}

/// A kind of vital sign and a number for it, as `HeartRate=4`.
struct VitalAssignment: ExpressibleByArgument {
  let text: String
  let kind: VitalKind
  /// The number; nil for none.
  let value: Double?

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = VitalKind(rawValue: String(parts[0])) else { return nil }
    text = argument
    self.kind = kind
    value = Double(parts[1])
    guard value?.isFinite ?? (parts[1] == "none") else { return nil }
  }
}
