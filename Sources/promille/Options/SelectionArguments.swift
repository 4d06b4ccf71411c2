import AlcoholKinetics
import ArgumentParser
import StudyData
import StudyStore

struct SelectionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Import only these types, separated by commas: drinks, readings, vitals, or kinds of vital "
        + "signs such as HeartRate. Subjects are always imported.",
      valueName: "types"))
  var types: TypeList?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Import only this subject; may be repeated.", valueName: "name"))
  var subject: [String] = []

  @Option(
    help: ArgumentHelp(
      "Import nothing before this time: min on the clock of the series, or a date (2024-05-01).",
      valueName: "time"), transform: TimeBound.from)
  var from: TimeBound?

  @Option(
    help: ArgumentHelp(
      "Import nothing after this time, written in the same way.", valueName: "time"))
  var to: TimeBound?

  func validate() throws {
    guard let from, let to else { return }
    try require(from.isDay == to.isDay, "--from and --to must both be minutes, or both be dates.")
    try require(!from.isAfter(to), "--from (\(from.text)) is after --to (\(to.text)).")
  }

  var selection: ImportSelection {
    ImportSelection(
      types: types?.types, kinds: types?.kinds,
      subjects: subject.isEmpty ? nil : Set(subject),
      times: TimeBound.times(from, to), days: TimeBound.days(from, to))
  }
}

/// An end of a range of times: minutes on the clock of a series, or a day.
struct TimeBound: ExpressibleByArgument, TypedValue {
  /// Nil for a day.
  private let minutes: Double?
  let text: String

  init?(argument: String) {
    minutes = Double(argument).flatMap { $0.isFinite ? $0 : nil }
    guard let text = minutes.map({ "\($0)" }) ?? CalendarDay(argument)?.text else { return nil }
    self.text = text
  }

  /// Takes the value of `--from` or `--to`.
  static func from(_ text: String) throws -> TimeBound {
    if let time = TimeBound(argument: text) { return time }
    throw ValidationError("'\(text)' is neither minutes nor a date such as 2024-05-01.")
  }

  var isDay: Bool { minutes == nil }
  private var day: String? { isDay ? text : nil }

  /// Whether it comes after one of the same kind.
  func isAfter(_ other: TimeBound) -> Bool {
    if let minutes, let other = other.minutes { minutes > other } else { text > other.text }
  }

  /// The range of minutes between two ends; nil if neither is one of minutes.
  static func times(_ from: TimeBound?, _ to: TimeBound?) -> ClosedRange<Hours>? {
    let (from, to) = (from?.minutes, to?.minutes)
    guard from != nil || to != nil else { return nil }
    return Hours(minutes: from ?? -.infinity)...Hours(minutes: to ?? .infinity)
  }

  /// The range of days between two ends; nil if neither is a day.
  static func days(_ from: TimeBound?, _ to: TimeBound?) -> ClosedRange<String>? {
    let (from, to) = (from?.day, to?.day)
    guard from != nil || to != nil else { return nil }
    return (from ?? "0000-01-01")...(to ?? "9999-12-31")
  }
}
