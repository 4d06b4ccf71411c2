package import Foundation
package import GRDB
@_spi(StudyDay) package import StudyStore

/// A row of the table of vital signs.
package struct VitalRow: Hashable {
  package var subject: Int64
  package var kind: String
  package var start: String
  package var end: String
  package var source: String
  package var ordinal: Int
  /// In the unit of the kind.
  package var value: Double
  package var uuid: UUID
  package var isUUIDGiven: Bool
  package var importID: Int64
  package var givenValue: Double
  package var givenUnit: String
  package var day: String

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
    ordinal = 0
    self.value = value
    self.uuid = uuid
    self.isUUIDGiven = isUUIDGiven
    self.importID = importID
    (givenValue, givenUnit) = given
    self.day = day
  }

  private init(_ row: SafeRow) throws {
    let ordinal: Int = row["ordinal"]
    guard let uuid: UUID = row["uuid"], 0..<(1 << 48) ~= ordinal else {
      throw StoreError.damage("vitals", "an entry has no valid uuid or ordinal")
    }
    self.init(
      subject: row["subject_id"], kind: row["kind"], start: row["start_utc"], end: row["end_utc"],
      source: row["source"], value: row["value"], uuid: uuid, isUUIDGiven: row["is_uuid_given"],
      importID: row["import_id"], given: (row["given_value"], row["given_unit"]), day: row["day"])
    self.ordinal = ordinal
  }

  /// What stands in one place is told apart by the ordinal.
  private var place: KeyValuePairs<String, DatabaseValue> {
    [
      "subject_id": subject.databaseValue, "kind": kind.databaseValue,
      "start_utc": start.databaseValue, "end_utc": end.databaseValue,
      "source": source.databaseValue,
    ]
  }

  // MARK: The table

  /// The row whose record came with a UUID, wherever it stands.
  package static func row(_ uuid: UUID, in db: Database) throws -> VitalRow? {
    try db.row("SELECT * FROM vitals WHERE uuid = ? AND is_uuid_given = 1", [uuid]).map(
      VitalRow.init)
  }

  /// What stands in the place of the row, in order.
  package func neighbours(in db: Database) throws -> [VitalRow] {
    try db.rows(
      """
      SELECT * FROM vitals WHERE subject_id = ? AND kind = ? AND start_utc = ? AND end_utc = ?
        AND source = ? ORDER BY ordinal
      """, place.map(\.value)
    ).map(VitalRow.init)
  }

  /// Inserts the row beside those that are in its place, where corrected times may have left gaps.
  func insertBesideOthers(in db: Database) throws {
    var row = self
    row.ordinal = (try neighbours(in: db).last?.ordinal ?? -1) + 1
    try row.insert(in: db)
  }

  package func insert(in db: Database) throws {
    try db.run(
      """
      INSERT INTO vitals (subject_id, kind, start_utc, end_utc, source, ordinal, value, uuid,
        is_uuid_given, import_id, given_value, given_unit, day)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      place.map(\.value) + [
        ordinal, value, uuid, isUUIDGiven, importID, givenValue, givenUnit, day,
      ] as [any DatabaseValueConvertible])
  }

  /// Puts the row in the place of an older one of the same record.
  package func replace(_ old: VitalRow, in db: Database) throws {
    try db.run(
      """
      DELETE FROM vitals WHERE subject_id = ? AND kind = ? AND start_utc = ? AND end_utc = ?
        AND source = ? AND ordinal = ?
      """, old.place.map(\.value) + [old.ordinal.databaseValue])
    try insert(in: db)
  }

  /// What is different from an older row of the same record, but for what no log has.
  package func changes(from old: VitalRow) -> [ValueChange] {
    let changes = zip(place, old.place).map { ValueChange($0.key, from: $1.value, to: $0.value) }
    return (changes + [
      ValueChange("value", from: old.value.databaseValue, to: value.databaseValue),
      ValueChange("uuid", from: old.uuid.databaseValue, to: uuid.databaseValue),
      ValueChange(
        "is_uuid_given", from: old.isUUIDGiven.databaseValue, to: isUUIDGiven.databaseValue),
    ]).compactMap(\.self)
  }

  /// Whether only the number that tells such rows apart may be different.
  package func isInPlace(of other: VitalRow) -> Bool {
    place.map(\.value) == other.place.map(\.value)
  }
}

extension RecordType {
  package static let vitals = RecordType(rawValue: "vitals")
  /// What can be imported beside a study day.
  package static let ofDay = allCases + [vitals]
}
