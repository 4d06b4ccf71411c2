import AlcoholKinetics
import GRDB
import StudyData

/// Brings a study and the database together, inside a transaction.
struct StudySynchronisation {
  private let db: Database
  private let log: ImportLog
  private let selection: ImportSelection
  private let people: SubjectTable
  private let occasions: SeriesTable
  private let drinks: RecordTable<DrinkRow>
  private let readings: RecordTable<ReadingRow>
  private let findings: FindingTable

  init(log: ImportLog, selection: ImportSelection, on db: Database) throws {
    self.db = db
    self.log = log
    self.selection = selection
    people = try SubjectTable(log: log, on: db)
    occasions = try SeriesTable(on: db)
    drinks = try RecordTable(log: log, on: db)
    readings = try RecordTable(log: log, on: db)
    findings = try FindingTable(on: db)
  }

  func add(_ study: Study) throws {
    let instrument = try InstrumentTable(db: db, log: log).add(study)
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
    let subject = try people.add(series.subject)
    let place = try occasions.add(series.occasion, of: subject)
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
    try findings.replace(try relevantFindings(on: series, at: place), of: place)
  }

  /// A file with later readings alone says that there is no dose; that is no news if the database
  /// has it.
  private func relevantFindings(on series: Series, at place: SeriesPlace) throws -> [Diagnostic] {
    guard series.drinks.isEmpty, try drinks.exist(in: place) else {
      return series.diagnostics
    }
    return series.diagnostics.filter { $0.code != .doseMissing }
  }
}
