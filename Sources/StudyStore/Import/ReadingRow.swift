import AlcoholKinetics
import StudyData

/// A row of the table of readings.
struct ReadingRow: BulkRow {
  var series: Int64
  var reading: Reading
  var ordinal: Int
  var instrument: Int64
  var uuid: RecordUUID

  static let table = "readings"
  static let columns = [
    "series_id", "time_h", "unit", "ordinal", "value", "limit_of_detection", "is_excluded",
    "instrument_id", "uuid",
  ]

  func bind(to statement: RawStatement, from first: Int32) {
    statement.bind(series, at: first)
    statement.bind(reading.time.value, at: first + 1)
    statement.bind(lasting: StaticUnit(unit: reading.unit).name, at: first + 2)
    statement.bind(Int64(ordinal), at: first + 3)
    statement.bind(reading.value, at: first + 4)
    statement.bind(reading.limitOfDetection, at: first + 5)
    statement.bind(reading.isExcluded, at: first + 6)
    statement.bind(instrument, at: first + 7)
    statement.bind(uuid, at: first + 8)
  }
}
