import Foundation
import StudyData

/// A table with many rows per series: drinks, readings or events.
final class SeriesTable {
  /// The number of rows in a batch if subjects are not in order.
  private static let batchSize = 4096

  /// The columns, by the kind of table.
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
  // The fields of the previous row, compared as bytes to avoid a string for each row.
  private let lastSubject: LastField
  private let lastOccasion: LastField?
  /// The column of events in a table without occasions: each reset begins a further occasion.
  private let event: Column?
  /// The number of the occasion by resets.
  private var number = 1
  /// Whether the previous row's series is in the draft.
  private var hasLast = false

  /// Advances to the first row; nil, with the reason in the log, if a column is missing.
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

  /// The subject of the next row, with its place; nil if there is no row.
  var nextSubject: (name: String, place: Place)? {
    hasRow ? (row.text(of: subject.index), row.place(of: subject.index)) : nil
  }

  // MARK: Rows

  /// Reads a batch of rows of any subjects; false if there are none.
  func readBatch(into draft: inout StudyDraft) -> Bool {
    guard hasRow else { return false }
    readRows(upTo: Self.batchSize, into: &draft)
    return true
  }

  /// Reads the contiguous rows of the next subject; nil at the end.
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

  /// Reads up to `limit` contiguous rows of a subject, including rows without a name; without a key, of any subject.
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

  /// Reads contiguous rows of a series, and returns the number of rows after the first.
  private func readSeries(upTo limit: Int, into series: inout SeriesDraft) -> Int {
    // Retained once instead of for every row.
    let columns = columns
    var count = 0
    repeat {
      switch columns {
      case .drinks(let drinks): drinks.read(row, into: &series)
      case .readings(let readings): readings.read(row, into: &series)
      case .events(let events): events.read(row, into: &series)
      }
      row.flush(into: &series.findings)
      table.next()
      count += 1
    } while hasRow && count < limit && isLast
    return count - 1
  }

  /// Whether a row holds only its subject.
  private var isEmpty: Bool {
    if case .readings(let readings) = columns { readings.isEmpty(row) } else { false }
  }

  // MARK: Subjects and series

  /// Returns the row's series in the draft, which is created if it is new; nil, reported, if the row names no subject.
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
