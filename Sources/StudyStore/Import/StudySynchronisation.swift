import AlcoholKinetics
import GRDB
public import StudyData

extension StudyStore {
  /// Adds a study to the database: what is new is added, what changed is updated with a log of the
  /// old value, unchanged records are left alone, and nothing is removed.
  ///
  /// Subjects are the same if their names are; series if subject and occasion are; drinks if they
  /// have the same time in the same series; readings if they have the same time and unit.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - source: Where it came from, as the log names it.
  ///   - selection: Which of its records to take.
  /// - Returns: The numbers of records added, changed and left alone, by type.
  /// - Throws: ``StoreError``, with the database as it was.
  @discardableResult
  public func add(
    _ study: Study, from source: String? = nil, selection: ImportSelection = ImportSelection()
  ) throws(StoreError) -> ImportCounts {
    try write(Schema.studyTables) { db in try add(study, from: source, selection, on: db) }
  }

  /// Counts what ``add(_:from:selection:)`` would add and change, and does none of it.
  package func rehearse(
    _ study: Study, selection: ImportSelection = ImportSelection()
  ) throws(StoreError) -> ImportCounts {
    try write(Schema.studyTables) { db in
      var counts = ImportCounts()
      try db.inSavepoint {
        counts = try add(study, from: nil, selection, on: db)
        return .rollback
      }
      return counts
    }
  }

  private func add(
    _ study: Study, from source: String?, _ selection: ImportSelection, on db: Database
  ) throws -> ImportCounts {
    let log = try ImportLog(source: source ?? study.name, inputs: study.inputs, on: db)
    try StudySynchronisation(study, log: log, selection: selection, on: db).add(study)
    try log.close()
    return log.counts
  }
}

/// Imports a study into the database, inside a transaction.
private struct StudySynchronisation {
  private let db: Database
  private let log: ImportLog
  private let selection: ImportSelection
  private let people: SubjectTable
  private let occasions: SeriesTable
  private let drinks: RecordSynchronisation<Drink>
  private let readings: RecordSynchronisation<Reading>

  init(_ study: Study, log: ImportLog, selection: ImportSelection, on db: Database) throws {
    self.db = db
    self.log = log
    self.selection = selection
    let served = try ServedRecords(in: db)
    people = try SubjectTable(log: log, served, on: db)
    occasions = try SeriesTable(on: db)
    drinks = try RecordSynchronisation(
      expecting: study.series.lazy.flatMap(\.uuids.drinks), served, log: log, on: db)
    readings = try RecordSynchronisation(
      expecting: study.series.lazy.flatMap(\.uuids.readings), served, log: log, on: db)
  }

  func add(_ study: Study) throws {
    let instrument = try addDescription(of: study)
    for series in study.series where selection.takes(subject: series.subject.id) {
      try add(series, instrument: instrument)
    }
    try replaceFindings(of: nil, by: study.diagnostics)
    try occasions.removeEmptyOnes(vacated: drinks.vacatedSeries.union(readings.vacatedSeries))
  }

  private func add(_ series: Series, instrument: Int64) throws {
    let storedSeries = try occasions.add(series.occasion, of: try people.add(series.subject))
    let identity = SeriesIdentity(subject: series.subject.id, occasion: series.occasion)
    let series = selection.part(of: series)
    if selection.takes(.drinks) {
      try drinks.add(
        series.drinks, series.uuids.drinks, to: storedSeries, identity, instrument: instrument)
    }
    if selection.takes(.readings) {
      try readings.add(
        series.readings, series.uuids.readings, series.sources, to: storedSeries, identity,
        instrument: instrument)
    }
    // A file with later readings alone says that there is no dose; that is no news if the database
    // has it.
    let isDosed =
      try series.drinks.isEmpty && !storedSeries.isNew
      && db.has("SELECT 1 FROM drinks WHERE series_id = ?", [storedSeries.id])
    let findings = series.diagnostics.filter { !isDosed || $0.code != .doseMissing }
    if !storedSeries.isNew || !findings.isEmpty {
      try replaceFindings(of: storedSeries.id, by: findings)
    }
  }

  /// Replaces the findings of a series, or of the study, by those of the new import.
  private func replaceFindings(of series: Int64?, by findings: [Diagnostic]) throws {
    try db.run("DELETE FROM findings WHERE series_id IS ?", [series])
    for finding in findings {
      try db.insert(
        into: "findings",
        [
          "series_id": series, "code": finding.code.rawValue, "file": finding.location.file,
          "line": finding.location.line, "column_number": finding.location.column,
          "message": finding.message, "remedy": finding.remedy,
        ])
    }
  }

  // MARK: Name and instrument

  /// Stores the name and the instrument of a study, and returns the number of the instrument.
  private func addDescription(of study: Study) throws -> Int64 {
    let instrument = try study.instrument.map(add)
    guard let old = try StudyRecord(in: db) else {
      try db.insert(
        into: "study",
        ["id": 1, "name": study.name, "title": study.title, "instrument_id": instrument])
      return instrument ?? 0
    }
    // A folder of later readings often has no descriptor: what it does not say, it does not change.
    let title = study.title ?? old.title
    let number = instrument ?? old.instrument
    try db.run("UPDATE study SET title = ?, instrument_id = ?", [title, number])
    try log.logChange(
      "study", row: "1",
      ValueChange("title", from: old.title.databaseValue, to: title.databaseValue))
    try log.logChange(
      "study", row: "1",
      ValueChange("instrument_id", from: old.instrument.databaseValue, to: number.databaseValue))
    return number ?? 0
  }

  /// Instruments are the same if their names are.
  private func add(_ instrument: Instrument) throws -> Int64 {
    let stored = try db.row(
      "SELECT * FROM instruments WHERE id > 0 AND name IS ?", [instrument.name])
    if stored == nil {
      try db.insert(into: "instruments", ["name": instrument.name])
    }
    let id = stored?["id"] ?? db.lastInsertedRowID
    for (column, value) in instrument.fields {
      try db.run("UPDATE instruments SET \(column) = ? WHERE id = ?", [value, id])
      guard let stored else { continue }
      try log.logChange(
        "instruments", row: instrument.name ?? "\(id)",
        ValueChange(
          column, from: (stored[column] as Double?).databaseValue, to: value.databaseValue))
    }
    return id
  }
}
