package import Foundation
package import GRDB
@_spi(StudyDay) package import StudyStore

/// A row of the table of vital signs.
package struct VitalRow: StoredRow {
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

  package init(_ row: RawRow) throws {
    self.init(
      subject: row.integer(0), kind: row.text(1) ?? "", start: row.text(2) ?? "",
      end: row.text(3) ?? "", source: row.text(4) ?? "", value: row.double(6),
      uuid: try row.uuid(7, of: Self.table), isUUIDGiven: try row.flag(8, of: Self.table),
      importID: row.integer(9), given: (row.double(10), row.text(11) ?? ""),
      day: row.text(12) ?? "")
    ordinal = Int(row.integer(5))
  }

  package static let table = "vitals"
  package static let columns = [
    "subject_id", "kind", "start_utc", "end_utc", "source", "ordinal", "value", "uuid",
    "is_uuid_given", "import_id", "given_value", "given_unit", "day",
  ]
  package static let keyCount = 6
  package static let unlogged: Set = ["ordinal", "import_id", "given_value", "given_unit", "day"]

  package var fields: [DatabaseValue] {
    [
      subject.databaseValue, kind.databaseValue, start.databaseValue, end.databaseValue,
      source.databaseValue, ordinal.databaseValue, value.databaseValue, uuid.databaseValue,
      isUUIDGiven.databaseValue, importID.databaseValue, givenValue.databaseValue,
      givenUnit.databaseValue, day.databaseValue,
    ]
  }

  /// Whether only the number that tells such rows apart may be different.
  package func isInPlace(of other: VitalRow) -> Bool {
    fields[..<(Self.keyCount - 1)] == other.fields[..<(Self.keyCount - 1)]
  }
}

extension RecordType {
  package static let vitals = RecordType(rawValue: "vitals")
  /// What can be imported beside a study day.
  package static let ofDay = allCases + [vitals]
}
