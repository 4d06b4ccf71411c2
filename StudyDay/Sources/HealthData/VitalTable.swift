import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

struct HealthRecord {
  /// The type without Apple's prefix, as `HeartRate`.
  var type: String
  var value: Double
  var unit: String
  var start: HealthTime
  var end: HealthTime
  var source: String

  /// Returns the identity of a record without a UUID; its value does not count.
  func identity(of subject: String, ordinal: Int) -> UUID {
    UUID(of: ["health", type, subject, start.utc, end.utc, source, "\(ordinal)"])
  }
}

final class VitalTable {
  private let log: ImportLog
  private let db: Database
  /// UUIDs in this import: rows with one of them are reserved for their own record.
  private var expected: Set<UUID> = []

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    self.db = db
  }

  func expect(_ uuids: some Sequence<UUID>) {
    expected.formUnion(uuids)
  }

  /// Adds a record, whose value in the unit of its kind is given as well, and its UUID, if it has one.
  func add(
    _ record: HealthRecord, _ kind: VitalKind, _ value: Double,
    of subject: (id: Int64, name: String), _ uuid: UUID? = nil
  ) throws {
    var new = VitalRow(
      subject: subject.id, kind: kind.rawValue, start: record.start.utc, end: record.end.utc,
      source: record.source, value: value, uuid: uuid ?? UUID(), isUUIDGiven: uuid != nil,
      importID: log.id, given: (record.value, record.unit), day: record.start.day)
    let neighbours = try new.neighbours(in: db)
    new.ordinal = (neighbours.last?.ordinal ?? -1) + 1
    let byUUID = try uuid.flatMap { try VitalRow.row($0, in: db) }
    let old = byUUID ?? match(value, uuid, among: neighbours)
    if uuid == nil {
      new.uuid = old?.uuid ?? record.identity(of: subject.name, ordinal: new.ordinal)
      new.isUUIDGiven = old?.isUUIDGiven == true
    }
    guard let old else {
      try new.insert(db)
      return log.added(.vitals)
    }
    // A row that stays in its place keeps its ordinal.
    if new.isInPlace(of: old) { new.ordinal = old.ordinal }
    let changes = try new.changes(from: old)
    if !changes.isEmpty { try new.replace(old, in: db) }
    try log.record(.vitals, row: new.uuid.text, changes)
  }

  /// Returns the row in the same place that stands for a record without a known UUID.
  private func match(_ value: Double, _ uuid: UUID?, among rows: [VitalRow]) -> VitalRow? {
    let free = rows.filter { row in
      uuid == nil ? !row.isUUIDGiven || !expected.contains(row.uuid) : !row.isUUIDGiven
    }
    // A row of this very import is kept: the export has two values for one time.
    return free.first { $0.value == value } ?? free.first { $0.importID != log.id }
  }
}
