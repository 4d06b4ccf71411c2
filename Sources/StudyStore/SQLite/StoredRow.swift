package import Foundation
package import GRDB

/// What a column of a row holds.
package enum Field: Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case uuid(UUID)

  package init(_ number: Double?) { self = number.map(Field.real) ?? .null }
  package init(_ number: Int64?) { self = number.map(Field.integer) ?? .null }
  package init(_ number: Int) { self = .integer(Int64(number)) }
  package init(_ text: String?) { self = text.map(Field.text) ?? .null }
  package init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
}

/// A row of one of the tables that may have millions.
package protocol StoredRow {
  /// The table.
  static var table: String { get }
  /// The columns in order, those of the key first.
  static var columns: [String] { get }
  /// How many columns tell rows apart.
  static var keyCount: Int { get }
  /// The columns that may change without a word in the log.
  static var unlogged: Set<String> { get }

  /// Appends what each column holds.
  func append(to fields: inout [Field])
}

extension StoredRow {
  package static var keyCount: Int { 0 }
  package static var unlogged: Set<String> { ["ordinal"] }

  /// The columns that tell rows apart.
  package static var keys: ArraySlice<String> { columns[..<keyCount] }
  /// Selects all columns in order, from the whole table.
  package static var selection: String {
    "SELECT \(columns.joined(separator: ", ")) FROM \(table)"
  }
  /// Sets all columns of the row whose key follows them.
  package static var update: String {
    let values = columns.map { "\($0) = ?" }.joined(separator: ", ")
    return
      "UPDATE \(table) SET \(values) WHERE \(keys.map { "\($0) = ?" }.joined(separator: " AND "))"
  }

  /// What each column holds.
  package var fields: [Field] {
    var fields: [Field] = []
    append(to: &fields)
    return fields
  }

  /// What is different from an older row of the same record.
  package func changes(from old: Self) -> [ValueChange] {
    zip(Self.columns, zip(old.fields, fields)).compactMap { column, values in
      Self.unlogged.contains(column) ? nil : ValueChange(column, from: values.0, to: values.1)
    }
  }
}

/// Inserts many rows by statements that take two hundred at a time, unless something else is said.
///
/// A million readings take GRDB's cached statement 6 times as long, and its records 13 times.
package final class BulkInsert<Row: StoredRow> {
  private let db: Database
  private let width: Int
  private let statement: RawStatement
  private var waiting: [Field] = []

  /// - Parameter width: How many rows wait for each other; with 1 a row is there at once.
  package init(on db: Database, width: Int = 200) throws {
    self.db = db
    self.width = width
    statement = try Self.statement(rows: width, on: db)
  }

  /// Adds a row, now or later.
  package func add(_ row: Row) throws {
    row.append(to: &waiting)
    guard waiting.count == width * Row.columns.count else { return }
    try insert(with: statement)
  }

  /// Inserts what waits.
  package func flush() throws {
    guard !waiting.isEmpty else { return }
    try insert(with: try Self.statement(rows: waiting.count / Row.columns.count, on: db))
  }

  private func insert(with statement: RawStatement) throws {
    try statement.run(waiting)
    waiting.removeAll(keepingCapacity: true)
  }

  private static func statement(rows: Int, on db: Database) throws -> RawStatement {
    let row = "(" + Row.columns.map { _ in "?" }.joined(separator: ", ") + ")"
    let values = repeatElement(row, count: rows).joined(separator: ", ")
    let columns = Row.columns.joined(separator: ", ")
    return try RawStatement("INSERT INTO \(Row.table) (\(columns)) VALUES \(values)", on: db)
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
    for value in values { try value.map { try requireStorable($0.databaseValue) } }
    try execute(sql: sql, arguments: StatementArguments(values))
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

  private init(_ row: Row) {
    self.row = row
  }

  package subscript(_ column: String) -> String? { String.fromDatabaseValue(value(column)) }
  package subscript(_ column: String) -> Double? { Double.fromDatabaseValue(value(column)) }
  package subscript(_ column: String) -> Int64? { Int64.fromDatabaseValue(value(column)) }
  package subscript(_ column: String) -> Int? { Int.fromDatabaseValue(value(column)) }
  package subscript(_ column: String) -> Bool? { Bool.fromDatabaseValue(value(column)) }
  package subscript(_ column: String) -> Data? { Data.fromDatabaseValue(value(column)) }

  /// A damaged schema may lack a column as well.
  private func value(_ column: String) -> DatabaseValue {
    row.hasColumn(column) ? row[column] : .null
  }

  // What is never missing in a sound database.
  package subscript(_ column: String) -> String { self[column] ?? "" }
  package subscript(_ column: String) -> Double { self[column] ?? .nan }
  package subscript(_ column: String) -> Int64 { self[column] ?? 0 }
  package subscript(_ column: String) -> Int { self[column] ?? 0 }
  package subscript(_ column: String) -> Bool { self[column] ?? false }
}
