import AlcoholKinetics

/// A table whose header has been understood, at one of its rows.
struct OpenTable<Rows: TableRows> {
  /// What understands its rows.
  private(set) var rows: Rows
  /// Whether there is a row that has not been read yet, once it has been looked for.
  private(set) var hasRow = false
  /// How many errors the log had before what follows the row before this one.
  private(set) var errorsBeforeGap = 0

  /// Whether rows have been skipped, and the next has not been looked for since.
  private var isBetweenRows = false
  private var reader: CSVReader
  private let header: Header

  /// Opens a table and goes to its first row; nil, with the reason in the log, if its rows cannot be
  /// read at all.
  init?(
    _ file: InputFile, log: inout FindingLog,
    makeRows: (Header, inout FindingLog) -> Rows?
  ) {
    do throws(CSVProblem) {
      reader = try CSVReader(file)
      guard try reader.next() else {
        log.add(
          log.finding(
            .emptyFile, at: nil, "the file is empty",
            remedy: "begin it with a header that names the columns"))
        return nil
      }
    } catch {
      log.add(error)
      return nil
    }
    header = Header(reader.row, log: &log)
    guard let rows = makeRows(header, &log) else { return nil }
    self.rows = rows
    advance(log: &log)
  }

  /// Reads the row and goes to the next.
  mutating func read(into draft: inout StudyDraft, log: inout FindingLog) {
    rows.read(reader.row, into: &draft, log: &log)
    advance(log: &log)
  }

  /// What has not been read, as far as it is in memory; nil at the end.
  var fields: PlainFields? {
    hasRow || isBetweenRows ? reader.fields : nil
  }

  /// Leaves out rows that somebody else has read.
  mutating func skip(_ span: PlainSpan) {
    reader.skip(span)
    isBetweenRows = true
  }

  /// Looks for the next row after rows were skipped.
  mutating func findRow(log: inout FindingLog) {
    guard isBetweenRows else { return }
    isBetweenRows = false
    advance(log: &log)
  }

  /// Reads all rows that are left.
  mutating func readAll(into draft: inout StudyDraft, log: inout FindingLog) {
    while hasRow { read(into: &draft, log: &log) }
  }

  /// Goes to the next row that has as many fields as the header, reporting those that have not and
  /// what is no CSV.
  private mutating func advance(log: inout FindingLog) {
    errorsBeforeGap = log.errorCount
    while true {
      do throws(CSVProblem) {
        hasRow = try reader.next()
        if !hasRow { return }
        if !rows.leavesOut(reader.row), reader.row.fits(header, log: &log) { return }
      } catch {
        log.add(error)
      }
    }
  }
}

extension OpenTable where Rows: SeriesRows {
  /// Reads the rows of another subject than before: those that follow for as long as they are the
  /// subject's, or nobody's.
  mutating func readRows(
    of subject: SubjectKey, into draft: inout StudyDraft, log: inout FindingLog
  ) {
    rows.series.forget()
    readMoreRows(of: subject, into: &draft, log: &log)
  }

  fileprivate mutating func readMoreRows(
    of subject: SubjectKey, into draft: inout StudyDraft, log: inout FindingLog
  ) {
    while hasRow, belongs(to: subject) {
      rows.read(reader.row, into: &draft, log: &log)
      reader.readOn { rows.readPlainRows(&$0, line: $1, into: &draft) }
      advance(log: &log)
    }
  }

  private func belongs(to subject: SubjectKey) -> Bool {
    rows.series.isLast(reader.row) || subject.isNamed(in: reader.row, rows.series.subject)
      || rows.series.lacksSubject(reader.row)
  }
}

extension OpenTable<EventRows> {
  /// Reads the rows of the next subject, as far as they are together; nil at the end.
  mutating func readSubject(into draft: inout StudyDraft, log: inout FindingLog) -> SubjectKey? {
    rows.series.forget()
    while hasRow, draft.subjects.isEmpty { read(into: &draft, log: &log) }
    guard let id = draft.subjects.first?.subject.id else { return nil }
    let key = SubjectKey(id)
    readMoreRows(of: key, into: &draft, log: &log)
    return key
  }
}

extension OpenTable<SubjectRows> {
  /// Reads a subject's row, and those that follow for the same subject; nil at the end.
  mutating func readSubject(into draft: inout StudyDraft, log: inout FindingLog) -> SubjectKey? {
    while hasRow, draft.subjects.isEmpty { read(into: &draft, log: &log) }
    guard let id = draft.subjects.first?.subject.id else { return nil }
    let key = SubjectKey(id)
    while hasRow, key.isNamed(in: reader.row, rows.subject) { read(into: &draft, log: &log) }
    return key
  }
}

extension FindingLog {
  fileprivate mutating func add(_ problem: CSVProblem) {
    add(finding(problem.code, at: problem.place, problem.message, remedy: problem.remedy))
  }
}
