package import Foundation
package import GRDB
@_spi(StudyDay) package import StudyStore

/// A row of the table of vital signs.
package struct VitalRow: Codable, Hashable, FetchableRecord, PersistableRecord {
  package static let databaseTableName = "vitals"

  package var subject: Int64
  package var kind: String
  package var start: String
  package var end: String
  package var source: String
  /// Tells apart what stands in one place.
  package var ordinal = 0
  /// Value in the unit of the kind.
  package var value: Double
  package var uuid: UUID
  package var isUUIDGiven: Bool
  package var importID: Int64
  package var givenValue: Double
  package var givenUnit: String
  package var day: String

  private enum CodingKeys: String, CodingKey {
    case subject = "subject_id"
    case kind
    case start = "start_utc"
    case end = "end_utc"
    case source, ordinal, value, uuid
    case isUUIDGiven = "is_uuid_given"
    case importID = "import_id"
    case givenValue = "given_value"
    case givenUnit = "given_unit"
    case day
  }

  /// Makes the row of a record, which the insertion tells apart from others in its place.
  package init(
    subject: Int64, kind: String, start: String, end: String, source: String, value: Double,
    uuid: UUID, isUUIDGiven: Bool, importID: Int64, given: (value: Double, unit: String),
    day: String
  ) {
    self.subject = subject
    self.kind = kind
    self.start = start
    self.end = end
    self.source = source
    self.value = value
    self.uuid = uuid
    self.isUUIDGiven = isUUIDGiven
    self.importID = importID
    givenValue = given.value
    givenUnit = given.unit
    self.day = day
  }

  /// The row whose record came with a UUID, wherever it stands.
  package static func row(_ uuid: UUID, in db: Database) throws -> VitalRow? {
    try fetchOne(
      db.cachedStatement(sql: "SELECT * FROM vitals WHERE uuid = ? AND is_uuid_given = 1"),
      arguments: [uuid])
  }

  /// Returns the stored rows that occupy the row's place, in order.
  package func neighbours(in db: Database) throws -> [VitalRow] {
    let rows = try Self.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT * FROM vitals WHERE subject_id = ? AND kind = ? AND start_utc = ? AND end_utc = ?
            AND source = ? ORDER BY ordinal
          """), arguments: [subject, kind, start, end, source])
    for row in rows where !(0..<(1 << 48) ~= row.ordinal) {
      throw StoreError.damage("vitals", "ordinal is \(row.ordinal), which is out of range")
    }
    return rows
  }

  /// Inserts the row beside those that are in its place, where corrected times may have left gaps.
  func insertBesideOthers(in db: Database) throws {
    var row = self
    row.ordinal = (try neighbours(in: db).last?.ordinal ?? -1) + 1
    try row.insert(db)
  }

  /// Puts the row in the place of an older one of the same record.
  package func replace(_ old: VitalRow, in db: Database) throws {
    try old.delete(db)
    try insert(db)
  }

  /// Returns the columns that differ from an older row of the same record, apart from those that no log holds.
  package func changes(from old: VitalRow) throws -> [ValueChange] {
    let before = try old.databaseDictionary
    let after = try databaseDictionary
    return [
      "subject_id", "kind", "start_utc", "end_utc", "source", "value", "uuid", "is_uuid_given",
    ].compactMap { ValueChange($0, from: before[$0] ?? .null, to: after[$0] ?? .null) }
  }

  /// Whether only the number that tells such rows apart may be different.
  package func isInPlace(of other: VitalRow) -> Bool {
    subject == other.subject
      && [kind, start, end, source] == [other.kind, other.start, other.end, other.source]
  }
}

extension RecordType {
  package static let vitals = RecordType(rawValue: "vitals")
  /// Record types that can be imported beside a study day.
  package static let ofDay = allCases + [vitals]
}
