import Foundation
public import GRDB

/// A row that reads a value of an unexpected type as nil or a default.
///
/// A damaged database can hold a value of another type, whatever its schema says. GRDB's own subscripts end the
/// process there.
@_spi(StudyDay) public struct SafeRow: FetchableRecord {
  private let names: [String]
  private let values: [DatabaseValue]

  public init(row: Row) {
    names = Array(row.columnNames)
    values = Array(row.databaseValues)
  }

  public subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
    // A damaged schema may lack a column as well.
    names.firstIndex(of: column).flatMap { Value.fromDatabaseValue(values[$0]) }
  }

  // What is never missing in a sound database.
  public subscript(_ column: String) -> String { self[column] ?? "" }
  public subscript(_ column: String) -> Double { self[column] ?? .nan }
  public subscript(_ column: String) -> Int64 { self[column] ?? 0 }
  public subscript(_ column: String) -> Int { self[column] ?? 0 }
  public subscript(_ column: String) -> Bool { self[column] ?? false }
}

extension Row {
  /// A value that a column must hold.
  func sound<Value: DatabaseValueConvertible>(
    _ column: Int, of table: String, _ complaint: String = "is of another type"
  ) throws -> Value {
    try sound(column, of: table, complaint) { Value.fromDatabaseValue($0) }
  }

  /// A value converted from a column; throws if it is not possible.
  func sound<Value>(
    _ column: Int, of table: String, _ complaint: String,
    _ make: (DatabaseValue) throws -> Value?
  ) throws -> Value {
    if let value = try make(self[column]) { return value }
    throw StoreError.damage(table, "\(Array(columnNames)[column]) \(complaint)")
  }

  /// A column that is 0 or 1.
  func flag(_ column: Int, of table: String) throws -> Bool {
    try sound(column, of: table, "is neither 0 nor 1") {
      Int.fromDatabaseValue($0).flatMap { 0...1 ~= $0 ? $0 == 1 : nil }
    }
  }
}

extension StatementArguments {
  /// Checks values and stores them as they are.
  ///
  /// GRDB ends the process at a text that SQLite does not take, and ends a text at a NUL; SQLite takes NaN for NULL.
  init(checking values: [DatabaseValue]) throws {
    for value in values {
      switch value.storage {
      case .double(let number) where number.isNaN:
        throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a value is not a number")
      case .string(let text) where text.utf8.count > StoreConnection.longest:
        throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "a text is too long")
      case .string(let text) where text.utf8.contains(0):
        throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a text has a NUL")
      default: break
      }
    }
    self.init(values)
  }

  fileprivate init(checking values: [(any DatabaseValueConvertible)?]) throws {
    try self.init(checking: values.map { $0?.databaseValue ?? .null })
  }
}

@_spi(StudyDay) extension Database {
  /// Runs a statement that changes something.
  public func run(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws {
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(checking: values))
  }

  public func insert(
    into table: String, _ values: KeyValuePairs<String, (any DatabaseValueConvertible)?>
  ) throws {
    let columns = values.map { $0.key }.joined(separator: ", ")
    let marks = databaseQuestionMarks(count: values.count)
    try run("INSERT INTO \(table) (\(columns)) VALUES (\(marks))", values.map { $0.value })
  }

  public func rows(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> [SafeRow] {
    try SafeRow.fetchAll(
      cachedStatement(sql: sql), arguments: StatementArguments(checking: values))
  }

  /// The first row; nil if there is none.
  public func row(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> SafeRow? {
    try SafeRow.fetchOne(
      cachedStatement(sql: sql), arguments: StatementArguments(checking: values))
  }

  /// Whether there is any row.
  public func has(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws -> Bool {
    try row(sql, values) != nil
  }

  /// The first column of all rows, but for what is of another type.
  public func values<Value: DatabaseValueConvertible>(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> [Value] {
    try DatabaseValue.fetchAll(
      cachedStatement(sql: sql), arguments: StatementArguments(checking: values)
    ).compactMap { Value.fromDatabaseValue($0) }
  }

  /// The first column of the first row; nil if there is none, or it is of another type.
  public func value<Value: DatabaseValueConvertible>(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> Value? {
    try DatabaseValue.fetchOne(
      cachedStatement(sql: sql), arguments: StatementArguments(checking: values)
    ).flatMap { Value.fromDatabaseValue($0) }
  }
}
