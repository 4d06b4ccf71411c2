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

  /// What records are the same by, whatever their value.
  func identity(of subject: String, ordinal: Int) -> UUID {
    UUID(of: ["health", type, subject, start.utc, end.utc, source, "\(ordinal)"])
  }
}

final class VitalTable {
  private let log: ImportLog
  private let db: Database
  /// The UUIDs that come with this import: rows with one of them wait for their own record.
  private var coming: Set<UUID> = []

  init(log: ImportLog, on db: Database) throws {
    self.log = log
    self.db = db
  }

  func expect(_ uuids: some Sequence<UUID>) {
    coming.formUnion(uuids)
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
    let known = try new.neighbours(in: db)
    new.ordinal = (known.last?.ordinal ?? -1) + 1
    let byUUID = try uuid.flatMap { try VitalRow.row($0, in: db) }
    let old = byUUID ?? match(value, uuid, among: known)
    if uuid == nil {
      new.uuid = old?.uuid ?? record.identity(of: subject.name, ordinal: new.ordinal)
      new.isUUIDGiven = old?.isUUIDGiven == true
    }
    guard let old else {
      try new.insert(db)
      return log.added(.vitals)
    }
    // Another number is only needed in another place.
    if new.isInPlace(of: old) { new.ordinal = old.ordinal }
    let changes = try new.changes(from: old)
    if !changes.isEmpty { try new.replace(old, in: db) }
    try log.record(.vitals, row: new.uuid.text, changes)
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
