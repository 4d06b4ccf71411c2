import ArgumentParser
import HealthData
import Reporting
import StudyStore

/// What is set for vital signs.
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
    for assignment in setImportance {
      guard let value = assignment.value, (1...5).contains(value), value == value.rounded() else {
        throw ValidationError("--set-importance is \(assignment.text); it must be from 1 to 5.")
      }
    }
    if let setSpan, !(1...3650).contains(setSpan) {
      throw ValidationError("--set-span is \(setSpan); it must be from 1 to 3650 days.")
    }
  }

  /// Whether nothing is set.
  var isEmpty: Bool {
    setImportance.isEmpty && setBelow.isEmpty && setAbove.isEmpty && setSpan == nil
  }

  /// Changes the settings.
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

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    [
      ("set_importance", .array(setImportance.map { .string($0.text) })),
      ("set_below", .array(setBelow.map { .string($0.text) })),
      ("set_above", .array(setAbove.map { .string($0.text) })),
      ("set_span", setSpan.map(JSONValue.integer) ?? .null),
    ]
  }
}

/// A kind of vital sign and a number for it, as `HeartRate=4`.
struct VitalAssignment: ExpressibleByArgument {
  /// As it was given.
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
