import AlcoholKinetics
import StudyData

/// The rows of a table of events in NONMEM's form: drinks and readings in one, in order of time.
final class EventRows: SeriesRows {
  let finder: SeriesFinder
  private let subjects: SubjectRows
  private let kind: EventKindColumns
  private let time: Column
  private let drink: EventDrinkColumns
  private let reading: EventReadingColumns
  private let uuid: UUIDColumn?
  private let descriptions: EventDescriptions
  let comments: CommentRows
  private(set) var hasReadings = false

  /// Finds the columns; nil, with the reason in the log, where one is missing.
  ///
  /// - Parameter unit: The unit of `DV`, unless the table says otherwise.
  init?(header: Header, unit: ConcentrationUnit, log: inout FindingLog) {
    guard let id = header.column("id") else {
      guard header.column("subject") == nil else {
        log.add(
          .notAFolder, at: nil,
          "the file alone is no study: beside subjects, it has no columns from which times, drinks and readings "
            + "are known; it has \(header.listing)",
          remedy:
            "add columns as \"Time (min)\", \"Ethanol (g)\" and \"BAC (g/L)\" or say which they are with --map; of a "
            + "study folder, name the folder")
        return nil
      }
      var finding = log.finding(
        .notAFolder, at: nil,
        "no column of the file names subjects; it has \(header.listing)",
        remedy:
          "name a folder with subjects.csv, drinks.csv and readings.csv, or a table of events with ID, TIME, "
          + "AMT and DV; or say which column names subjects")
      finding.statements = ["\(ColumnChoice.anyColumn)=subject"]
      log.add(finding)
      return nil
    }
    header.reportMapOfNothing(to: &log)
    let time = header.required("TIME", log: &log)
    let drink = EventDrinkColumns(header: header, log: &log)
    let reading = EventReadingColumns(header: header, unit: unit, log: &log)
    let known = EventKindColumns.names.union(EventDrinkColumns.names)
      .union(EventReadingColumns.names)
      .union(["time", "occ", "occasion", UUIDColumn.name, CommentRows.columnName])
    let subjects = SubjectRows(header: header, called: .ofEvents, besides: known, log: &log)
    guard let subjects, let time, let drink, let reading else { return nil }
    finder = SeriesFinder(
      subject: id, occasion: header.column(anyOf: ["occ", "occasion"]), event: header.column("evid")
    )
    self.subjects = subjects
    self.time = time
    self.drink = drink
    self.reading = reading
    kind = EventKindColumns(header: header)
    uuid = UUIDColumn(header: header)
    descriptions = EventDescriptions(subjects, header, hasOccasions: finder.hasOccasions)
    comments = CommentRows(header: header)
  }

  func leavesOut(_ row: CSVRow) -> Bool { comments.take(row) }

  /// The first row of a subject tells who it is.
  func beginSubject(at row: CSVRow, in draft: inout StudyDraft, log: inout FindingLog) {
    descriptions.begin(at: row)
    let subject = draft.subject(row.text(of: finder.subject.index))
    guard subject.place == nil else { return }
    subjects.describe(subject, by: row, log: &log)
    log.settleRow(into: &subject.findings)
  }

  @inline(__always)
  func read(
    _ row: CSVRow, into series: inout SeriesDraft, _ uuids: inout UUIDRegister,
    log: inout FindingLog
  ) {
    descriptions.compare(row, log: &log)
    let place = row.place(of: time.index)
    switch kind.kind(of: row, drink, log: &log) {
    case .drink:
      series.hasDrinkRows = true
      let uuid = uuid?.uuid(in: row, &uuids, log: &log)
      let time = TimeUnit.hours.time(in: time, of: row, log: &log)
      let repeats = kind.repeats(of: row, log: &log)
      guard var drink = drink.drink(at: time, in: row, log: &log), let repeats else { return }
      series.add(drink, at: place, uuid)
      for _ in 0..<repeats.count {
        drink.time = Hours(drink.time.value + repeats.hours)
        series.addRepeated(drink, at: place)
      }
    case .reading(let isExcluded) where !reading.isMissing(in: row):
      let uuid = uuid?.uuid(in: row, &uuids, log: &log)
      let time = TimeUnit.hours.time(in: time, of: row, log: &log)
      // One that cannot be read is told as such.
      hasReadings = true
      descriptions.settle(row, at: time, after: series.readings.values, isExcluded, log: &log)
      guard let reading = reading.reading(at: time, isExcluded: isExcluded, in: row, log: &log)
      else { return }
      series.add(reading, at: place, uuid)
    case .reading, .other: break
    case nil:
      // It may have been the drink that would be missed otherwise.
      series.hasDrinkRows = true
    }
  }
}

/// Recognises the rows of a table of events that NONMEM is told to leave out (`IGNORE=C`, `#`, `@`).
package final class CommentRows {
  /// The column that marks such rows, by which they are known.
  package static let columnName = "c"

  private let mark: Column?
  private(set) var count = 0
  private(set) var first: Place?

  init(header: Header) {
    mark = header.column(Self.columnName)
  }

  /// Counts a row if it is one of them; whether it is.
  func take(_ row: CSVRow) -> Bool {
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

extension Table<EventRows> {
  /// Reads the rows of the next subject, as far as they are together; nil at the end.
  mutating func readSubject(into draft: inout StudyDraft) -> SubjectKey? {
    while let row, let finder = rows?.finder {
      guard finder.lacksSubject(row) else {
        let subject = SubjectKey(row.text(of: finder.subject.index))
        readRows(of: subject, into: &draft)
        return subject
      }
      readRows(upTo: 1, into: &draft)
    }
    return nil
  }
}
