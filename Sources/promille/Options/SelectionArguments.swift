import AlcoholKinetics
import ArgumentParser
import StudyStore

struct SelectionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Import only these types, separated by commas: drinks, readings. Subjects are always imported.",
      valueName: "types"))
  var types: TypeList?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Import only this subject; may be repeated.", valueName: "name"))
  var subject: [String] = []

  @Option(
    help: ArgumentHelp(
      "Import nothing before this time, in min on the clock of the series.", valueName: "min"))
  var from: Double?

  @Option(help: ArgumentHelp("Import nothing after this time.", valueName: "min"))
  var to: Double?

  func validate() throws {
    for (name, time) in [("--from", from), ("--to", to)] {
      try require(time?.isFinite ?? true, "\(name) is no time in min.")
    }
    guard let from, let to else { return }
    try require(from <= to, "--from (\(from)) is after --to (\(to)).")
  }

  var selection: ImportSelection {
    ImportSelection(
      types: types?.types, subjects: subject.isEmpty ? nil : Set(subject), times: times)
  }

  private var times: ClosedRange<Hours>? {
    guard from != nil || to != nil else { return nil }
    return Hours(minutes: from ?? -.infinity)...Hours(minutes: to ?? .infinity)
  }
}

/// Types of records, separated by commas.
struct TypeList: ExpressibleByArgument, TypedValue {
  let text: String
  let types: Set<RecordType>

  init?(argument: String) {
    text = argument
    let words = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let types = words.compactMap { word in RecordType.allCases.first { $0.rawValue == word } }
    guard types.count == words.count else { return nil }
    self.types = Set(types)
  }
}
