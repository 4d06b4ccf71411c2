import Foundation
import StudyData

/// A table that has many rows for a series: of drinks, of readings, or of events.
final class SeriesTable {
  static let columnNames: Set = ["subject", "occasion"]
  /// The rows that are read at once where subjects are in no order.
  private static let stretch = 4096

  private let table: CSVTable
  private let row: CSVRow
  /// The columns of its kind of rows, of which there is one.
  private let drinks: DrinkColumns?
  private let readings: ReadingColumns?
  private let events: EventColumns?
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
  init?(
    _ table: CSVTable, _ header: Header, subject: Column?, occasion: Column?,
    drinks: DrinkColumns? = nil, readings: ReadingColumns? = nil, events: EventColumns? = nil
  ) {
    guard let subject, drinks != nil || readings != nil || events != nil else { return nil }
    self.table = table
    row = table.row
    self.drinks = drinks
    self.readings = readings
    self.events = events
    self.subject = subject
    self.occasion = occasion
    event = events == nil || occasion != nil ? nil : header.column("evid")
    lastSubject = LastField(subject)
    lastOccasion = occasion.map(LastField.init)
    table.next()
  }

  /// Opens `drinks.csv`.
  convenience init?(drinks table: CSVTable, _ catalogue: DrinkCatalogue, _ uuids: UUIDRegister) {
    guard let header = table.readHeader() else { return nil }
    self.init(
      table, header, subject: header.required("subject"), occasion: header.column("occasion"),
      drinks: DrinkColumns(header: header, catalogue, uuids))
  }

  /// Opens `readings.csv`.
  convenience init?(readings table: CSVTable, _ uuids: UUIDRegister) {
    guard let header = table.readHeader() else { return nil }
    self.init(
      table, header, subject: header.required("subject"), occasion: header.column("occasion"),
      readings: ReadingColumns(header: header, uuids))
  }

  /// Opens a table of events.
  convenience init?(events table: CSVTable, _ header: Header, _ events: EventColumns?) {
    self.init(
      table, header, subject: header.column("id"),
      occasion: header.column(anyOf: ["occ", "occasion"]), events: events)
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
      if !isSameSubject { events?.begin(subject, at: row) }
      count += readSeries(upTo: limit - count, into: &subject.series[index])
    }
  }

  /// Reads rows of a series, as far as they follow each other; the number of those after the first.
  private func readSeries(upTo limit: Int, into series: inout SeriesDraft) -> Int {
    // Held once, and not for every row.
    let readings = readings
    let drinks = drinks
    var count = 0
    repeat {
      if let readings {
        readings.read(row, into: &series)
      } else if let drinks {
        drinks.read(row, into: &series)
      } else {
        events?.read(row, into: &series)
      }
      row.settle(into: &series.findings)
      table.next()
      count += 1
    } while hasRow && count < limit && isLast
    return count - 1
  }

  /// Whether a row that says whose it is says nothing else.
  private var isEmpty: Bool { readings?.isEmpty(row) ?? false }

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

/// The field that a column had in a row before, as bytes, so that no string is made to compare with it.
final class LastField {
  let column: Column
  private var bytes: [UInt8] = []
  private var word: FieldWord?
  /// A number as such, unless another rounds to it, so that it need not be written out.
  private var bits: UInt64?

  init(_ column: Column) { self.column = column }

  @inline(__always)
  func isSame(in row: CSVRow) -> Bool {
    if let word, row.word(of: column.index) == word { return true }
    if let bits, row.bits(of: column.index) == bits { return true }
    return row.content(of: column.index).equals(bytes)
  }

  /// What was remembered.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func remember(_ row: CSVRow) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: row.content(of: column.index))
    word = row.word(of: column.index)
    // Whole numbers of 64 bits beyond 2^53 share doubles.
    bits = row.bits(of: column.index)
    if let value = bits.map(Double.init(bitPattern:)), !(abs(value) < 0x1p53) { bits = nil }
  }
}

/// A subject's name as rows are compared with it.
struct SubjectKey {
  let id: String
  private let bytes: [UInt8]

  init(_ id: String) {
    self.id = id
    bytes = Array(id.utf8)
  }

  /// Whether a field holds the name, in the same bytes or in others that stand for the same text.
  func isNamed(in row: CSVRow, _ column: Column) -> Bool {
    row.content(of: column.index).equals(bytes) || row.text(of: column.index) == id
  }
}

/// The column with the UUIDs by which drinks or readings are known whatever else is corrected.
struct UUIDColumn {
  static let name = "uuid"

  private let column: Column
  private let register: UUIDRegister

  init?(header: Header, _ register: UUIDRegister) {
    guard let column = header.column(Self.name) else { return nil }
    self.column = column
    self.register = register
  }

  /// Reads a row's UUID; nil where there is none, or, reported, none that can be used.
  func uuid(in row: CSVRow) -> UUID? {
    guard !row.isMissing(column.index) else { return nil }
    guard let uuid = UUID(canonical: row.content(of: column.index)), !uuid.isNil else {
      row.note(
        .uuid, in: column, "which is not a UUID",
        remedy: "write 32 hexadecimal digits as 8-4-4-4-12, or leave the field empty")
      return nil
    }
    let location = SourceLocation(file: row.log.file, line: row.firstLine)
    guard let first = register.enter(uuid, at: location) else { return uuid }
    row.note(
      .duplicate, in: column, "as in line \(first.line) of \(first.name)",
      remedy: "give every drink and reading its own UUID, or leave the field empty")
    return nil
  }
}

extension UUID {
  /// Takes the 36 characters of RFC 9562, in any case; Foundation lets blanks and signs pass for digits.
  init?(canonical text: UnsafeRawBufferPointer) {
    let isWritten = text.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index)
        ? byte == ASCII.minus : Character(Unicode.Scalar(byte)).isHexDigit
    }
    guard text.count == 36, isWritten else { return nil }
    self.init(uuidString: String(decoding: text, as: UTF8.self))
  }

  /// Whether it is the UUID of zeros, which stands for none (RFC 9562, 5.9).
  fileprivate var isNil: Bool { withUnsafeBytes(of: uuid) { $0.allSatisfy { $0 == 0 } } }
}
