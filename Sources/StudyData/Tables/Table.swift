import AlcoholKinetics

/// Understands the rows of one kind of table.
protocol TableRows {
  /// Reads a row, which has as many fields as the header.
  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog)

  /// Whether a row, of whatever length, says that it is not to be read.
  mutating func leavesOut(_ row: CSVRow) -> Bool

  /// Forgets the row before, whose subject is not in the draft any more.
  mutating func forget()
}

extension TableRows {
  func leavesOut(_ row: CSVRow) -> Bool { false }

  func forget() {}
}

/// Understands the rows of a table whose header says everything about them.
protocol HeadedRows: TableRows {
  /// Finds its columns; nil, with the reason in the log, where one is missing.
  init?(header: Header, log: inout FindingLog)
}

/// Understands the rows of a table that has many for a series.
protocol SeriesRows: TableRows {
  /// Finds the series of a row.
  var series: SeriesFinder { get set }
}

extension SeriesRows {
  mutating func forget() { series.forget() }
}

/// A table that is being read, a row at a time, with the log of what was found in it.
struct Table<Rows: TableRows> {
  /// What was found so far.
  var log: FindingLog
  /// The table; nil if there is none, or none that can be read.
  private var content: Content?

  /// A table whose header has been understood, at one of its rows.
  fileprivate struct Content {
    var rows: Rows
    var reader: CSVReader
    let header: Header
    var hasRow = false
  }

  /// Opens a table and goes to its first row.
  init(
    _ file: InputFile?, log: FindingLog, makeRows: (Header, inout FindingLog) -> Rows?
  ) {
    self.log = log
    guard let file else { return }
    do throws(CSVProblem) {
      var reader = try CSVReader(file)
      guard try reader.next() else {
        self.log.add(
          log.finding(
            .emptyFile, at: nil, "the file is empty",
            remedy: "begin it with a header that names the columns"))
        return
      }
      let header = Header(reader.row, log: &self.log)
      guard let rows = makeRows(header, &self.log) else { return }
      content = Content(rows: rows, reader: reader, header: header)
    } catch {
      self.log.add(error)
    }
    content?.advance(log: &self.log)
  }

  /// Opens a table of which its header says everything.
  init(_ file: InputFile?, log: FindingLog) where Rows: HeadedRows {
    self.init(file, log: log) { Rows(header: $0, log: &$1) }
  }

  /// What understands its rows; nil if there is no table that can be read.
  var rows: Rows? { content?.rows }

  /// Whether there is a row that has not been read yet.
  var hasRow: Bool { content?.hasRow ?? false }

  /// Reads rows, up to so many.
  mutating func read(upTo count: Int = .max, into draft: inout StudyDraft) {
    var left = count
    while hasRow, left > 0 {
      content?.read(into: &draft, log: &log)
      left -= 1
    }
  }

  /// Forgets the row before, whose subject is not in the draft any more.
  mutating func forget() {
    content?.rows.forget()
  }
}

extension Table where Rows: SeriesRows {
  /// Whom the row names, and where; nil if there is no row.
  var nextSubject: (name: String, place: Place)? { content?.nextSubject }

  /// Reads the rows of another subject than before: those that follow for as long as they are the
  /// subject's, or nobody's.
  mutating func readRows(of subject: SubjectKey, into draft: inout StudyDraft) {
    content?.rows.forget()
    content?.readMoreRows(of: subject, into: &draft, log: &log)
  }
}

extension Table<EventRows> {
  /// Reads the rows of the next subject, as far as they are together; nil at the end.
  mutating func readSubject(into draft: inout StudyDraft) -> SubjectKey? {
    forget()
    while hasRow, draft.subjects.isEmpty { read(upTo: 1, into: &draft) }
    guard let subject = draft.subjects.first else { return nil }
    let key = SubjectKey(subject.subject.id)
    content?.readMoreRows(of: key, into: &draft, log: &log)
    return key
  }
}

extension Table<SubjectRows> {
  /// Reads a subject's row, and those that follow for the same subject; nil at the end.
  mutating func readSubject() -> SubjectDraft? { content?.readSubject(log: &log) }
}

extension Table.Content {
  /// Reads the row and goes to the next.
  mutating func read(into draft: inout StudyDraft, log: inout FindingLog) {
    rows.read(reader.row, into: &draft, log: &log)
    advance(log: &log)
  }

  /// Goes to the next row that has as many fields as the header, reporting those that have not and
  /// what is no CSV.
  mutating func advance(log: inout FindingLog) {
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

extension Table.Content where Rows == SubjectRows {
  mutating func readSubject(log: inout FindingLog) -> SubjectDraft? {
    while hasRow, !rows.names(reader.row, log: &log) { advance(log: &log) }
    guard hasRow else { return nil }
    let id = reader.row.text(of: rows.subject.index)
    var subject = SubjectDraft(subject: Subject(id: id))
    rows.describe(&subject, by: reader.row, log: &log)
    log.settleRow(into: &subject.findings)
    advance(log: &log)
    let key = SubjectKey(id)
    while hasRow, key.isNamed(in: reader.row, rows.subject) {
      rows.noteDuplicate(
        reader.row, of: subject.place ?? .start, remedy: SubjectRows.remedyForDuplicate, log: &log)
      log.settleRow(into: &subject.findings)
      advance(log: &log)
    }
    return subject
  }
}

extension Table.Content where Rows: SeriesRows {
  var nextSubject: (name: String, place: Place)? {
    guard hasRow else { return nil }
    let index = rows.series.subject.index
    return (reader.row.text(of: index), reader.row.place(of: index))
  }

  mutating func readMoreRows(
    of subject: SubjectKey, into draft: inout StudyDraft, log: inout FindingLog
  ) {
    while hasRow, belongs(to: subject) { read(into: &draft, log: &log) }
  }

  @inline(__always)
  private mutating func belongs(to subject: SubjectKey) -> Bool {
    rows.series.knows(reader.row) || subject.isNamed(in: reader.row, rows.series.subject)
      || rows.series.lacksSubject(reader.row)
  }
}

extension HeadedRows {
  /// Reads a whole table; nil, with the reason in the log, if its rows could not be read at all.
  static func read(
    _ file: InputFile, into draft: inout StudyDraft, log: inout FindingLog
  ) -> Self? {
    var table = Table<Self>(file, log: log)
    table.read(into: &draft)
    log = table.log
    return table.rows
  }
}

extension CSVRow {
  /// Whether the row has as many fields as the header; reported if not.
  @inline(__always)
  fileprivate func fits(_ header: Header, log: inout FindingLog) -> Bool {
    if count == header.columns.count { return true }
    reportCount(header.columns.count, log: &log)
    return false
  }

  @inline(never)
  private func reportCount(_ expected: Int, log: inout FindingLog) {
    let looksLikeComma = count > expected && hasSplitNumber
    let location = SourceLocation(file: log.file, line: firstLine)
    log.add(
      Diagnostic(
        .fieldCount, at: location,
        message: "the row has \(count) fields and the header \(expected)",
        remedy: looksLikeComma
          ? "write numbers with a decimal point; a decimal comma seems to split a number"
          : "give every row one field per column, empty where a value is missing"))
  }

  /// Whether a number is followed by a field of digits only, as `0,45` is where commas separate.
  private var hasSplitNumber: Bool {
    (1..<count).contains { index in
      let (whole, fraction) = (content(of: index - 1), content(of: index))
      return !fraction.isEmpty && fraction.allSatisfy(ASCII.isDigit)
        && (try? DecimalNumber.parse(whole)) != nil
    }
  }
}

extension FindingLog {
  fileprivate mutating func add(_ problem: CSVProblem) {
    add(finding(problem.code, at: problem.place, problem.message, remedy: problem.remedy))
  }
}
