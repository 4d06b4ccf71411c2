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
  /// - Returns: How many records of each type were added, changed and left alone.
  /// - Throws: ``StoreError``, with the database as it was.
  @discardableResult
  public func add(
    _ study: Study, from source: String? = nil, selection: ImportSelection = ImportSelection()
  ) throws(StoreError) -> ImportCounts {
    try write(Schema.studyTables) { db in
      let log = try ImportLog(source: source ?? study.name, inputs: study.inputs, on: db)
      try StudySynchronisation(log: log, selection: selection, on: db).add(study)
      try log.close()
      return log.counts
    }
  }
}

/// Brings a study and the database together, inside a transaction.
struct StudySynchronisation {
  private let selection: ImportSelection
  private let instruments: InstrumentTable
  private let people: SubjectTable
  private let occasions: SeriesTable
  private let drinks: RecordTable<DrinkRow>
  private let readings: RecordTable<ReadingRow>
  private let findings: FindingTable

  init(log: ImportLog, selection: ImportSelection, on db: Database) throws {
    self.selection = selection
    instruments = InstrumentTable(db: db, log: log)
    people = try SubjectTable(log: log, on: db)
    occasions = try SeriesTable(on: db)
    drinks = try RecordTable(log: log, on: db)
    readings = try RecordTable(log: log, on: db)
    findings = try FindingTable(on: db)
  }

  func add(_ study: Study) throws {
    let instrument = try instruments.add(study)
    drinks.expect(study.series.lazy.flatMap(\.uuids.drinks))
    readings.expect(study.series.lazy.flatMap(\.uuids.readings))
    for series in study.series where selection.takes(subject: series.subject.id) {
      try add(series, instrument: instrument)
    }
    try drinks.flush()
    try readings.flush()
    try findings.replace(study.diagnostics, of: nil)
    try occasions.removeEmptyOnes(leftBy: drinks.left.union(readings.left))
  }

  private func add(_ series: Series, instrument: Int64) throws {
    let place = try occasions.add(series.occasion, of: try people.add(series.subject))
    let origin = RecordOrigin(
      place: place,
      identity: SeriesIdentity(subject: series.subject.id, occasion: series.occasion),
      instrument: instrument)
    let series = selection.part(of: series)
    if selection.takes(.drinks) {
      try drinks.add(series.drinks, series.uuids.drinks, from: origin)
    }
    if selection.takes(.readings) {
      try readings.add(series.readings, series.uuids.readings, from: origin)
    }
    // A file with later readings alone says that there is no dose; that is no news if the database
    // has it.
    let isDosed = try series.drinks.isEmpty && drinks.exist(in: place)
    try findings.replace(
      series.diagnostics.filter { !isDosed || $0.code != .doseMissing }, of: place)
  }
}

/// The table of findings: those of a series give way to what is found when it is imported again.
private struct FindingTable {
  private let db: Database
  private let wasEmpty: Bool

  init(on db: Database) throws {
    self.db = db
    wasEmpty = try db.isEmpty("findings")
  }

  func replace(_ diagnostics: [Diagnostic], of place: SeriesPlace?) throws {
    if place?.mayHaveRows(inTableThatWasEmpty: wasEmpty) ?? !wasEmpty {
      try db.run("DELETE FROM findings WHERE series_id IS ?", [place?.id])
    }
    for finding in diagnostics {
      try db.insert(
        into: "findings",
        [
          "series_id": place?.id, "code": finding.code.rawValue, "file": finding.location.file,
          "line": finding.location.line, "column_number": finding.location.column,
          "message": finding.message, "remedy": finding.remedy,
        ])
    }
  }
}
