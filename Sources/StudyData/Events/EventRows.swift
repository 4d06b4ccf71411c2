import AlcoholKinetics

/// The rows of a table of events as NONMEM has them: drinks and readings in one, in order of time.
struct EventRows: SeriesRows {
  var series: SeriesFinder
  private let columns: EventColumns
  private var changes: DescriptionChanges
  /// The rows that are left out.
  private(set) var comments: CommentRows

  /// Whether it had any reading.
  private(set) var hasReadings = false

  /// Finds the columns; nil, with the reason in the log, where one is missing.
  ///
  /// - Parameter unit: The unit of `DV`, unless the table says otherwise.
  init?(header: Header, unit: ConcentrationUnit, log: inout FindingLog) {
    guard let id = header.column("id") else {
      log.add(
        log.finding(
          .notAFolder, at: nil, "the study is a file without a column ID",
          remedy:
            "name a folder with subjects.csv, drinks.csv and readings.csv, or a table of events "
            + "with ID, TIME, AMT and DV"))
      return nil
    }
    guard let columns = EventColumns(header: header, unit: unit, log: &log) else { return nil }
    self.columns = columns
    comments = CommentRows(header: header)
    changes = DescriptionChanges(of: columns.subjects.descriptions)
    series = SeriesFinder(subject: id, occasion: header.column(anyOf: ["occ", "occasion"]))
  }

  mutating func leavesOut(_ row: CSVRow) -> Bool { comments.take(row) }

  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    let isSameSubject = series.isLastSubject(row)
    guard let index = series.find(for: row, in: &draft, log: &log) else { return }
    if !isSameSubject { describeSubject(of: row, in: &draft, log: &log) }
    changes.look(at: row, isSameSubject: isSameSubject, log: &log)
    if columns.read(row, into: &draft.series[index], &draft.uuids, log: &log) { hasReadings = true }
    log.settleRow(into: &draft.series[index].findings)
  }

  /// The first row of a subject tells who it is.
  private func describeSubject(
    of row: CSVRow, in draft: inout StudyDraft, log: inout FindingLog
  ) {
    let subject = draft.subject(row.text(of: series.subject.index))
    guard draft.subjects[subject].place == nil else { return }
    columns.subjects.describe(&draft.subjects[subject], by: row, log: &log)
    log.settleRow(into: &draft.subjects[subject].findings)
  }
}

/// The columns of a table of events besides those that name a series. A class, so that they are not
/// copied for every row.
private final class EventColumns {
  let subjects: SubjectRows
  private let kind: EventKindColumns
  private let time: Column
  private let drink: EventDrinkColumns
  private let reading: EventReadingColumns
  private let uuid: UUIDColumn?

  /// Finds the columns; nil, reported, where one is missing.
  init?(header: Header, unit: ConcentrationUnit, log: inout FindingLog) {
    let time = header.required("TIME", log: &log)
    let drink = EventDrinkColumns(header: header, log: &log)
    let reading = EventReadingColumns(header: header, unit: unit, log: &log)
    let known = EventKindColumns.names.union(EventDrinkColumns.names)
      .union(EventReadingColumns.names)
      .union(["time", "occ", "occasion", UUIDColumn.name, CommentRows.columnName])
    let subjects = SubjectRows(header: header, called: .ofEvents, besides: known, log: &log)
    guard let subjects, let time, let drink, let reading else { return nil }
    self.subjects = subjects
    self.time = time
    self.drink = drink
    self.reading = reading
    kind = EventKindColumns(header: header)
    uuid = UUIDColumn(header: header)
  }

  /// Reads an event; whether it was a reading that can be used.
  @inline(__always)
  func read(
    _ row: CSVRow, into series: inout SeriesDraft, _ register: inout UUIDRegister,
    log: inout FindingLog
  ) -> Bool {
    let place = row.place(of: time.index)
    switch kind.kind(of: row, isDose: drink.isFilled(in: row), log: &log) {
    case .drink:
      series.hasDrinkRows = true
      let uuid = uuid?.uuid(in: row, &register, log: &log)
      let time = TimeColumns.hours(in: time, of: row, log: &log)
      guard let drink = drink.drink(at: time, in: row, log: &log) else { return false }
      series.drinks.append(drink, at: place)
      if let uuid { series.drinks.identifyLast(as: uuid) }
    case .reading(let isExcluded) where !reading.isMissing(in: row):
      let uuid = uuid?.uuid(in: row, &register, log: &log)
      let time = TimeColumns.hours(in: time, of: row, log: &log)
      guard let reading = reading.reading(at: time, isExcluded: isExcluded, in: row, log: &log)
      else { return false }
      series.readings.append(reading, at: place)
      if let uuid { series.readings.identifyLast(as: uuid) }
      return true
    case .reading, .other: break
    case nil:
      // It may have been the drink that would be missed otherwise.
      series.hasDrinkRows = true
    }
    return false
  }
}

/// Recognises the rows of a table of events that NONMEM is told to leave out (`IGNORE=C`, `#`, `@`).
struct CommentRows {
  /// The column that marks such rows, by which they are known.
  static let columnName = "c"

  private let mark: Column?
  /// How many there were.
  private(set) var count = 0
  /// Where the first one begins.
  private(set) var first: Place?

  init(header: Header) {
    mark = header.column(Self.columnName)
  }

  /// Counts a row if it is one of them; whether it is.
  mutating func take(_ row: CSVRow) -> Bool {
    guard isMarked(row) || beginsAsComment(row) else { return false }
    count += 1
    first = first ?? row.place(of: 0)
    return true
  }

  private func isMarked(_ row: CSVRow) -> Bool {
    guard let mark, mark.index < row.count else { return false }
    let content = row.content(of: mark.index)
    return content.count == 1 && content.first.map { $0 | 0x20 } == UInt8(ascii: "c")
  }

  /// A name that begins so stands in quotes.
  private func beginsAsComment(_ row: CSVRow) -> Bool {
    guard row.count > 0, !row.isQuoted(0), let first = row.content(of: 0).first else {
      return false
    }
    return first == UInt8(ascii: "#") || first == UInt8(ascii: "@")
  }

  /// What to say of them; nil if there were none.
  func finding(in log: FindingLog) -> Diagnostic? {
    guard count > 0 else { return nil }
    let rows = count == 1 ? "1 row is" : "\(count) rows are"
    return log.finding(
      .rowsLeftOut, at: first,
      "\(rows) left out, because of a C in the column C, or a leading # or @",
      remedy: "if that is intended, do nothing; otherwise remove the mark, rename the column, or "
        + "put the name in quotes")
  }
}

/// Notices where rows of one subject differ in what they say of the subject.
///
/// Fields are compared as bytes with those of the row before, so that nothing is made of most rows.
struct DescriptionChanges {
  private let columns: [Column]
  private var last: [[UInt8]]

  init(of columns: [Column]) {
    self.columns = columns
    last = Array(repeating: [], count: columns.count)
  }

  /// Remembers a row's fields; of a row of the same subject, notes those that differ from the row
  /// before.
  @inline(__always)
  mutating func look(at row: CSVRow, isSameSubject: Bool, log: inout FindingLog) {
    for (index, column) in columns.enumerated() {
      let content = row.content(of: column.index)
      guard !content.equals(last[index]) else { continue }
      if content.meansMissing {
        if last[index].isEmpty { last[index].replaceAll(with: content) }
        continue
      }
      if isSameSubject {
        row.note(
          .descriptionChanges, in: column, "but different in the row before",
          remedy: "check it; the subject's first row is used", log: &log)
      }
      last[index].replaceAll(with: content)
    }
  }
}
