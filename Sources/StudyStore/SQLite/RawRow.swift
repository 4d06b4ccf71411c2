package import Foundation
package import GRDB
import GRDBSQLite

/// A row of a statement that is running, read without what GRDB does around each row and value.
///
/// GRDB's rows and arguments took a database of 200,000 readings 3.1 times as long to read and 1.8 times as long to
/// import, end texts at a NUL, and end the process where SQLite does not take a value or holds one of another type.
package struct RawRow {
  fileprivate let statement: SQLiteStatement

  package func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  package func optionalDouble(_ column: Int32) -> Double? {
    sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : double(column)
  }

  package func text(_ column: Int32) -> String? {
    guard let start = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// A column that is 0 or 1.
  package func flag(_ column: Int32, of table: String) throws -> Bool {
    let number = integer(column)
    return try sound(0...1 ~= number ? number == 1 : nil, column, table, "is neither 0 nor 1")
  }

  /// A UUID of 16 bytes.
  package func uuid(_ column: Int32, of table: String) throws -> UUID {
    let start = sqlite3_column_blob(statement, column)
    let isWhole = sqlite3_column_bytes(statement, column) == 16
    return try sound(
      isWhole ? start.map { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil, column, table,
      "is not a UUID")
  }

  /// A value that a column must hold.
  package func sound<Value>(
    _ value: Value?, _ column: Int32, _ table: String, _ complaint: String
  ) throws -> Value {
    if let value { return value }
    let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "a column"
    throw StoreError.damage(table, "\(name) \(complaint)")
  }
}

extension Database {
  package func execute(sql: String, values: [(any DatabaseValueConvertible)?]) throws {
    try forEach(sql, values.map { $0?.databaseValue ?? .null }) { _ in }
  }

  package func insert(
    into table: String, _ values: KeyValuePairs<String, (any DatabaseValueConvertible)?>
  ) throws {
    let columns = values.map(\.key).joined(separator: ", ")
    let marks = databaseQuestionMarks(count: values.count)
    try execute(
      sql: "INSERT INTO \(table) (\(columns)) VALUES (\(marks))", values: values.map(\.value))
  }

  /// Runs a statement and makes something of every row.
  package func map<Value>(
    _ sql: String, _ values: [DatabaseValue] = [], _ transform: (RawRow) throws -> Value
  ) throws -> [Value] {
    var rows: [Value] = []
    try forEach(sql, values) { rows.append(try transform($0)) }
    return rows
  }

  /// Runs a statement to its end.
  package func forEach(
    _ sql: String, _ values: [DatabaseValue] = [], _ body: (RawRow) throws -> Void
  ) throws {
    let statement = try cachedStatement(sql: sql).sqliteStatement
    // A body that fails must not leave the statement in the middle of its rows, nor with its values.
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in zip(Int32(1)..., values) { try bind(value, at: index, of: statement) }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code) }
      try body(RawRow(statement: statement))
    }
  }

  private func bind(_ value: DatabaseValue, at index: Int32, of statement: SQLiteStatement) throws {
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code: Int32
    switch value.storage {
    case .null: code = sqlite3_bind_null(statement, index)
    case .int64(let number): code = sqlite3_bind_int64(statement, index, number)
    case .double(let number):
      guard !number.isNaN else {
        // SQLite would take it for nothing at all.
        throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a value is not a number")
      }
      code = sqlite3_bind_double(statement, index, number)
    case .string(var text):
      code = text.withUTF8 { bytes in
        // An empty string may have no address, which would bind NULL.
        guard let start = bytes.baseAddress else {
          return sqlite3_bind_text(statement, index, "", 0, copied)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          sqlite3_bind_text64(
            statement, index, $0, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let bytes):
      code = bytes.withUnsafeBytes {
        sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), copied)
      }
    }
    guard code == SQLITE_OK else { throw failure(code) }
  }

  private func failure(_ code: Int32) -> DatabaseError {
    let message = sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }
    return DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: code == SQLITE_TOOBIG ? "a text is too long" : message)
  }
}
