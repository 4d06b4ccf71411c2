import Foundation
import StudyData

/// A table that has many rows for a series: of drinks, of readings, or of events.
final class SeriesTable {
  /// The rows that are read at once where subjects are in no order.
  private static let stretch = 4096

  /// What its rows hold.
  private enum Columns {
    case drinks(DrinkColumns)
    case readings(ReadingColumns)
    case events(EventColumns)
  }

  private let table: CSVTable
  private let row: CSVRow
  private let columns: Columns
  private let subject: Column
  private let occasion: Column?
  // The previous row's fields, compared as bytes so that no string is made for most rows.
  private let lastSubject: LastField
  private let lastOccasion: LastField?
  /// The column with resets, each of which begins a further occasion of the subject, in a table without occasions.
  private let event: Column?
  /// The number of the occasion by resets.
  private var number = 1
  /// Whether the previous row's series is in the draft.
  private var hasLast = false

  /// Goes to the first row; nil, with the reason in the log, if a column is missing.
  private init?(
    _ table: CSVTable, subject: Column?, occasion: Column?, event: Column? = nil,
    _ columns: Columns?
  ) {
    guard let subject, let columns else { return nil }
    self.table = table
    row = table.row
    self.columns = columns
    self.subject = subject
    self.occasion = occasion
    self.event = event
    lastSubject = LastField(subject)
    lastOccasion = occasion.map(LastField.init)
    table.next()
  }

  /// Opens `drinks.csv`.
  convenience init?(drinks table: CSVTable, _ catalogue: DrinkCatalogue, _ uuids: UUIDRegister) {
    guard let header = table.readHeader() else { return nil }
    self.init(
      table, subject: header.required("subject"), occasion: header.column("occasion"),
      DrinkColumns(header: header, catalogue, uuids).map(Columns.drinks))
  }

  /// Opens `readings.csv`.
  convenience init?(readings table: CSVTable, _ uuids: UUIDRegister) {
    guard let header = table.readHeader() else { return nil }
    self.init(
      table, subject: header.required("subject"), occasion: header.column("occasion"),
      ReadingColumns(header: header, uuids).map(Columns.readings))
  }

  /// Opens a table of events.
  convenience init?(events table: CSVTable, _ header: Header, _ events: EventColumns?) {
    let occasion = header.column(anyOf: ["occ", "occasion"])
    self.init(
      table, subject: header.column("id"), occasion: occasion,
      event: occasion == nil ? header.column("evid") : nil, events.map(Columns.events))
  }

  var hasRow: Bool { table.hasRow }
  var hasOccasions: Bool { occasion != nil }

  /// The name in the row that is to be read, and its place; nil if there is no row.
  var nextSubject: (name: String, place: Place)? {
    hasRow ? (row.text(of: subject.index), row.place(of: subject.index)) : nil
  }

  // MARK: Rows

  /// Reads rows of anybody, as many as are read at once; false if there are none.
  func readStretch(into draft: inout StudyDraft) -> Bool {
    guard hasRow else { return false }
    readRows(upTo: Self.stretch, into: &draft)
    return true
  }

  /// Reads the rows of the next subject, as far as they are together; nil at the end.
  func readNextSubject(into draft: inout StudyDraft) -> SubjectKey? {
    while hasRow {
      guard row.isMissing(subject.index) else {
        let key = SubjectKey(row.text(of: subject.index))
        readRows(of: key, into: &draft)
        return key
      }
      readRows(upTo: 1, into: &draft)
    }
    return nil
  }

  /// Reads rows, up to so many, as long as they are a subject's, or nobody's; without a key those of anybody.
  func readRows(of key: SubjectKey? = nil, upTo limit: Int = .max, into draft: inout StudyDraft) {
    var count = 0
    hasLast = false
    while hasRow, count < limit, isOf(key) {
      count += 1
      let isSameSubject = isLastSubject
      guard !isEmpty || row.isMissing(subject.index), let series = findSeries(in: &draft) else {
        table.next()
        continue
      }
      let (subject, index) = series
      if case .events(let events) = columns, !isSameSubject { events.begin(subject, at: row) }
      count += readSeries(upTo: limit - count, into: &subject.series[index])
    }
  }

  /// Reads rows of a series, as far as they follow each other; the number of those after the first.
  private func readSeries(upTo limit: Int, into series: inout SeriesDraft) -> Int {
    // Held once, and not for every row.
    let columns = columns
    var count = 0
    repeat {
      switch columns {
      case .drinks(let drinks): drinks.read(row, into: &series)
      case .readings(let readings): readings.read(row, into: &series)
      case .events(let events): events.read(row, into: &series)
      }
      row.settle(into: &series.findings)
      table.next()
      count += 1
    } while hasRow && count < limit && isLast
    return count - 1
  }

  /// Whether a row that says whose it is says nothing else.
  private var isEmpty: Bool {
    if case .readings(let readings) = columns { readings.isEmpty(row) } else { false }
  }

  // MARK: Whose a row is

  /// The row's series in the draft, which is made if need be; nil, reported, if the row names no subject.
  private func findSeries(in draft: inout StudyDraft) -> (subject: SubjectDraft, index: Int)? {
    guard row.names(subject) else { return nil }
    if !lastSubject.isSame(in: row) { number = 1 } else if isReset { number += 1 }
    let name = number > 1 ? "\(number)" : row.filled(occasion)
    let mention = SourceLocation(file: row.log.file, place: row.place(of: subject.index))
    lastSubject.remember(row)
    lastOccasion?.remember(row)
    hasLast = true
    return draft.series(of: row.text(of: subject.index), occasion: name, mention: mention)
  }

  /// Whether the row belongs to the series that was found last.
  @inline(__always)
  private var isLast: Bool { isLastSubject && lastOccasion?.isSame(in: row) ?? true && !isReset }

  @inline(__always)
  private var isReset: Bool {
    guard let event, let number = row.shortNumber(in: event.index) else { return false }
    return number == 3 || number == 4
  }

  @inline(__always)
  private var isLastSubject: Bool { hasLast && lastSubject.isSame(in: row) }

  private func isOf(_ key: SubjectKey?) -> Bool {
    guard let key else { return true }
    return isLastSubject || key.isNamed(in: row, subject) || row.isMissing(subject.index)
  }
}
