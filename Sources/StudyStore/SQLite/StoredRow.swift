public import Foundation
public import GRDB

/// A row of one of the tables that may have millions: drinks, readings, vital signs.
@_spi(StudyDay) public protocol StoredRow {
  static var table: String { get }
  /// The columns in order, those of the key first.
  static var columns: [String] { get }
  /// How many columns tell rows apart.
  static var keyCount: Int { get }
  /// The columns whose changes are not logged.
  static var unlogged: Set<String> { get }

  /// Takes a row of the table, its columns in order.
  init(_ row: RawRow) throws
  /// Tells apart what stands in one place: others are made by counting on from it.
  var ordinal: Int { get set }
  /// Whether the UUID came with the record.
  var isUUIDGiven: Bool { get set }
  var uuid: UUID { get set }
  var fields: [DatabaseValue] { get }
}

extension StoredRow {
  public static var unlogged: Set<String> { ["ordinal"] }

  public static var keys: ArraySlice<String> { columns[..<keyCount] }

  public static func all(
    in db: Database, _ condition: String, _ values: [DatabaseValue]
  ) throws -> [Self] {
    try db.map(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(condition)", values
    ) { try Self($0) }
  }

  /// The rows that meet a condition, whose numbers can be counted on from.
  public static func counted(
    in db: Database, _ condition: String, _ values: [DatabaseValue]
  ) throws -> [Self] {
    let rows = try all(in: db, condition, values)
    for row in rows where !(0..<(1 << 48) ~= row.ordinal) {
      throw StoreError.damage(table, "ordinal is \(row.ordinal), which is out of range")
    }
    return rows
  }

  /// The row whose record came with a UUID, wherever it stands.
  public static func row(_ uuid: UUID, in db: Database) throws -> Self? {
    try counted(in: db, "uuid = ? AND is_uuid_given = 1", [uuid.databaseValue]).first
  }

  /// What stands in the place of the row, in order.
  public func neighbours(in db: Database) throws -> [Self] {
    try neighbours(in: db, "ORDER BY ordinal")
  }

  private func neighbours(in db: Database, _ order: String) throws -> [Self] {
    let place = zip(Self.keys, fields).filter { $0.0 != "ordinal" }
    let condition = place.map { "\($0.0) = ?" }.joined(separator: " AND ")
    return try Self.counted(in: db, "\(condition) \(order)", place.map { $0.1 })
  }

  /// Inserts the row beside those that are in its place, where corrected times may have left gaps.
  public func insertBesideOthers(in db: Database) throws {
    var row = self
    let last = try neighbours(in: db, "ORDER BY ordinal DESC LIMIT 1").first
    row.ordinal = last.map { $0.ordinal + 1 } ?? 0
    try row.insert(in: db)
  }

  public func insert(in db: Database) throws {
    try db.forEach(Self.insertion(rows: 1), fields) { _ in }
  }

  fileprivate static func insertion(rows: Int) -> String {
    let row = "(\(databaseQuestionMarks(count: columns.count)))"
    let rows = repeatElement(row, count: rows).joined(separator: ", ")
    return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(rows)"
  }

  /// Puts the row in the place of an older one of the same record.
  public func update(from old: Self, in db: Database) throws {
    let values = Self.columns.map { "\($0) = ?" }.joined(separator: ", ")
    let key = Self.keys.map { "\($0) = ?" }.joined(separator: " AND ")
    try db.forEach(
      "UPDATE \(Self.table) SET \(values) WHERE \(key)",
      fields + old.fields[..<Self.keyCount]
    ) { _ in }
  }

  /// What is different from an older row of the same record.
  public func changes(from old: Self) -> [ValueChange] {
    zip(Self.columns, zip(old.fields, fields)).compactMap { column, values in
      Self.unlogged.contains(column) ? nil : ValueChange(column, from: values.0, to: values.1)
    }
  }
}

/// A value that is not what it was.
@_spi(StudyDay) public struct ValueChange {
  var column: String
  var old: DatabaseValue
  var new: DatabaseValue

  init?(_ column: String, from old: DatabaseValue, to new: DatabaseValue) {
    guard old != new else { return nil }
    self.column = column
    self.old = old
    self.new = new
  }
}

/// Inserts many rows by statements that take two hundred at a time.
final class BulkInsert<Row: StoredRow> {
  private let db: Database
  private let statement = Row.insertion(rows: 200)
  private var waiting: [DatabaseValue] = []

  init(on db: Database) { self.db = db }

  func add(_ row: Row) throws {
    waiting += row.fields
    guard waiting.count == 200 * Row.columns.count else { return }
    try insert(statement)
  }

  func flush() throws {
    guard !waiting.isEmpty else { return }
    try insert(Row.insertion(rows: waiting.count / Row.columns.count))
  }

  private func insert(_ sql: String) throws {
    try db.forEach(sql, waiting) { _ in }
    waiting.removeAll(keepingCapacity: true)
  }
}

extension Database {
  func isEmpty(_ table: String) throws -> Bool { try !has("SELECT 1 FROM \(table)") }
}
