import AlcoholKinetics
public import ArgumentParser
import StudyData
import StudyFiles
public import StudyStore

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

/// Which part of a study's subjects is worked on. No row depends on it: results are those of the whole study,
/// cut into parts, and do not carry it.
struct PartOption: DeliveryOptions {
  @Option(
    help: ArgumentHelp(
      "Only part K of N of the subjects, as 3/16, by a hash of their names.",
      discussion: """
        For array jobs: give each its own K. Rows are those of one run over all subjects; parts in csv are joined with \
        awk 'FNR > 1 || NR == 1' part-*.csv. Needs csv, ndjson or arrow.
        """,
      valueName: "k/n"))
  var subjectsPart: SubjectsPart?

  /// Refuses a part of something that is not written row by row.
  ///
  /// - Parameter isByRow: Whether a row is written before the next one is known.
  func check(isByRow: Bool) throws {
    try require(
      subjectsPart == nil || isByRow,
      "--subjects-part needs results that are written row by row; use csv, ndjson or arrow, and leave out "
        + "what needs the whole study.")
  }
}

extension SubjectsPart: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

/// The format of a study in a file or on standard input; no number depends on it.
struct InputFormatOption: DeliveryOptions {
  @Option(
    help: ArgumentHelp(
      "How a study in a file or on standard input is written.",
      discussion: """
        csv: text, or a workbook; arrow: a table of events as an Arrow IPC stream without compression; arrow-tables: \
        subjects, drinks and readings as such streams, one after the other, with the columns of the files of a folder.
        """,
      valueName: "format"))
  var inputFormat = StudyReader.InputFormat.csv
}

extension StudyReader.InputFormat: ExpressibleByArgument {}

/// The occasions to leave out because of the vital signs of their day.
struct DayExclusionOption: ParsableArguments {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Leave out occasions on days when the mean of a vital sign is beyond a value, for example "
        + "'HeartRate>100'. Needs a database; may be repeated.",
      valueName: "rule"))
  var excludeDayWith: [DayRule] = []

  /// Reads the study without the occasions that are left out, and says which these are.
  func read(_ input: StudyOptions, _ console: Console) throws -> Study {
    guard !excludeDayWith.isEmpty else { return try input.read(console) }
    try require(
      StudyStore.accepts(input.study), "--exclude-day-with needs a database with vital signs.")
    let store = try StudyStore(path: input.study, for: .reading)
    let exclusion = try store.study(excludingDaysWith: excludeDayWith)
    console.report(exclusion.study.allDiagnostics)
    // A rule about something that was not measured leaves nothing out, which may not be what was meant.
    for rule in exclusion.idle {
      console.warning(
        "W_NO_VITALS", "no day has a value of \(rule.kind), so \(rule) leaves nothing out",
        at: input.study)
    }
    for (series, rule) in exclusion.excluded {
      let name = [series.subject.id, series.occasion].compactMap(\.self).joined(separator: "/")
      console.warning("W_DAY_EXCLUDED", "\(name) is left out by \(rule)", at: input.study)
    }
    return exclusion.study
  }
}

extension DayRule: ExpressibleByArgument, TypedValue {
  var text: String { description }

  public init?(argument: String) {
    self.init(argument)
  }
}
