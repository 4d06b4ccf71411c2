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
private struct VitalRow: StoredRow {
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

  func append(to fields: inout [Field]) {
    fields += [
      .integer(subject), .text(kind), .text(start), .text(end), .text(source), Field(ordinal),
      .real(value), .uuid(uuid), Field(isUUIDGiven), .integer(importID), .real(givenValue),
      .text(givenUnit), .text(day),
    ]
  }

  /// Whether only the number that tells such rows apart may be different.
  func isInPlace(of other: VitalRow) -> Bool {
    fields[..<(Self.keyCount - 1)] == other.fields[..<(Self.keyCount - 1)]
  }
}

extension VitalRow {
  init(_ row: RawStatement) throws {
    self.init(
      subject: row.integer(0), kind: row.text(1) ?? "", start: row.text(2) ?? "",
      end: row.text(3) ?? "", source: row.text(4) ?? "",
      ordinal: try row.ordinal(5, of: Self.table), value: row.double(6),
      uuid: try row.uuid(7, of: Self.table), isUUIDGiven: try row.flag(8, of: Self.table),
      importID: row.integer(9), givenValue: row.double(10), givenUnit: row.text(11) ?? "",
      day: row.text(12) ?? "")
  }
}

/// The table of vital signs: adds what is new, updates what changed.
final class VitalTable {
  private let log: ImportLog
  private let selectPlace: RawStatement
  private let selectUUID: RawStatement
  private let insertion: BulkInsert<VitalRow>
  private let update: RawStatement
  /// The UUIDs that come with this import: rows with one of them wait for their own record.
  private var coming: Set<UUID> = []

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    let place = VitalRow.keys.dropLast().map { "\($0) = ?" }.joined(separator: " AND ")
    let select = "\(VitalRow.selection) WHERE"
    selectPlace = try RawStatement("\(select) \(place) ORDER BY ordinal", on: db)
    selectUUID = try RawStatement("\(select) uuid = ? AND is_uuid_given = 1", on: db)
    // Row by row: the ordinal of the next depends on what is there.
    insertion = try BulkInsert(on: db, width: 1)
    update = try RawStatement(VitalRow.update, on: db)
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
    let known = try selectPlace.map(
      .integer(subject.id), .text(kind.rawValue), .text(record.start.utc), .text(record.end.utc),
      .text(record.source)
    ) { try VitalRow($0) }
    let ordinal = (known.last?.ordinal ?? -1) + 1
    let byUUID = try uuid.flatMap { uuid in
      try selectUUID.map(.uuid(uuid)) { try VitalRow($0) }.first
    }
    let old = byUUID ?? match(value, uuid, among: known)
    var new = VitalRow(
      subject: subject.id, kind: kind.rawValue, start: record.start.utc, end: record.end.utc,
      source: record.source, ordinal: ordinal, value: value,
      uuid: uuid ?? old?.uuid ?? record.identity(of: subject.name, ordinal: ordinal),
      isUUIDGiven: uuid != nil || old?.isUUIDGiven == true, importID: log.id,
      givenValue: record.value, givenUnit: record.unit, day: record.start.day)
    guard let old else {
      try insertion.add(new)
      return log.added(.vitals)
    }
    // Another number is only needed in another place.
    if new.isInPlace(of: old) { new.ordinal = old.ordinal }
    let changes = new.changes(from: old)
    if !changes.isEmpty { try update.run(new.fields + old.fields[..<VitalRow.keyCount]) }
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
