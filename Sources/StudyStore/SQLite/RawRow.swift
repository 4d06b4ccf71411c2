public import Foundation
public import GRDB
import GRDBSQLite

/// A row of a statement that is running, read without what GRDB does around each row and value.
///
/// GRDB's rows and arguments took a database of 200,000 readings 3.1 times as long to read and 1.8 times as long to
/// import, end texts at a NUL, and end the process where SQLite does not take a value or holds one of another type.
@_spi(StudyDay) public struct RawRow {
  fileprivate let statement: SQLiteStatement

  public func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func optionalDouble(_ column: Int32) -> Double? {
    sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : double(column)
  }

  public func text(_ column: Int32) -> String? {
    guard let start = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  fileprivate var names: [String] {
    (0..<sqlite3_column_count(statement)).map {
      sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? ""
    }
  }

  fileprivate var values: [DatabaseValue] {
    (0..<sqlite3_column_count(statement)).map { column in
      switch sqlite3_column_type(statement, column) {
      case SQLITE_INTEGER: integer(column).databaseValue
      case SQLITE_FLOAT: double(column).databaseValue
      case SQLITE_TEXT: (text(column) ?? "").databaseValue
      case SQLITE_BLOB: blob(column).databaseValue
      default: .null
      }
    }
  }

  private func blob(_ column: Int32) -> Data {
    guard let start = sqlite3_column_blob(statement, column) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_column_bytes(statement, column)))
  }

  /// A column that is 0 or 1.
  public func flag(_ column: Int32, of table: String) throws -> Bool {
    let number = integer(column)
    return try sound(0...1 ~= number ? number == 1 : nil, column, table, "is neither 0 nor 1")
  }

  /// A UUID of 16 bytes.
  public func uuid(_ column: Int32, of table: String) throws -> UUID {
    let start = sqlite3_column_blob(statement, column)
    let isWhole = sqlite3_column_bytes(statement, column) == 16
    return try sound(
      isWhole ? start.map { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil, column, table,
      "is not a UUID")
  }

  /// A value that a column must hold.
  public func sound<Value>(
    _ value: Value?, _ column: Int32, _ table: String, _ complaint: String
  ) throws -> Value {
    if let value { return value }
    let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "a column"
    throw StoreError.damage(table, "\(name) \(complaint)")
  }
}

@_spi(StudyDay) extension Database {
  public func insert(
    into table: String, _ values: KeyValuePairs<String, (any DatabaseValueConvertible)?>
  ) throws {
    let columns = values.map { $0.key }.joined(separator: ", ")
    let marks = databaseQuestionMarks(count: values.count)
    try run("INSERT INTO \(table) (\(columns)) VALUES (\(marks))", values.map { $0.value })
  }

  /// Runs a statement and makes something of every row.
  public func map<Value>(
    _ sql: String, _ values: [DatabaseValue] = [], _ transform: (RawRow) throws -> Value
  ) throws -> [Value] {
    var rows: [Value] = []
    try forEach(sql, values) { rows.append(try transform($0)) }
    return rows
  }

  /// Runs a statement to its end, or to a number of rows.
  func forEach(
    _ sql: String, _ values: [DatabaseValue] = [], upTo most: Int = .max,
    _ body: (RawRow) throws -> Void
  ) throws {
    let statement = try cachedStatement(sql: sql).sqliteStatement
    // A body that fails must not leave the statement in the middle of its rows, nor with its values.
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in zip(Int32(1)..., values) { try bind(value, at: index, of: statement) }
    var count = 0
    while count < most {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw failure(code) }
      try body(RawRow(statement: statement))
      count += 1
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

  private func failure(_ code: Int32) -> any Error {
    // Who no longer waits for what is read.
    if code == SQLITE_INTERRUPT { return CancellationError() }
    let message = sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }
    return DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: code == SQLITE_TOOBIG ? "a text is too long" : message)
  }
}

/// A row whose values are read as what they are wanted as, or else as nothing.
///
/// GRDB's own rows end the process where a value is of another type than is asked for, which a
/// damaged database can hold whatever the schema says.
@_spi(StudyDay) public struct SafeRow {
  fileprivate let names: [String]
  fileprivate let values: [DatabaseValue]

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

@_spi(StudyDay) extension Database {
  /// Runs a statement that changes something.
  public func run(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws {
    try forEach(sql, values.map { $0?.databaseValue ?? .null }) { _ in }
  }

  public func rows(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = [], upTo most: Int = .max
  ) throws -> [SafeRow] {
    var rows: [SafeRow] = []
    try forEach(sql, values.map { $0?.databaseValue ?? .null }, upTo: most) { row in
      rows.append(SafeRow(names: rows.first?.names ?? row.names, values: row.values))
    }
    return rows
  }

  /// The first row; nil if there is none.
  public func row(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> SafeRow? {
    try rows(sql, values, upTo: 1).first
  }

  /// Whether there is any row.
  public func has(_ sql: String, _ values: [(any DatabaseValueConvertible)?] = []) throws -> Bool {
    try row(sql, values) != nil
  }

  /// The first column of all rows, but for what is of another type.
  public func values<Value: DatabaseValueConvertible>(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> [Value] {
    try rows(sql, values).compactMap { $0.values.first.flatMap(Value.fromDatabaseValue) }
  }

  /// The first column of the first row; nil if there is none, or it is of another type.
  public func value<Value: DatabaseValueConvertible>(
    _ sql: String, _ values: [(any DatabaseValueConvertible)?] = []
  ) throws -> Value? {
    try row(sql, values)?.values.first.flatMap(Value.fromDatabaseValue)
  }
}

/// What a study day sets, by name.
@_spi(StudyDay) extension Database {
  public func setting(_ name: String) throws -> Double? {
    try value("SELECT value FROM settings WHERE name = ?", [name])
  }

  public func set(_ setting: String, to value: Double) throws {
    try run(
      "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
      [setting, value])
  }

  /// What a blood:breath ratio can be, as `promille case` checks it; published ones are 1800 to 2600.
  public static let bloodBreathRatios = 1000.0...4000.0

  /// The blood:breath ratio that was set; nil for one that cannot be, as another program may have written anything.
  public func bloodBreathRatio() throws -> Double? {
    try setting("blood_breath_ratio").flatMap { Self.bloodBreathRatios ~= $0 ? $0 : nil }
  }

  /// Whether there is a table of a study day, which a step of its schema made.
  func hasTable(_ name: String, of step: String) throws -> Bool {
    guard try has("SELECT 1 FROM grdb_migrations WHERE identifier = ?", [step]) else {
      return false
    }
    guard try has("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]) else {
      throw StoreError.damage(name, "a study day made it, and it is gone")
    }
    return true
  }
}
