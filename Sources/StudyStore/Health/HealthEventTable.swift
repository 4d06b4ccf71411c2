import AlcoholKinetics
import GRDB
import StudyData

/// Drinks and readings of Apple Health, which have a date: an occasion lasts from noon to noon, is
/// named by its first day, and counts its times from the first noon.
final class HealthEventTable {
  private struct Occasion {
    var place: SeriesPlace
    var start: HealthTime
  }

  private let db: Database
  private let log: ImportLog
  private let subject: (id: Int64, name: String)
  private let series: SeriesTable
  // Row by row: the ordinal of the next depends on what is there.
  private let drinks: BulkInsert<SourcedRow<DrinkRow>>
  private let readings: BulkInsert<SourcedRow<ReadingRow>>
  private var occasions: [String: Occasion] = [:]
  /// How often this export has brought a record; two drinks may be noted for one minute.
  private var counts: [RecordUUID: Int] = [:]

  init(log: ImportLog, subject: (id: Int64, name: String), on db: Database) throws {
    self.db = db
    self.log = log
    self.subject = subject
    series = try SeriesTable(on: db)
    drinks = try BulkInsert(on: db, width: 1)
    readings = try BulkInsert(on: db, width: 1)
  }

  func removeEmptyOnes() throws {
    try series.removeEmptyOnes()
  }

  func addDrink(_ record: HealthRecord, ethanol: Grams) throws {
    let uuid = uuid(of: record)
    let duration = Double(record.end.seconds - record.start.seconds) / 3600
    let old = try SafeRow.first(
      db, "SELECT ethanol_g FROM drinks WHERE uuid = ? AND is_uuid_given = 1",
      [uuid.data])
    guard let old else {
      let (place, time) = try place(of: record)
      let drink = Drink(time: time, duration: Hours(duration), ethanol: .mass(ethanol))
      let ordinal = try nextOrdinal(in: "drinks", place, time)
      let row = DrinkRow(series: place.id, value: drink, ordinal: ordinal, uuid: uuid)
      try drinks.add(SourcedRow(row: row, source: record.source))
      return log.added(.drinks)
    }
    let change = ValueChange("ethanol_g", from: old["ethanol_g"] as Double?, to: ethanol.value)
    if change != nil {
      try db.execute(
        sql: "UPDATE drinks SET ethanol_g = ?, ethanol_g_per_kg = NULL WHERE uuid = ?",
        arguments: [ethanol.value, uuid.data])
    }
    try log.settle(.drinks, row: uuid.description, [change].compactMap(\.self))
  }

  func addReading(_ record: HealthRecord, gramsPer100Millilitres value: Double) throws {
    let uuid = uuid(of: record)
    let old = try Double.fetchOne(
      db, sql: "SELECT value FROM readings WHERE uuid = ? AND is_uuid_given = 1",
      arguments: [uuid.data])
    guard let old else {
      let (place, time) = try place(of: record)
      let reading = Reading(time: time, value: value, unit: .bloodGramsPer100Millilitres)
      let ordinal = try nextOrdinal(in: "readings", place, time)
      let row = ReadingRow(
        series: place.id, value: reading, ordinal: ordinal, instrument: 0, uuid: uuid)
      try readings.add(SourcedRow(row: row, source: record.source))
      return log.added(.readings)
    }
    let change = ValueChange("value", from: old, to: value)
    if change != nil {
      try db.execute(
        sql: "UPDATE readings SET value = ? WHERE uuid = ?", arguments: [value, uuid.data])
    }
    try log.settle(.readings, row: uuid.description, [change].compactMap(\.self))
  }

  // MARK: Places

  private func uuid(of record: HealthRecord) -> RecordUUID {
    let first = record.identity(of: subject.name, ordinal: 0)
    let ordinal = counts[first, default: 0]
    counts[first] = ordinal + 1
    return ordinal == 0 ? first : record.identity(of: subject.name, ordinal: ordinal)
  }

  private func place(of record: HealthRecord) throws -> (SeriesPlace, Hours) {
    let noon = record.start.noonBefore
    let occasion = try occasion(from: noon)
    let time = Double(record.start.seconds - occasion.start.seconds) / 3600
    return (occasion.place, Hours(time))
  }

  /// The occasion of a noon. Where the clocks change in the night, all of its times count from the
  /// noon that was noted first.
  private func occasion(from noon: HealthTime) throws -> Occasion {
    if let known = occasions[noon.day] { return known }
    let place = try series.add(
      noon.day, of: subject.id, startsUTC: noon.utc, day: noon.day)
    let stored = try String.fetchOne(
      db, sql: "SELECT starts_utc FROM series WHERE id = ?", arguments: [place.id])
    let start = stored.flatMap { HealthTime("\($0) +0000") } ?? noon
    let occasion = Occasion(place: place, start: start)
    occasions[noon.day] = occasion
    return occasion
  }

  /// The number of another row at a time; corrected times may have left gaps.
  private func nextOrdinal(in table: String, _ place: SeriesPlace, _ time: Hours) throws -> Int {
    let last = try RawStatement(
      "SELECT ordinal FROM \(table) WHERE series_id = ? AND time_h = ? ORDER BY ordinal DESC LIMIT 1",
      on: db)
    last.bind(place.id, at: 1)
    last.bind(time.value, at: 2)
    return try last.step() ? last.ordinal(0, of: table) + 1 : 0
  }
}
