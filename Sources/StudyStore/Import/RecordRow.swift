package import AlcoholKinetics
package import Foundation
package import GRDB
package import StudyData

/// A row of the table of drinks or that of readings.
package protocol RecordRow: StoredRow {
  /// What the row is of.
  associatedtype Value: Hashable, Sendable

  /// What it counts as.
  static var type: RecordType { get }

  /// Where a record stands in its series.
  static func slot(of value: Value) -> RecordSlot

  /// Makes the row of a record; only readings have an instrument.
  init(_ value: Value, ordinal: Int, uuid: UUID, series: Int64, instrument: Int64)

  /// Takes a row of the table, its columns in order.
  init(_ statement: RawStatement) throws

  var value: Value { get set }
  var series: Int64 { get }
  /// Tells apart what stands in one slot.
  var ordinal: Int { get set }
  var uuid: UUID { get set }
  /// Whether the UUID came with the record.
  var isUUIDGiven: Bool { get set }
  /// What it came from, if that is known.
  var source: String? { get set }
}

extension RecordRow {
  package var slot: RecordSlot { Self.slot(of: value) }
}

/// Where a record stands in its series, which is what it is the same by unless it has a UUID.
package struct RecordSlot: Hashable {
  package var time: Hours
  /// The unit of a reading; nil for a drink.
  var unit: ConcentrationUnit?
}

/// A row of the table of drinks.
package struct DrinkRow: RecordRow {
  package var series: Int64
  package var value: Drink
  package var ordinal: Int
  package var uuid: UUID
  package var isUUIDGiven = false
  package var source: String?

  package static let type = RecordType.drinks
  package static let table = "drinks"
  package static let columns = [
    "series_id", "time_h", "ordinal", "duration_h", "ethanol_g", "ethanol_g_per_kg", "route",
    "uuid", "is_uuid_given", "source",
  ]
  package static let keyCount = 3

  package static func slot(of drink: Drink) -> RecordSlot { RecordSlot(time: drink.time) }

  package init(_ drink: Drink, ordinal: Int, uuid: UUID, series: Int64, instrument: Int64) {
    (value, self.ordinal, self.uuid, self.series) = (drink, ordinal, uuid, series)
  }

  package init(_ row: RawStatement) throws {
    series = row.integer(0)
    value = Drink(
      time: Hours(row.double(1)), duration: Hours(row.double(3)),
      ethanol: row.optionalDouble(4).map { .mass(Grams($0)) }
        ?? .perBodyWeight(GramsPerKilogram(row.double(5))),
      route: try row.route(6, of: Self.table))
    ordinal = Int(row.integer(2))
    uuid = try row.uuid(7, of: Self.table)
    isUUIDGiven = try row.flag(8, of: Self.table)
    source = row.text(9)
  }

  package func append(to fields: inout [Field]) {
    let (grams, gramsPerKilogram): (Double?, Double?) =
      switch value.ethanol {
      case .mass(let grams): (grams.value, nil)
      case .perBodyWeight(let dose): (nil, dose.value)
      }
    fields.append(.integer(series))
    fields.append(.real(value.time.value))
    fields.append(Field(ordinal))
    fields.append(.real(value.duration.value))
    fields.append(Field(grams))
    fields.append(Field(gramsPerKilogram))
    fields.append(.text(value.route.rawValue))
    fields.append(.uuid(uuid))
    fields.append(Field(isUUIDGiven))
    fields.append(Field(source))
  }
}

/// A row of the table of readings.
package struct ReadingRow: RecordRow {
  package var series: Int64
  package var value: Reading
  package var ordinal: Int
  package var instrument: Int64
  package var uuid: UUID
  package var isUUIDGiven = false
  package var source: String?

  package static let type = RecordType.readings
  package static let table = "readings"
  package static let columns = [
    "series_id", "time_h", "unit", "ordinal", "value", "limit_of_detection", "is_excluded",
    "instrument_id", "uuid", "is_uuid_given", "source",
  ]
  package static let keyCount = 4

  package static func slot(of reading: Reading) -> RecordSlot {
    RecordSlot(time: reading.time, unit: reading.unit)
  }

  package init(_ reading: Reading, ordinal: Int, uuid: UUID, series: Int64, instrument: Int64) {
    (value, self.ordinal, self.uuid, self.series) = (reading, ordinal, uuid, series)
    self.instrument = instrument
  }

  package init(_ row: RawStatement) throws {
    series = row.integer(0)
    value = Reading(
      time: Hours(row.double(1)), value: row.double(4), unit: try row.unit(2),
      limitOfDetection: row.optionalDouble(5), isExcluded: try row.flag(6, of: Self.table))
    ordinal = Int(row.integer(3))
    instrument = row.integer(7)
    uuid = try row.uuid(8, of: Self.table)
    isUUIDGiven = try row.flag(9, of: Self.table)
    source = row.text(10)
  }

  package func append(to fields: inout [Field]) {
    fields.append(.integer(series))
    fields.append(.real(value.time.value))
    fields.append(.text(value.unit.rawValue))
    fields.append(Field(ordinal))
    fields.append(.real(value.value))
    fields.append(Field(value.limitOfDetection))
    fields.append(Field(value.isExcluded))
    fields.append(.integer(instrument))
    fields.append(.uuid(uuid))
    fields.append(Field(isUUIDGiven))
    fields.append(Field(source))
  }
}

/// The rows of drinks or readings, one by one.
package struct RecordRows<Row: RecordRow> {
  private let ofSeries: RawStatement
  private let ofUUID: RawStatement
  private let last: RawStatement
  private let change: RawStatement
  // Row by row: the ordinal of the next depends on what is there.
  private let insertion: BulkInsert<Row>

  package init(on db: Database) throws {
    ofSeries = try RawStatement(
      "\(Row.selection) WHERE series_id = ? ORDER BY \(Row.keys.joined(separator: ", "))", on: db)
    ofUUID = try RawStatement("\(Row.selection) WHERE uuid = ? AND is_uuid_given = 1", on: db)
    let slot = Row.keys.filter { $0 != "ordinal" }.map { "\($0) = ?" }
    last = try RawStatement(
      """
      SELECT ordinal FROM \(Row.table) WHERE \(slot.joined(separator: " AND "))
      ORDER BY ordinal DESC LIMIT 1
      """, on: db)
    change = try RawStatement(Row.update, on: db)
    insertion = try BulkInsert(on: db, width: 1)
  }

  /// The rows of a series, in order.
  func rows(of series: Int64) throws -> [Row] {
    try ofSeries.map(.integer(series), transform: row)
  }

  /// The row whose record came with a UUID, in whichever series.
  package func row(_ uuid: UUID) throws -> Row? {
    try ofUUID.map(.uuid(uuid), transform: row).first
  }

  /// A row whose number, the last column of the key, can be counted on from.
  private func row(_ statement: RawStatement) throws -> Row {
    _ = try statement.ordinal(Int32(Row.keyCount - 1), of: Row.table)
    return try Row(statement)
  }

  package func update(_ new: Row, from old: Row) throws {
    try change.run(new.fields + old.fields[..<Row.keyCount])
  }

  /// Inserts a record that came with a UUID beside those that are in its slot, where corrected times may
  /// have left gaps.
  package func insert(
    _ value: Row.Value, uuid: UUID, source: String?, series: Int64, instrument: Int64 = 0
  ) throws {
    var row = Row(value, ordinal: 0, uuid: uuid, series: series, instrument: instrument)
    (row.isUUIDGiven, row.source) = (true, source)
    let slot = Array(zip(Row.columns, row.fields)).prefix(Row.keyCount)
      .filter { $0.0 != "ordinal" }.map(\.1)
    let ordinal = try last.first(slot) { try $0.ordinal(0, of: Row.table) }
    row.ordinal = ordinal.map { $0 + 1 } ?? 0
    try insertion.add(row)
  }
}
