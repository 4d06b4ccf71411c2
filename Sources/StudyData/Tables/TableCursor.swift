/// A table that is being read, a row at a time, with the log of what was found in it.
struct TableCursor<Rows: TableRows> {
  /// What was found so far.
  var log: FindingLog
  /// The table; nil if there is none, or none that can be read.
  private var table: OpenTable<Rows>?

  /// Opens a table and goes to its first row.
  init(
    _ file: InputFile?, log: FindingLog, makeRows: (Header, inout FindingLog) -> Rows?
  ) {
    self.log = log
    table = file.flatMap { OpenTable($0, log: &self.log, makeRows: makeRows) }
  }

  /// Opens a table of which its header says everything.
  init(_ file: InputFile?, log: FindingLog) where Rows: HeadedRows {
    self.init(file, log: log) { Rows(header: $0, log: &$1) }
  }

  /// What understands its rows; nil if there is no table that can be read.
  var rows: Rows? { table?.rows }

  /// What has not been read, as far as it is in memory; nil at the end.
  var fields: PlainFields? { table?.fields }

  /// Leaves out rows that somebody else has read.
  mutating func skip(_ span: PlainSpan) {
    table?.skip(span)
  }

  /// Looks for the next row after rows were skipped.
  mutating func findRow() {
    table?.findRow(log: &log)
  }

  /// Whether there is a row that has not been read yet, once it has been looked for.
  var hasRow: Bool { table?.hasRow ?? false }

  /// How many errors the log had before what follows the row before this one.
  var errorsBeforeGap: Int { table?.errorsBeforeGap ?? 0 }

  /// Reads all rows that are left.
  mutating func readAll(into draft: inout StudyDraft) {
    table?.readAll(into: &draft, log: &log)
  }
}

extension TableCursor where Rows: SeriesRows {
  /// Reads the rows that follow for as long as they are a subject's, or nobody's.
  mutating func readRows(of subject: SubjectKey, into draft: inout StudyDraft) {
    table?.readRows(of: subject, into: &draft, log: &log)
  }
}

extension TableCursor<EventRows> {
  /// Reads the rows of the next subject, as far as they are together; nil at the end.
  mutating func readSubject(into draft: inout StudyDraft) -> SubjectKey? {
    table?.readSubject(into: &draft, log: &log)
  }
}

extension TableCursor<SubjectRows> {
  /// Reads a subject's row, and those that follow for the same subject; nil at the end.
  mutating func readSubject(into draft: inout StudyDraft) -> SubjectKey? {
    table?.readSubject(into: &draft, log: &log)
  }
}
