import AlcoholKinetics
import StudyData

/// A row of the table of readings.
struct ReadingRow: RecordRow {
  var series: Int64
  var value: Reading
  var ordinal: Int
  var instrument: Int64
  var uuid: RecordUUID
  var isUUIDGiven = false

  static let type = RecordType.readings
  static let table = "readings"
  static let columns = [
    "series_id", "time_h", "unit", "ordinal", "value", "limit_of_detection", "is_excluded",
    "instrument_id", "uuid",
  ]
  static let keyColumns = ["series_id", "time_h", "unit", "ordinal"]

  static func slot(of reading: Reading) -> RecordSlot {
    RecordSlot(time: reading.time, unit: reading.unit)
  }

  func bind(to statement: RawStatement, from first: Int32) {
    bindKey(to: statement, from: first)
    statement.bind(value.value, at: first + 4)
    statement.bind(value.limitOfDetection, at: first + 5)
    statement.bind(value.isExcluded, at: first + 6)
    statement.bind(instrument, at: first + 7)
    statement.bind(uuid, at: first + 8)
  }

  func bindKey(to statement: RawStatement, from first: Int32) {
    statement.bind(series, at: first)
    statement.bind(value.time.value, at: first + 1)
    statement.bind(lasting: StaticUnit(unit: value.unit).name, at: first + 2)
    statement.bind(Int64(ordinal), at: first + 3)
  }

  func changes(from row: ReadingRow) -> [ValueChange] {
    let (new, old) = (value, row.value)
    return [
      ValueChange("time_h", from: old.time.value, to: new.time.value),
      ValueChange("unit", from: old.unit.rawValue, to: new.unit.rawValue),
      ValueChange("value", from: old.value, to: new.value),
      ValueChange("limit_of_detection", from: old.limitOfDetection, to: new.limitOfDetection),
      ValueChange("is_excluded", from: old.isExcluded ? 1 : 0, to: new.isExcluded ? 1 : 0),
      ValueChange("instrument_id", from: Double(row.instrument), to: Double(instrument)),
    ].compactMap(\.self)
  }
}

extension ReadingRow {
  init(_ reading: Reading, ordinal: Int, in origin: RecordOrigin) {
    self.init(
      series: origin.place.id, value: reading, ordinal: ordinal, instrument: origin.instrument,
      uuid: origin.identity.reading(
        at: reading.time, StaticUnit(unit: reading.unit), ordinal: ordinal))
  }

  init(_ row: RawStatement) throws {
    self.init(
      series: row.integer(0),
      value: Reading(
        time: Hours(row.double(1)), value: row.double(4),
        unit: try row.unit(2), limitOfDetection: row.optionalDouble(5),
        isExcluded: try row.flag(6, of: Self.table)),
      ordinal: try row.ordinal(3, of: Self.table), instrument: row.integer(7),
      uuid: try row.uuid(8, of: Self.table), isUUIDGiven: try row.flag(9, of: Self.table))
  }
}
