import AlcoholKinetics
import ArgumentParser
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
      valueName: "time"))
  var from: TimeBound?

  @Option(
    help: ArgumentHelp(
      "Import nothing after this time, written in the same way.", valueName: "time"))
  var to: TimeBound?

  func validate() throws {
    guard let from, let to else { return }
    try require(from.isDay == to.isDay, "--from and --to must both be minutes, or both be dates.")
    try require(from <= to, "--from (\(from.text)) is after --to (\(to.text)).")
  }

  var selection: ImportSelection {
    ImportSelection(
      types: types?.types, kinds: types?.kinds,
      subjects: subject.isEmpty ? nil : Set(subject),
      times: TimeBound.times(from, to), days: TimeBound.days(from, to))
  }
}
