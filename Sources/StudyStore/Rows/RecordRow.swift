public import AlcoholKinetics
public import Foundation
public import GRDB
public import StudyData
import StudyFiles

/// The type of a record that an import can bring.
public struct RecordType: RawRepresentable, CaseIterable, Hashable, Sendable {
  public static let subjects = RecordType(rawValue: "subjects")
  public static let drinks = RecordType(rawValue: "drinks")
  public static let readings = RecordType(rawValue: "readings")
  /// The types of a study; another package may add more.
  public static let allCases = [subjects, drinks, readings]

  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
}

/// The key of a record within its series, unless it has a UUID: records with equal slots are the
/// same.
struct RecordSlot: Hashable {
  var time: Hours
  /// The unit of a reading; nil for a drink.
  var unit: ConcentrationUnit?
}

/// The table of a kind of record.
@_spi(StudyDay) public struct RecordTable: Sendable {
  let type: RecordType
  /// All columns, in the order in which rows are read and written.
  let columns: [String]
  /// The columns of the key, in order.
  let keys: [String]
  let hasInstruments: Bool
  /// The findings about missing records that a row settles.
  let missing: [DiagnosticCode]
  let selection: String
  let order: String

  init(
    _ type: RecordType, values: [String], keys: [String], missing: [DiagnosticCode]
  ) {
    self.type = type
    self.keys = keys
    self.missing = missing
    hasInstruments = values.contains("instrument_id")
    columns =
      ["series_id", "time_h", "ordinal"] + values + ["uuid", "is_uuid_given", "source"]
    selection = "SELECT \(columns.joined(separator: ", ")) FROM \(type.rawValue) WHERE"
    order = keys.joined(separator: ", ")
  }

  var name: String { type.rawValue }

  func insertion(rows: Int) -> String {
    let row = "(\(databaseQuestionMarks(count: columns.count)))"
    let rows = repeatElement(row, count: rows).joined(separator: ", ")
    return "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES \(rows)"
  }
}

/// A drink or a reading, as a row of its table holds it.
@_spi(StudyDay) public protocol RecordValue: Hashable, Sendable {
  static var table: RecordTable { get }

  var time: Hours { get }
  /// The unit that is part of its key, if any is.
  var keyUnit: ConcentrationUnit? { get }
  /// The columns that it alone has.
  var fields: [DatabaseValue] { get }

  init(time: Hours, _ row: Row) throws
}

extension RecordValue {
  var slot: RecordSlot { RecordSlot(time: time, unit: keyUnit) }
}

@_spi(StudyDay) extension Drink: RecordValue {
  public static let table = RecordTable(
    .drinks, values: ["duration_h", "ethanol_g", "ethanol_g_per_kg", "route"],
    keys: ["series_id", "time_h", "ordinal"], missing: [.doseMissing])

  public var keyUnit: ConcentrationUnit? { nil }

  public init(time: Hours, _ row: Row) throws {
    let duration: Double = try row.sound(3, of: "drinks")
    let ethanol: EthanolDose
    if let grams = Double.fromDatabaseValue(row[4]) {
      ethanol = .mass(Grams(grams))
    } else {
      ethanol = .perBodyWeight(GramsPerKilogram(try row.sound(5, of: "drinks")))
    }
    let route = try row.sound(6, of: "drinks", "is neither oral nor iv") {
      String.fromDatabaseValue($0).flatMap(Route.init)
    }
    self.init(time: time, duration: Hours(duration), ethanol: ethanol, route: route)
  }

  public var fields: [DatabaseValue] {
    var mass: Double?
    var perBodyWeight: Double?
    switch ethanol {
    case .mass(let grams): mass = grams.value
    case .perBodyWeight(let dose): perBodyWeight = dose.value
    }
    return [
      duration.value.databaseValue, mass.databaseValue, perBodyWeight.databaseValue,
      route.rawValue.databaseValue,
    ]
  }
}

@_spi(StudyDay) extension Reading: RecordValue {
  public static let table = RecordTable(
    .readings,
    values: ["unit", "value", "limit_of_detection", "is_excluded", "instrument_id"],
    keys: ["series_id", "time_h", "unit", "ordinal"], missing: [.seriesReadings, .noReadings])

  public var keyUnit: ConcentrationUnit? { unit }

  public init(time: Hours, _ row: Row) throws {
    self.init(
      time: time, value: try row.sound(4, of: "readings"),
      unit: try row.sound(3, of: "readings", "is not a known unit") {
        String.fromDatabaseValue($0).flatMap(ConcentrationUnit.init(rawValue:))
      },
      limitOfDetection: Double.fromDatabaseValue(row[5]),
      isExcluded: try row.flag(6, of: "readings"))
  }

  public var fields: [DatabaseValue] {
    [
      unit.rawValue.databaseValue, value.databaseValue, limitOfDetection.databaseValue,
      isExcluded.databaseValue,
    ]
  }
}

/// A row of the table of drinks or that of readings.
@_spi(StudyDay) public struct RecordRow<Value: RecordValue>: FetchableRecord {
  public let series: Int64
  public var value: Value
  /// The number of the record among those in the same slot.
  var ordinal: Int
  /// The instrument of a reading; 0 if unknown.
  var instrument: Int64
  let uuid: UUID
  /// True if the UUID came with the record, and was not derived.
  var isUUIDGiven: Bool
  /// The source of the record, if known.
  var source: String?

  init(
    _ value: Value, ordinal: Int = 0, uuid: UUID, isUUIDGiven: Bool = true, source: String? = nil,
    series: Int64, instrument: Int64
  ) {
    self.value = value
    self.ordinal = ordinal
    self.uuid = uuid
    self.isUUIDGiven = isUUIDGiven
    self.source = source
    self.series = series
    self.instrument = instrument
  }

  public init(row: Row) throws {
    let table = Value.table
    let count = table.columns.count
    series = try row.sound(0, of: table.name)
    value = try Value(time: Hours(row.sound(1, of: table.name)), row)
    ordinal = try row.sound(2, of: table.name)
    instrument = table.hasInstruments ? try row.sound(count - 4, of: table.name) : 0
    uuid = try row.sound(count - 3, of: table.name, "is not a UUID")
    isUUIDGiven = try row.flag(count - 2, of: table.name)
    source = String.fromDatabaseValue(row[count - 1])
  }

  /// All columns, in order.
  var fields: [DatabaseValue] {
    var fields = [series.databaseValue, value.time.value.databaseValue, ordinal.databaseValue]
    fields.reserveCapacity(Value.table.columns.count)
    fields += value.fields
    if Value.table.hasInstruments { fields.append(instrument.databaseValue) }
    fields.append(uuid.databaseValue)
    fields.append(isUUIDGiven.databaseValue)
    fields.append(source.databaseValue)
    return fields
  }

  // MARK: Reading

  private static func all(
    _ condition: String, _ values: [DatabaseValue], in db: Database
  ) throws -> [Self] {
    try fetchAll(
      db.cachedStatement(sql: "\(Value.table.selection) \(condition)"),
      arguments: StatementArguments(values))
  }

  private static var ofSeries: String { "series_id = ? ORDER BY \(Value.table.order)" }

  static func rows(of series: Int64, in db: Database) throws -> [Self] {
    try all(ofSeries, [series.databaseValue], in: db)
  }

  /// The records of a series, in order: if they are at least twice as many as wanted, about as many, evenly with the last.
  public static func values(
    of series: Int64, about target: Int = .max, in db: Database
  ) throws -> [Value] {
    let count =
      try db.value(
        "SELECT count(*) FROM \(Value.table.name) WHERE series_id = ?", [series]) ?? 0
    let step = max(1, count / target)
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: "\(Value.table.selection) \(ofSeries)"), arguments: [series]
    ).enumerated()
    var values: [Value] = []
    while let (index, row) = try rows.next() {
      if index % step == (count - 1) % step { values.append(try Self(row: row).value) }
    }
    return values
  }

  /// The row whose record came with a UUID, wherever it stands.
  public static func row(_ uuid: UUID, in db: Database) throws -> Self? {
    try all("uuid = ? AND is_uuid_given = 1", [uuid.databaseValue], in: db).first
  }

  /// The next free ordinal in the slot of some rows.
  static func ordinal(after rows: [Self]) throws -> Int {
    for row in rows where !(0..<(1 << 48) ~= row.ordinal) {
      throw StoreError.damage(
        Value.table.name, "ordinal is \(row.ordinal), which is out of range")
    }
    return (rows.lazy.map(\.ordinal).max() ?? -1) + 1
  }

  // MARK: Writing

  static func insert(_ rows: [Self], in db: Database) throws {
    // A statement for each size is kept; that of a hundred takes what is more.
    for first in stride(from: 0, to: rows.count, by: 100) {
      let part = rows[first..<min(first + 100, rows.count)]
      var fields: [DatabaseValue] = []
      fields.reserveCapacity(part.count * Value.table.columns.count)
      for row in part { fields += row.fields }
      try db.cachedStatement(sql: Value.table.insertion(rows: part.count))
        .execute(arguments: StatementArguments(checking: fields))
    }
  }

  /// Inserts a record that came with a UUID beside those that are in its slot, where corrected times may have left gaps.
  public static func insert(
    _ value: Value, uuid: UUID, source: String? = nil, series: Int64, instrument: Int64 = 0,
    in db: Database
  ) throws {
    var row = Self(value, uuid: uuid, source: source, series: series, instrument: instrument)
    let unit = value.keyUnit.map { [$0.rawValue.databaseValue] } ?? []
    let others = try all(
      "series_id = ? AND time_h = ? \(unit.isEmpty ? "" : "AND unit = ?")",
      [series.databaseValue, value.time.value.databaseValue] + unit, in: db)
    row.ordinal = try ordinal(after: others)
    try insert([row], in: db)
  }

  /// Writes the row in the place of an older one of the same record.
  public func update(from old: Self, in db: Database) throws {
    let table = Value.table
    let keys = zip(table.columns, old.fields).filter { table.keys.contains($0.0) }
    let values = table.columns.map { "\($0) = ?" }.joined(separator: ", ")
    let key = keys.map { "\($0.0) = ?" }.joined(separator: " AND ")
    try db.cachedStatement(sql: "UPDATE \(table.name) SET \(values) WHERE \(key)")
      .execute(arguments: StatementArguments(checking: fields + keys.map { $0.1 }))
  }

  /// The columns that differ from an older row of the same record; the ordinal is not reported.
  public func changes(from old: Self) -> [ValueChange] {
    zip(Value.table.columns, zip(old.fields, fields)).compactMap { column, values in
      column == "ordinal" ? nil : ValueChange(column, from: values.0, to: values.1)
    }
  }

  /// Removes what was found missing in files and is in a series now.
  public static func removeFindings(on series: Int64, in db: Database) throws {
    let missing = Value.table.missing
    let marks = databaseQuestionMarks(count: missing.count)
    try db.run(
      "DELETE FROM findings WHERE code IN (\(marks)) AND (series_id = ? OR series_id IS NULL)",
      missing.map { $0.rawValue } + [series])
  }
}

/// A value that is not what it was.
@_spi(StudyDay) public struct ValueChange {
  let column: String
  let old: DatabaseValue
  let new: DatabaseValue

  public init?(_ column: String, from old: DatabaseValue, to new: DatabaseValue) {
    guard old != new else { return nil }
    self.column = column
    self.old = old
    self.new = new
  }
}
