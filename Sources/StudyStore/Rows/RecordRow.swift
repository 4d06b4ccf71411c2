public import AlcoholKinetics
public import Foundation
public import GRDB
public import StudyData
import StudyFiles

/// What an import can bring.
public struct RecordType: RawRepresentable, CaseIterable, Hashable, Sendable {
  public static let subjects = RecordType(rawValue: "subjects")
  public static let drinks = RecordType(rawValue: "drinks")
  public static let readings = RecordType(rawValue: "readings")
  /// What a study has; another package may have more.
  public static let allCases = [subjects, drinks, readings]

  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
}

/// A row of the table of drinks or that of readings.
@_spi(StudyDay) public protocol RecordRow: StoredRow {
  associatedtype Value: Hashable, Sendable

  /// What it counts as.
  static var type: RecordType { get }

  /// What an entry of a study day is called that it follows from.
  static var kind: String { get }

  /// What an import may have found missing, and is there with a row.
  static var missing: [DiagnosticCode] { get }

  static func slot(of value: Value) -> RecordSlot

  /// Makes the row of a record; only readings have an instrument.
  init(_ value: Value, ordinal: Int, uuid: UUID, series: Int64, instrument: Int64)

  var value: Value { get set }
  var series: Int64 { get }
  /// What it came from, if that is known.
  var source: String? { get set }
}

/// A row that is checked as a row of a file is.
protocol CheckedRow: RecordRow {
  /// Checks the record, and adds it to its series.
  func add(to series: inout StoredSeries, _ check: inout StoredStudyCheck)
}

/// Where a record stands in its series, which is what it is the same by unless it has a UUID.
@_spi(StudyDay) public struct RecordSlot: Hashable {
  public var time: Hours
  /// The unit of a reading; nil for a drink.
  var unit: ConcentrationUnit?
}

extension RecordRow {
  public var slot: RecordSlot { Self.slot(of: value) }

  public static func rows(of series: Int64, in db: Database) throws -> [Self] {
    try counted(
      in: db, "series_id = ? ORDER BY \(keys.joined(separator: ", "))", [series.databaseValue])
  }

  /// The rows of a series if they are fewer than twice as many as wanted, and else as many, evenly with the last.
  public static func rows(of series: Int64, about wanted: Int, in db: Database) throws -> [Self] {
    let count = try db.value("SELECT count(*) FROM \(table) WHERE series_id = ?", [series]) ?? 0
    let step = max(1, count / wanted)
    guard step > 1 else { return try rows(of: series, in: db) }
    var (index, rows): (Int, [Self]) = (0, [])
    try db.forEach(
      """
      SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE series_id = ?
      ORDER BY \(keys.joined(separator: ", "))
      """, [series.databaseValue]
    ) { row in
      if index % step == (count - 1) % step { rows.append(try Self(row)) }
      index += 1
    }
    return rows
  }

  /// Inserts a record that came with a UUID beside those that are in its slot, where corrected times may
  /// have left gaps.
  public static func insert(
    _ value: Value, uuid: UUID, source: String? = nil, series: Int64, instrument: Int64 = 0,
    in db: Database
  ) throws {
    var row = Self(value, ordinal: 0, uuid: uuid, series: series, instrument: instrument)
    row.isUUIDGiven = true
    row.source = source
    try row.insertBesideOthers(in: db)
  }

  /// Removes what was found missing in files and is in a series now.
  public static func removeFindings(on series: Int64, in db: Database) throws {
    let marks = databaseQuestionMarks(count: missing.count)
    try db.run(
      "DELETE FROM findings WHERE code IN (\(marks)) AND (series_id = ? OR series_id IS NULL)",
      missing.map { $0.rawValue } + [series])
  }
}

@_spi(StudyDay) public struct DrinkRow: CheckedRow {
  public var series: Int64
  public var value: Drink
  public var ordinal: Int
  public var uuid: UUID
  public var isUUIDGiven = false
  public var source: String?

  public static let type = RecordType.drinks
  public static let kind = "drink"
  public static let missing = [DiagnosticCode.doseMissing]
  public static let table = "drinks"
  public static let columns = [
    "series_id", "time_h", "ordinal", "duration_h", "ethanol_g", "ethanol_g_per_kg", "route",
    "uuid", "is_uuid_given", "source",
  ]
  public static let keyCount = 3

  public static func slot(of drink: Drink) -> RecordSlot { RecordSlot(time: drink.time) }

  func add(to series: inout StoredSeries, _ check: inout StoredStudyCheck) {
    check.add(value, isUUIDGiven ? uuid : nil, to: &series)
  }

  public init(
    _ drink: Drink, ordinal: Int, uuid: UUID, series: Int64, instrument: Int64 = 0
  ) {
    value = drink
    self.ordinal = ordinal
    self.uuid = uuid
    self.series = series
  }

  public init(_ row: RawRow) throws {
    series = row.integer(0)
    value = Drink(
      time: Hours(row.double(1)), duration: Hours(row.double(3)),
      ethanol: row.optionalDouble(4).map { .mass(Grams($0)) }
        ?? .perBodyWeight(GramsPerKilogram(row.double(5))),
      route: try row.sound(
        row.text(6).flatMap(Route.init), 6, Self.table, "is neither oral nor iv"))
    ordinal = Int(row.integer(2))
    uuid = try row.uuid(7, of: Self.table)
    isUUIDGiven = try row.flag(8, of: Self.table)
    source = row.text(9)
  }

  public var fields: [DatabaseValue] {
    let (grams, gramsPerKilogram): (Double?, Double?) =
      switch value.ethanol {
      case .mass(let grams): (grams.value, nil)
      case .perBodyWeight(let dose): (nil, dose.value)
      }
    return [
      series.databaseValue, value.time.value.databaseValue, ordinal.databaseValue,
      value.duration.value.databaseValue, grams.databaseValue, gramsPerKilogram.databaseValue,
      value.route.rawValue.databaseValue, uuid.databaseValue, isUUIDGiven.databaseValue,
      source.databaseValue,
    ]
  }
}

@_spi(StudyDay) public struct ReadingRow: CheckedRow {
  public var series: Int64
  public var value: Reading
  public var ordinal: Int
  public var instrument: Int64
  public var uuid: UUID
  public var isUUIDGiven = false
  public var source: String?

  public static let type = RecordType.readings
  public static let kind = "reading"
  public static let missing = [DiagnosticCode.seriesReadings, .noReadings]
  public static let table = "readings"
  public static let columns = [
    "series_id", "time_h", "unit", "ordinal", "value", "limit_of_detection", "is_excluded",
    "instrument_id", "uuid", "is_uuid_given", "source",
  ]
  public static let keyCount = 4

  public static func slot(of reading: Reading) -> RecordSlot {
    RecordSlot(time: reading.time, unit: reading.unit)
  }

  func add(to series: inout StoredSeries, _ check: inout StoredStudyCheck) {
    check.add(value, isUUIDGiven ? uuid : nil, to: &series)
  }

  public init(_ reading: Reading, ordinal: Int, uuid: UUID, series: Int64, instrument: Int64) {
    value = reading
    self.ordinal = ordinal
    self.uuid = uuid
    self.series = series
    self.instrument = instrument
  }

  public init(_ row: RawRow) throws {
    series = row.integer(0)
    value = Reading(
      time: Hours(row.double(1)), value: row.double(4),
      unit: try row.sound(
        row.text(2).flatMap(ConcentrationUnit.init), 2, Self.table, "is not a known unit"),
      limitOfDetection: row.optionalDouble(5), isExcluded: try row.flag(6, of: Self.table))
    ordinal = Int(row.integer(3))
    instrument = row.integer(7)
    uuid = try row.uuid(8, of: Self.table)
    isUUIDGiven = try row.flag(9, of: Self.table)
    source = row.text(10)
  }

  public var fields: [DatabaseValue] {
    [
      series.databaseValue, value.time.value.databaseValue, value.unit.rawValue.databaseValue,
      ordinal.databaseValue, value.value.databaseValue, value.limitOfDetection.databaseValue,
      value.isExcluded.databaseValue, instrument.databaseValue, uuid.databaseValue,
      isUUIDGiven.databaseValue, source.databaseValue,
    ]
  }
}
