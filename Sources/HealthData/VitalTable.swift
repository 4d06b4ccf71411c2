import Foundation
import GRDB
import StudyData
import StudyStore

/// A record of Apple Health: what was measured, when, and by what.
struct HealthRecord {
  /// The type without Apple's prefix, as `HeartRate`.
  var type: String
  var value: Double
  var unit: String
  var start: HealthTime
  var end: HealthTime
  var source: String

  /// What records are the same by, whatever their value.
  func identity(of subject: String, ordinal: Int) -> UUID {
    UUID(of: ["health", type, subject, start.utc, end.utc, source, "\(ordinal)"])
  }
}

/// A row of the table of vital signs.
struct VitalRow: StoredRow {
  var subject: Int64
  var kind: String
  var start: String
  var end: String
  var source: String
  var ordinal: Int
  /// In the unit of the kind.
  var value: Double
  var uuid: UUID
  var isUUIDGiven: Bool
  var importID: Int64
  var givenValue: Double
  var givenUnit: String
  var day: String

  static let table = "vitals"
  static let columns = [
    "subject_id", "kind", "start_utc", "end_utc", "source", "ordinal", "value", "uuid",
    "is_uuid_given", "import_id", "given_value", "given_unit", "day",
  ]
  static let keyCount = 6
  static let unlogged: Set = ["ordinal", "import_id", "given_value", "given_unit", "day"]

  var fields: [DatabaseValue] {
    [
      subject.databaseValue, kind.databaseValue, start.databaseValue, end.databaseValue,
      source.databaseValue, ordinal.databaseValue, value.databaseValue, uuid.databaseValue,
      isUUIDGiven.databaseValue, importID.databaseValue, givenValue.databaseValue,
      givenUnit.databaseValue, day.databaseValue,
    ]
  }

  /// Whether only the number that tells such rows apart may be different.
  func isInPlace(of other: VitalRow) -> Bool {
    fields[..<(Self.keyCount - 1)] == other.fields[..<(Self.keyCount - 1)]
  }
}

extension VitalRow {
  init(_ row: RawRow) throws {
    self.init(
      subject: row.integer(0), kind: row.text(1) ?? "", start: row.text(2) ?? "",
      end: row.text(3) ?? "", source: row.text(4) ?? "", ordinal: Int(row.integer(5)),
      value: row.double(6), uuid: try row.uuid(7, of: Self.table),
      isUUIDGiven: try row.flag(8, of: Self.table), importID: row.integer(9),
      givenValue: row.double(10), givenUnit: row.text(11) ?? "", day: row.text(12) ?? "")
  }
}

/// The table of vital signs: adds what is new, updates what changed.
final class VitalTable {
  private let log: ImportLog
  private let db: Database
  /// The UUIDs that come with this import: rows with one of them wait for their own record.
  private var coming: Set<UUID> = []

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    self.db = db
  }

  /// Says which UUIDs are to come.
  func expect(_ uuids: some Sequence<UUID>) {
    coming.formUnion(uuids)
  }

  /// Adds a record, whose value in the unit of its kind is given as well, and its UUID, if it has one.
  func add(
    _ record: HealthRecord, _ kind: VitalKind, _ value: Double,
    of subject: (id: Int64, name: String), _ uuid: UUID? = nil
  ) throws {
    let place = VitalRow.keys.dropLast().map { "\($0) = ?" }.joined(separator: " AND ")
    let words = [kind.rawValue, record.start.utc, record.end.utc, record.source]
    let known = try VitalRow.counted(
      in: db, "\(place) ORDER BY ordinal",
      [subject.id.databaseValue] + words.map(\.databaseValue))
    let ordinal = (known.last?.ordinal ?? -1) + 1
    let byUUID = try uuid.flatMap {
      try VitalRow.counted(in: db, "uuid = ? AND is_uuid_given = 1", [$0.databaseValue]).first
    }
    let old = byUUID ?? match(value, uuid, among: known)
    var new = VitalRow(
      subject: subject.id, kind: kind.rawValue, start: record.start.utc, end: record.end.utc,
      source: record.source, ordinal: ordinal, value: value,
      uuid: uuid ?? old?.uuid ?? record.identity(of: subject.name, ordinal: ordinal),
      isUUIDGiven: uuid != nil || old?.isUUIDGiven == true, importID: log.id,
      givenValue: record.value, givenUnit: record.unit, day: record.start.day)
    guard let old else {
      try new.insert(in: db)
      return log.added(.vitals)
    }
    // Another number is only needed in another place.
    if new.isInPlace(of: old) { new.ordinal = old.ordinal }
    let changes = new.changes(from: old)
    if !changes.isEmpty { try new.update(from: old, in: db) }
    try log.settle(.vitals, row: new.uuid.text, changes)
  }

  /// The row in the same place that a record is, unless its UUID has told.
  private func match(_ value: Double, _ uuid: UUID?, among rows: [VitalRow]) -> VitalRow? {
    let free = rows.filter { row in
      uuid == nil ? !row.isUUIDGiven || !coming.contains(row.uuid) : !row.isUUIDGiven
    }
    // What this very import has brought is not changed by it: it has two values for one time.
    return free.first { $0.value == value } ?? free.first { $0.importID != log.id }
  }
}
