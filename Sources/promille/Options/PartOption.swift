public import ArgumentParser
import Spreadsheets
public import StudyData

/// Which part of a study's subjects is worked on. No row depends on it: results are those of the whole study,
/// cut into parts, and do not carry it.
struct PartOption: DeliveryOptions {
  @Option(
    help: ArgumentHelp(
      "Only part K of N of the subjects, as 3/16, by a hash of their names.",
      discussion: """
        For array jobs: give each its own K, and put the results together with promille merge. Needs csv, ndjson or \
        arrow, and -o FILE; FILE.part beside it says what the part is.
        """,
      valueName: "k/n"))
  var subjectsPart: SubjectsPart?

  /// Refuses a part of something that is not written row by row.
  ///
  /// - Parameters:
  ///   - isByRow: Whether a row is written before the next one is known.
  ///   - path: The file that is written; nil for standard output.
  func check(isByRow: Bool, to path: String?) throws {
    guard subjectsPart != nil else { return }
    try require(
      isByRow,
      "--subjects-part needs results that are written row by row; use csv, ndjson or arrow, and leave out "
        + "what needs the whole study or a second file.")
    try require(
      path != nil,
      "--subjects-part needs -o FILE; FILE.part beside it tells promille merge what the part is.")
  }
}

extension SubjectsPart: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}

/// How a study in a file or on standard input is written; no number depends on it.
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
