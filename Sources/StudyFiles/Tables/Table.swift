import AlcoholKinetics
import StudyData

/// Understands the rows of one kind of table. A class, so that its columns are not copied for every row.
protocol TableRows: AnyObject {
  /// Whether a row, of whatever length, says that it is not to be read.
  func leavesOut(_ row: CSVRow) -> Bool
}

extension TableRows {
  func leavesOut(_ row: CSVRow) -> Bool { false }
}

/// Understands the rows of a table that has one for everything it is about, and whose header says
/// everything about them.
protocol SingleRows: TableRows {
  /// Finds its columns; nil, with the reason in the log, where one is missing.
  init?(header: Header, log: inout FindingLog)

  func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog)
}

/// Understands the rows of a table that has many for a series.
protocol SeriesRows: TableRows {
  var finder: SeriesFinder { get }

  /// Whether a row that says whose it is says nothing else.
  func isEmpty(_ row: CSVRow) -> Bool

  /// Takes in that a row is of another subject than the row before.
  func beginSubject(at row: CSVRow, in draft: inout StudyDraft, log: inout FindingLog)

  /// Reads a row, which has as many fields as the header, into its series.
  func read(
    _ row: CSVRow, into series: inout SeriesDraft, _ uuids: inout UUIDRegister,
    log: inout FindingLog)
}

extension SeriesRows {
  func isEmpty(_ row: CSVRow) -> Bool { false }

  func beginSubject(at row: CSVRow, in draft: inout StudyDraft, log: inout FindingLog) {}
}

/// A table that is being read, a row at a time, with the log of what was found in it.
struct Table<Rows: TableRows> {
  var log: FindingLog
  /// What understands its rows; nil if there is no table that can be read.
  private(set) var rows: Rows?
  private(set) var hasRow = false

  private var reader: (any RecordReader)?
  private var width = 0
  private var isConversionNoted = false

  init(
    _ file: InputFile?, log: FindingLog, makeRows: (Header, inout FindingLog) -> Rows?
  ) {
    self.log = log
    guard let file else { return }
    do throws(CSVProblem) {
      let reader = try file.records()
      guard try reader.next() else {
        self.log.add(
          .emptyFile, at: nil, "the file is empty",
          remedy: "begin it with a header that names the columns")
        return
      }
      noteConversion(reader)
      let header = Header(reader.row, map: file.columns, log: &self.log)
      (self.reader, width, rows) = (reader, header.columns.count, makeRows(header, &self.log))
    } catch {
      self.log.add(error)
    }
    if let reader, let rows { advance(reader, reader.row, rows) }
  }

  var row: CSVRow? { hasRow ? reader?.row : nil }

  /// Goes to the next row that has as many fields as the header, reporting those that have not and
  /// what is no CSV.
  ///
  /// - Parameter row: The reader's, which it fills anew; asked for once, not for every row.
  private mutating func advance(_ reader: any RecordReader, _ row: CSVRow, _ rows: Rows) {
    while true {
      do throws(CSVProblem) {
        hasRow = try reader.next()
        if !hasRow { return noteConversion(reader) }
        if !rows.leavesOut(row), row.fits(width, log: &log) { return }
      } catch {
        log.add(error)
      }
    }
  }

  /// Says, once, that the file was not UTF-8: before its rows if its first block shows it, else after them.
  private mutating func noteConversion(_ reader: any RecordReader) {
    guard let (encoding, place) = reader.conversion, !isConversionNoted else { return }
    isConversionNoted = true
    log.add(log.conversion(from: encoding, at: place))
  }
}

extension Table where Rows: SingleRows {
  /// Opens a table of which its header says everything.
  init(_ file: InputFile?, log: FindingLog) {
    self.init(file, log: log) { Rows(header: $0, log: &$1) }
  }

  mutating func readRows(into draft: inout StudyDraft) {
    guard let reader, let rows else { return }
    let row = reader.row
    while hasRow {
      rows.read(row, into: &draft, log: &log)
      advance(reader, row, rows)
    }
  }
}

extension Table where Rows: SeriesRows {
  /// Whom the row names, and where; nil if there is no row.
  var nextSubject: (name: String, place: Place)? {
    guard let row, let index = rows?.finder.subject.index else { return nil }
    return (row.text(of: index), row.place(of: index))
  }

  /// Reads rows of other series than before, up to so many.
  ///
  /// - Parameter subject: Whose; those that follow for as long as they are the subject's, or nobody's. Nil
  ///   for anybody's.
  mutating func readRows(
    of subject: SubjectKey? = nil, upTo limit: Int = .max, into draft: inout StudyDraft
  ) {
    guard let rows, let reader else { return }
    let (finder, row) = (rows.finder, reader.row)
    var count = 0
    finder.forget()
    while hasRow, count < limit, finder.isOf(subject, row) {
      count += 1
      let isSameSubject = finder.isLastSubject(row)
      guard !rows.isEmpty(row) || finder.lacksSubject(row),
        let series = finder.find(for: row, in: &draft, log: &log)
      else {
        advance(reader, row, rows)
        continue
      }
      if !isSameSubject { rows.beginSubject(at: row, in: &draft, log: &log) }
      let (subject, index) = series
      count += readRows(
        reader, rows, upTo: limit - count, into: &subject.series[index], &draft.uuids)
    }
  }

  /// Reads rows of a series, those that follow each other; how many more than the first.
  private mutating func readRows(
    _ reader: any RecordReader, _ rows: Rows, upTo limit: Int, into series: inout SeriesDraft,
    _ uuids: inout UUIDRegister
  ) -> Int {
    let (finder, row) = (rows.finder, reader.row)
    var count = 0
    repeat {
      rows.read(row, into: &series, &uuids, log: &log)
      log.settleRow(into: &series.findings)
      advance(reader, row, rows)
      count += 1
    } while hasRow && count < limit && finder.isLast(row)
    return count - 1
  }
}

extension Table<SubjectRows> {
  /// Reads a subject's row, and those that follow for the same subject; nil at the end.
  mutating func readSubject() -> SubjectDraft? {
    guard let reader, let rows else { return nil }
    let row = reader.row
    while hasRow {
      guard row.names(rows.subject, log: &log) else {
        advance(reader, row, rows)
        continue
      }
      let key = SubjectKey(row.text(of: rows.subject.index))
      let subject = SubjectDraft(key.id)
      repeat {
        rows.describe(subject, by: row, log: &log)
        log.settleRow(into: &subject.findings)
        advance(reader, row, rows)
      } while hasRow && key.isNamed(in: row, rows.subject)
      return subject
    }
    return nil
  }
}

extension SingleRows {
  /// Reads a whole table; nil, with the reason in the log, if its rows could not be read at all.
  static func read(
    _ file: InputFile, into draft: inout StudyDraft, log: inout FindingLog
  ) -> Self? {
    var table = Table<Self>(file, log: log)
    table.readRows(into: &draft)
    log = table.log
    return table.rows
  }
}

extension CSVRow {
  /// Whether the row has as many fields as the header; reported if not.
  @inline(__always)
  fileprivate func fits(_ width: Int, log: inout FindingLog) -> Bool {
    if count == width { return true }
    reportCount(width, log: &log)
    return false
  }

  @inline(never)
  private func reportCount(_ expected: Int, log: inout FindingLog) {
    let looksLikeComma = count > expected && hasSplitNumber
    let location = SourceLocation(file: log.file, line: firstLine)
    log.add(
      Diagnostic(
        .csv, at: location,
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
  mutating func add(_ problem: CSVProblem) {
    add(finding(problem.code, at: problem.place, problem.message, remedy: problem.remedy))
  }
}
