import AlcoholKinetics

/// The rows of a table of events as NONMEM has them: drinks and readings in one, in order of time.
struct EventRows: SeriesRows {
  var series: SeriesFinder
  private let subjects: SubjectRows
  private var changes: DescriptionChanges
  private let kind: EventKindColumns
  private let time: Column
  private let drink: EventDrinkColumns
  private let reading: EventReadingColumns
  private let uuid: UUIDColumn?
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
    let time = header.required("TIME", log: &log)
    let drink = EventDrinkColumns(header: header, log: &log)
    let reading = EventReadingColumns(header: header, unit: unit, log: &log)
    kind = EventKindColumns(header: header)
    let known = EventKindColumns.names.union(EventDrinkColumns.names)
      .union(EventReadingColumns.names)
      .union(["time", "occ", "occasion", UUIDColumn.name, CommentRows.columnName])
    let subjects = SubjectRows(
      header: header, called: .ofEvents, besides: known, log: &log)
    guard let subjects, let time, let drink, let reading else { return nil }
    self.subjects = subjects
    self.time = time
    self.drink = drink
    self.reading = reading
    uuid = UUIDColumn(header: header)
    comments = CommentRows(header: header)
    changes = DescriptionChanges(of: subjects.descriptions)
    series = SeriesFinder(subject: id, occasion: header.column(anyOf: ["occ", "occasion"]))
  }

  mutating func leavesOut(_ row: CSVRow) -> Bool { comments.take(row) }

  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    let isSameSubject = series.isLastSubject(row)
    guard let index = series.find(for: row, in: &draft, log: &log) else { return }
    if isSameSubject {
      changes.note(in: row, log: &log)
    } else {
      describeSubject(of: row, in: &draft, log: &log)
    }
    changes.remember(row)
    readEvent(row, into: &draft.series[index], &draft.uuids, log: &log)
    log.settleRow(into: &draft.series[index].findings)
  }

  /// The first row of a subject tells who it is.
  private func describeSubject(
    of row: CSVRow, in draft: inout StudyDraft, log: inout FindingLog
  ) {
    let subject = draft.subject(row.text(of: series.subject.index))
    guard draft.subjects[subject].place == nil else { return }
    subjects.describe(&draft.subjects[subject], by: row, log: &log)
    log.settleRow(into: &draft.subjects[subject].findings)
  }

  private mutating func readEvent(
    _ row: CSVRow, into series: inout SeriesDraft, _ register: inout UUIDRegister,
    log: inout FindingLog
  ) {
    let place = row.place(of: time.index)
    switch kind.kind(of: row, isDose: drink.isFilled(in: row), log: &log) {
    case .drink:
      series.hasDrinkRows = true
      let uuid = uuid?.uuid(in: row, &register, log: &log)
      let time = TimeColumns.hours(in: time, of: row, log: &log)
      guard let drink = drink.drink(at: time, in: row, log: &log) else { return }
      series.drinks.append(drink, at: place)
      if let uuid { series.drinks.identifyLast(as: uuid) }
    case .reading(let isExcluded) where !reading.isMissing(in: row):
      let uuid = uuid?.uuid(in: row, &register, log: &log)
      let time = TimeColumns.hours(in: time, of: row, log: &log)
      guard let reading = reading.reading(at: time, isExcluded: isExcluded, in: row, log: &log)
      else { return }
      hasReadings = true
      series.readings.append(reading, at: place)
      if let uuid { series.readings.identifyLast(as: uuid) }
    case .reading, .other:
      return
    case nil:
      // It may have been the drink that would be missed otherwise.
      series.hasDrinkRows = true
    }
  }
}
