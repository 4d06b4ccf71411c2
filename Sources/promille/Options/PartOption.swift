public import ArgumentParser
public import StudyData
import StudyFiles

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
