package import Foundation
package import GRDB

/// A row of one of the tables that may have millions: drinks, readings, vital signs.
package protocol StoredRow {
  /// The table.
  static var table: String { get }
  /// The columns in order, those of the key first.
  static var columns: [String] { get }
  /// How many columns tell rows apart.
  static var keyCount: Int { get }
  /// The columns whose changes are not logged.
  static var unlogged: Set<String> { get }

  /// Takes a row of the table, its columns in order.
  init(_ row: SafeRow) throws
  /// Tells apart what stands in one place: others are made by counting on from it.
  var ordinal: Int { get }
  /// What each column holds.
  var fields: [DatabaseValue] { get }
}

extension StoredRow {
  package static var unlogged: Set<String> { ["ordinal"] }

  /// The columns that tell rows apart.
  package static var keys: ArraySlice<String> { columns[..<keyCount] }

  /// The rows that meet a condition.
  package static func all(
    in db: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [Self] {
    let statement = try db.cachedStatement(
      sql: "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE \(condition)")
    return try Array(Row.fetchCursor(statement, arguments: arguments).map { try Self(SafeRow($0)) })
  }

  /// The rows that meet a condition, whose numbers can be counted on from.
  package static func counted(
    in db: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [Self] {
    let rows = try all(in: db, condition, arguments)
    for row in rows where !(0..<(1 << 48) ~= row.ordinal) {
      throw StoreError.damage(table, "ordinal is \(row.ordinal), which is out of range")
    }
    return rows
  }

  /// Inserts the row.
  package func insert(in db: Database) throws { try Self.insert(fields, in: db) }

  fileprivate static func insert(_ values: [DatabaseValue], in db: Database) throws {
    let row = "(\(databaseQuestionMarks(count: columns.count)))"
    let rows = repeatElement(row, count: values.count / columns.count).joined(separator: ", ")
    try db.execute(
      sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(rows)",
      values: values)
  }

  /// Puts the row in the place of an older one of the same record.
  package func update(from old: Self, in db: Database) throws {
    let values = Self.columns.map { "\($0) = ?" }.joined(separator: ", ")
    let key = Self.keys.map { "\($0) = ?" }.joined(separator: " AND ")
    try db.execute(
      sql: "UPDATE \(Self.table) SET \(values) WHERE \(key)",
      values: fields + old.fields[..<Self.keyCount])
  }

  /// What is different from an older row of the same record.
  package func changes(from old: Self) -> [ValueChange] {
    zip(Self.columns, zip(old.fields, fields)).compactMap { column, values in
      Self.unlogged.contains(column) ? nil : ValueChange(column, from: values.0, to: values.1)
    }
  }
}

/// A value that is not what it was.
package struct ValueChange {
  var column: String
  var old: DatabaseValue
  var new: DatabaseValue

  /// Returns nil if nothing changed.
  init?(_ column: String, from old: DatabaseValue, to new: DatabaseValue) {
    guard old != new else { return nil }
    self.column = column
    self.old = old
    self.new = new
  }
}

/// Inserts many rows by statements that take two hundred at a time, which halves the time of an import.
final class BulkInsert<Row: StoredRow> {
  private let db: Database
  private var waiting: [DatabaseValue] = []

  init(on db: Database) { self.db = db }

  /// Adds a row, now or later.
  func add(_ row: Row) throws {
    waiting += row.fields
    if waiting.count == 200 * Row.columns.count { try flush() }
  }

  /// Inserts what waits.
  func flush() throws {
    guard !waiting.isEmpty else { return }
    try Row.insert(waiting, in: db)
    waiting.removeAll(keepingCapacity: true)
  }
}

extension Database {
  /// Whether a table has no row.
  func isEmpty(_ table: String) throws -> Bool {
    try Bool.fetchOne(self, sql: "SELECT NOT EXISTS (SELECT 1 FROM \(table))") ?? true
  }

  /// Executes a statement with values for its parameters.
  ///
  /// GRDB ends the process where SQLite does not take a value, and SQLite takes what is not a number
  /// for nothing at all: both are errors here.
  package func execute(sql: String, values: [(any DatabaseValueConvertible)?]) throws {
    try execute(sql: sql, values: values.map { $0?.databaseValue ?? .null })
  }

  /// Executes a statement with values for its parameters.
  package func execute(sql: String, values: [DatabaseValue]) throws {
    for value in values { try requireStorable(value) }
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
  }

  /// Inserts a row of a table.
  package func insert(
    into table: String, _ values: KeyValuePairs<String, (any DatabaseValueConvertible)?>
  ) throws {
    let columns = values.map(\.key).joined(separator: ", ")
    try execute(
      sql:
        "INSERT INTO \(table) (\(columns)) VALUES (\(databaseQuestionMarks(count: values.count)))",
      values: values.map(\.value))
  }

  /// Throws if SQLite cannot hold a value.
  fileprivate func requireStorable(_ value: DatabaseValue) throws {
    switch value.storage {
    case .string(let text) where text.utf8.count > Int(StoreConnection.longest):
      throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "a text is too long")
    case .double(let number) where number.isNaN:
      throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a value is not a number")
    default: break
    }
  }
}

/// A row of one of the small tables, which GRDB writes and reads.
package protocol StoreRecord: Codable, FetchableRecord, MutablePersistableRecord {}

extension StoreRecord {
  package static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
    .convertFromSnakeCase
  }
  package static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
    .convertToSnakeCase
  }

  package func willSave(_ db: Database) throws {
    for value in try databaseDictionary.values { try db.requireStorable(value) }
  }

  /// What is different from an older record, in the order of the columns.
  func changes(of columns: [String], from old: Self) throws -> [ValueChange] {
    let (before, after) = (try old.databaseDictionary, try databaseDictionary)
    return columns.compactMap {
      ValueChange($0, from: before[$0] ?? .null, to: after[$0] ?? .null)
    }
  }
}

/// A row whose values are read as what they are wanted as, or else as nothing.
///
/// GRDB's own rows end the process where a value is of another type than is asked for, which a
/// damaged database can hold whatever the schema says.
package struct SafeRow {
  private let row: Row

  /// All rows of a query.
  package static func all(
    _ db: Database, _ sql: String, _ arguments: StatementArguments = []
  ) throws -> [SafeRow] {
    try Row.fetchAll(db, sql: sql, arguments: arguments).map(SafeRow.init)
  }

  /// The first row of a query; nil if there is none.
  package static func first(
    _ db: Database, _ sql: String, _ arguments: StatementArguments = []
  ) throws -> SafeRow? {
    try Row.fetchOne(db, sql: sql, arguments: arguments).map(SafeRow.init)
  }

  init(_ row: Row) { self.row = row }

  package subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
    // A damaged schema may lack a column as well.
    row.hasColumn(column) ? Value.fromDatabaseValue(row[column]) : nil
  }
  package subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    Value.fromDatabaseValue(row[index])
  }

  // What is never missing in a sound database.
  package subscript(_ column: String) -> String { self[column] ?? "" }
  package subscript(_ column: String) -> Double { self[column] ?? .nan }
  package subscript(_ column: String) -> Int64 { self[column] ?? 0 }
  package subscript(_ column: String) -> Int { self[column] ?? 0 }
  package subscript(_ column: String) -> Bool { self[column] ?? false }
  package subscript(_ index: Int) -> String { self[index] ?? "" }
  package subscript(_ index: Int) -> Double { self[index] ?? .nan }
  package subscript(_ index: Int) -> Int64 { self[index] ?? 0 }
  package subscript(_ index: Int) -> Int { self[index] ?? 0 }

  /// A text that was selected as a blob: GRDB ends texts at a NUL, which names may hold.
  func bytes(_ index: Int) -> String? {
    (self[index] as Data?).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A value that its table must hold in this form.
  package func sound<Value>(
    _ value: Value?, _ index: Int, of table: String, _ complaint: String
  ) throws -> Value {
    guard let value else {
      throw StoreError.damage(table, "\(Array(row.columnNames)[index]) \(complaint)")
    }
    return value
  }

  /// A column that is 0 or 1.
  package func flag(_ index: Int, of table: String) throws -> Bool {
    let flags: [Int64: Bool] = [0: false, 1: true]
    return try sound(flags[self[index]], index, of: table, "is neither 0 nor 1")
  }

  /// A UUID of 16 bytes.
  package func uuid(_ index: Int, of table: String) throws -> UUID {
    let bytes: Data? = self[index]
    return try sound(
      bytes?.count == 16 ? self[index] : nil, index, of: table, "is not a UUID")
  }
}
