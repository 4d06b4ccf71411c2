import AlcoholKinetics
import StudyData

/// Reads a table of events in NONMEM's form: drinks and readings in one, in order of time.
final class EventTableReader: SeriesReader {
  private let table: CSVTable
  private let columns: EventColumns?
  private let events: SeriesTable?
  /// The subjects that have been read one at a time.
  private var seen = SeenNames()

  init(_ input: StudyInput) throws(StudyError) {
    let file = input.files[.events]
    table = CSVTable(file, called: input.path)
    let header = table.readHeader()
    columns = header.flatMap { EventColumns(header: $0, unit: input.dvUnit) }
    table.comments = columns?.comments
    events = header.flatMap { [table, columns] in SeriesTable(events: table, $0, columns) }
    try super.init(
      input, tables: [table], wantsReadings: true,
      layout: .events(in: input.path, mayBeginAgain: file?.columns.ignoresColumns ?? false))
  }

  override func add(_ ofSheet: SheetFindings, to subject: SubjectDraft) {
    guard ofSheet.areAbout(subject) else { return }
    // Why a row has no time is among them.
    for index in subject.series.indices {
      subject.series[index].findings.removeAll { $0.code == .time }
    }
    super.add(ofSheet, to: subject)
  }

  override func readRows() -> Bool {
    defer { hasSubject = hasSubject || !draft.subjects.isEmpty }
    return events?.readStretch(into: &draft) ?? false
  }

  override func readSubject() -> SubjectStep {
    guard let events, let subject = events.readNextSubject(into: &draft) else { return .end }
    hasSubject = true
    _ = seen.insert(subject.id)
    // Whoever comes again may stand between rows of this subject, too.
    guard let (name, place) = events.nextSubject, seen.contains(name) else { return .subject }
    return .disorder(
      table.row.log.finding(
        .subjectApart, at: place,
        "other subjects' rows stand between those of subject \(name.quoted)",
        remedy: "sort the rows by ID"))
  }

  override func end() {
    guard let columns else { return }
    table.row.log.requireSubject(hasSubject)
    columns.comments.report(to: &table.row.log)
    guard !columns.hasReadings, !table.row.log.hasErrors else { return }
    table.row.log.add(
      .noReadings, at: nil, "the study has no readings",
      remedy: "add rows with DV if something was measured")
  }
}

/// The columns of a table of events.
final class EventColumns {
  private let subjects: SubjectColumns
  private let kind: EventKindColumns
  private let time: Column
  private let drink: EventDrinkColumns
  private let reading: EventReadingColumns
  private let uuid: UUIDColumn?
  private let descriptions: EventDescriptions
  let comments: CommentRows
  private(set) var hasReadings = false

  /// Finds the columns, with the unit of `DV` unless they state it; nil, reported, where one is missing.
  init?(header: Header, unit: ConcentrationUnit) {
    guard header.column("id") != nil else {
      guard header.column("subject") == nil else {
        header.report(
          .notAFolder, at: nil,
          "the file alone is no study: beside subjects, it has no columns from which times, drinks and readings "
            + "are known; it has \(header.listing)",
          remedy:
            "add columns as \"Time (min)\", \"Ethanol (g)\" and \"BAC (g/L)\" or say which they are with --map; of a "
            + "study folder, name the folder")
        return nil
      }
      header.ask(
        .notAFolder, "no column of the file names subjects; it has \(header.listing)",
        remedy:
          "name a folder with subjects.csv, drinks.csv and readings.csv, or a table of events with ID, TIME, "
          + "AMT and DV; or say which column names subjects",
        statements: ["\(ColumnChoice.anyColumn)=subject"])
      return nil
    }
    header.reportMapOfNothing()
    let time = header.required("TIME")
    let drink = EventDrinkColumns(header: header)
    let reading = EventReadingColumns(header: header, unit: unit)
    let known = EventKindColumns.names.union(EventDrinkColumns.names)
      .union(EventReadingColumns.names)
      .union(["time", "occ", "occasion", UUIDColumn.name, CommentRows.columnName])
    let subjects = SubjectColumns(header: header, called: .ofEvents, besides: known)
    guard let subjects, let time, let drink, let reading else { return nil }
    self.subjects = subjects
    self.time = time
    self.drink = drink
    self.reading = reading
    kind = EventKindColumns(header: header)
    uuid = UUIDColumn(header: header, UUIDRegister())
    let hasOccasions = header.column(anyOf: ["occ", "occasion"]) != nil
    descriptions = EventDescriptions(subjects, header, hasOccasions: hasOccasions)
    comments = CommentRows(header: header)
  }

  /// Takes in the first row of a subject, which tells who it is.
  func begin(_ subject: SubjectDraft, at row: CSVRow) {
    descriptions.begin(at: row)
    guard subject.place == nil else { return }
    subjects.describe(subject, by: row)
    row.settle(into: &subject.findings)
  }

  @inline(__always)
  func read(_ row: CSVRow, into series: inout SeriesDraft) {
    descriptions.compare(row)
    let place = row.place(of: time.index)
    switch kind.kind(of: row, drink) {
    case .drink:
      series.hasDrinkRows = true
      let uuid = uuid?.uuid(in: row)
      let time = TimeUnit.hours.time(in: time, of: row)
      let repeats = kind.repeats(of: row)
      guard var drink = drink.drink(at: time, in: row), let repeats else { return }
      series.drinks.append(drink, at: place, uuid)
      for _ in 0..<repeats.count {
        drink.time = Hours(drink.time.value + repeats.hours)
        series.drinks.repeated.append((drink, place))
      }
    case .reading(let isExcluded) where !reading.isMissing(in: row):
      let uuid = uuid?.uuid(in: row)
      let time = TimeUnit.hours.time(in: time, of: row)
      // One that cannot be read is told as such.
      hasReadings = true
      descriptions.settle(row, at: time, after: series.readings.values, isExcluded)
      guard let reading = reading.reading(at: time, isExcluded: isExcluded, in: row)
      else { return }
      series.readings.append(reading, at: place, uuid)
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

  init(header: Header) { mark = header.column(Self.columnName) }

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

  func report(to log: inout FindingLog) {
    guard count > 0 else { return }
    let rows = count == 1 ? "1 row is" : "\(count) rows are"
    log.add(
      .rowsLeftOut, at: first,
      "\(rows) left out, because of a C in the column C, or a leading # or @",
      remedy: "if that is intended, do nothing; otherwise remove the mark, rename the column, or "
        + "put the name in quotes")
  }
}
