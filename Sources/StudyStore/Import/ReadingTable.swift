import AlcoholKinetics
import GRDB
import StudyData

/// The table of readings: adds what is new, updates what changed.
final class ReadingTable {
  private struct Key: Hashable {
    var time: Hours
    var unit: String
    var ordinal: Int
  }

  private struct Value {
    var value: Double
    var limit: Double?
    var isExcluded: Bool
    var instrument: Int64
  }

  private let log: ImportLog
  private let bulk: BulkInsert<ReadingRow>
  private let selectAll: RawStatement
  private let update: RawStatement
  /// Whether there was nothing to compare with when the import began.
  private let wasEmpty: Bool

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    wasEmpty = try RawStatement("SELECT 1 FROM readings LIMIT 1", on: db).isEmpty()
    bulk = try BulkInsert(on: db)
    selectAll = try RawStatement(
      """
      SELECT time_h, unit, ordinal, value, limit_of_detection, is_excluded, instrument_id
      FROM readings WHERE series_id = ?
      """, on: db)
    update = try RawStatement(
      """
      UPDATE readings SET value = ?, limit_of_detection = ?, is_excluded = ?, instrument_id = ?
      WHERE series_id = ? AND time_h = ? AND unit = ? AND ordinal = ?
      """, on: db)
  }

  func add(
    _ readings: [Reading], to place: SeriesPlace, _ identity: SeriesIdentity, instrument: Int64
  ) throws {
    let known = place.mayHaveRows(inTableThatWasEmpty: wasEmpty) ? try rows(of: place) : [:]
    var ordinals = OrdinalCounter<ConcentrationUnit>()
    for reading in readings.inOrder(of: { $0.time }) {
      let ordinal = ordinals.next(at: reading.time, reading.unit)
      let uuid = identity.reading(
        at: reading.time, StaticUnit(unit: reading.unit), ordinal: ordinal)
      let row = ReadingRow(
        series: place.id, reading: reading, ordinal: ordinal, instrument: instrument, uuid: uuid)
      if !known.isEmpty,
        let old = known[
          Key(time: reading.time, unit: reading.unit.rawValue, ordinal: ordinal)]
      {
        try settle(row, instead: old)
      } else {
        try bulk.add(row)
        log.added(.readings)
      }
    }
  }

  func flush() throws {
    try bulk.flush()
  }

  private func rows(of place: SeriesPlace) throws -> [Key: Value] {
    try bulk.flush()
    var rows: [Key: Value] = [:]
    selectAll.bind(place.id, at: 1)
    try selectAll.forEach { row in
      let key = Key(
        time: Hours(row.double(0)), unit: row.text(1) ?? "", ordinal: Int(row.integer(2)))
      rows[key] = Value(
        value: row.double(3), limit: row.optionalDouble(4), isExcluded: row.integer(5) != 0,
        instrument: row.integer(6))
    }
    return rows
  }

  private func settle(_ row: ReadingRow, instead old: Value) throws {
    let new = row.reading
    let changes = [
      ValueChange("value", from: old.value, to: new.value),
      ValueChange("limit_of_detection", from: old.limit, to: new.limitOfDetection),
      ValueChange("is_excluded", from: old.isExcluded ? 1 : 0, to: new.isExcluded ? 1 : 0),
      ValueChange("instrument_id", from: Double(old.instrument), to: Double(row.instrument)),
    ].compactMap(\.self)
    if !changes.isEmpty {
      update.bind(new.value, at: 1)
      update.bind(new.limitOfDetection, at: 2)
      update.bind(new.isExcluded, at: 3)
      update.bind(row.instrument, at: 4)
      update.bind(row.series, at: 5)
      update.bind(new.time.value, at: 6)
      update.bind(new.unit.rawValue, at: 7)
      update.bind(Int64(row.ordinal), at: 8)
      try update.run()
    }
    try log.settle(.readings, row: row.uuid.description, changes)
  }
}
