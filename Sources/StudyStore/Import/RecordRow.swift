import AlcoholKinetics

/// A row of the table of drinks or that of readings.
protocol RecordRow: BulkRow {
  /// What the row is of.
  associatedtype Value: Equatable

  /// What it counts as.
  static var type: RecordType { get }
  /// The columns that tell rows apart.
  static var keyColumns: [String] { get }

  /// Where a record stands in its series.
  static func slot(of value: Value) -> RecordSlot

  /// Makes the row of a record, with the UUID that is derived for it.
  init(_ value: Value, ordinal: Int, in origin: RecordOrigin)

  /// Takes a row of the table, its columns in order and `is_uuid_given` after them.
  init(_ statement: RawStatement) throws

  var value: Value { get }
  var series: Int64 { get }
  /// Tells apart what stands in one slot.
  var ordinal: Int { get set }
  var uuid: RecordUUID { get set }
  /// Whether the UUID came with the record.
  var isUUIDGiven: Bool { get set }

  /// Binds what ``keyColumns`` hold.
  func bindKey(to statement: RawStatement, from first: Int32)

  /// What is different from an older row of the same record, but for series and UUID.
  func changes(from old: Self) -> [ValueChange]
}

extension RecordRow {
  var slot: RecordSlot { Self.slot(of: value) }

  /// All that is different from an older row of the same record.
  func allChanges(from old: Self) -> [ValueChange] {
    let identity = [
      ValueChange("series_id", from: Double(old.series), to: Double(series)),
      ValueChange("uuid", from: old.uuid.description, to: uuid.description),
      ValueChange("is_uuid_given", from: old.isUUIDGiven ? 1 : 0, to: isUUIDGiven ? 1 : 0),
    ]
    return identity.compactMap(\.self) + changes(from: old)
  }
}

/// A row whose UUID came with its record.
struct GivenRow<Row: RecordRow>: BulkRow {
  var row: Row

  static var table: String { Row.table }
  static var columns: [String] { Row.columns + ["is_uuid_given"] }

  func bind(to statement: RawStatement, from first: Int32) {
    row.bind(to: statement, from: first)
    statement.bind(true, at: first + Int32(Row.columns.count))
  }
}
