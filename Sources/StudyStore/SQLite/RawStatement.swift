import AlcoholKinetics
package import Foundation
package import GRDB
import GRDBSQLite

/// A prepared statement on GRDB's own connection, without what GRDB does around each row: what goes
/// through it a million times must cost nothing but SQLite.
package final class RawStatement {
  private let statement: OpaquePointer
  private let connection: OpaquePointer

  package init(_ sql: String, on db: Database) throws {
    guard let connection = db.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE)
    }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw DatabaseError(connection, code) }
    self.statement = statement
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(statement)
  }

  // MARK: Running

  /// Runs the statement to its end, with values for its parameters.
  package func run(_ fields: [Field]) throws {
    try bind(fields)
    defer { sqlite3_reset(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw DatabaseError(connection, code) }
  }

  /// Moves to the next row; at the end it is false, and the statement ready for another run.
  package func step() throws -> Bool {
    let code = sqlite3_step(statement)
    if code == SQLITE_ROW { return true }
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else { throw DatabaseError(connection, code) }
    return false
  }

  /// Runs the statement and does something with every row.
  package func forEach(_ fields: Field..., body: (RawStatement) throws -> Void) throws {
    try bind(fields)
    // A body that fails must not leave the statement in the middle of its rows.
    defer { sqlite3_reset(statement) }
    while try step() { try body(self) }
  }

  /// Runs the statement and makes something of every row.
  package func map<Value>(
    _ fields: Field..., transform: (RawStatement) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try bind(fields)
    defer { sqlite3_reset(statement) }
    while try step() { values.append(try transform(self)) }
    return values
  }

  /// Runs the statement and makes something of the first row; nil if there is none.
  package func first<Value>(
    _ fields: [Field], transform: (RawStatement) throws -> Value
  ) throws -> Value? {
    try bind(fields)
    defer { sqlite3_reset(statement) }
    return try step() ? transform(self) : nil
  }

  private func bind(_ fields: [Field]) throws {
    for (index, field) in zip(Int32(1)..., fields) {
      let code =
        switch field {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        // SQLite would take what is not a number for nothing at all.
        case .real(let number):
          number.isNaN ? SQLITE_MISMATCH : sqlite3_bind_double(statement, index, number)
        case .text(let text): bind(text, at: index)
        case .uuid(let uuid):
          withUnsafeBytes(of: uuid.uuid) {
            sqlite3_bind_blob(statement, index, $0.baseAddress, 16, Self.copied)
          }
        }
      guard code == SQLITE_OK else {
        throw DatabaseError(
          resultCode: ResultCode(rawValue: code),
          message: code == SQLITE_MISMATCH ? "a value is not a number" : "a text is too long")
      }
    }
  }

  private func bind(_ text: String, at index: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      // An empty string may have no address, which would bind NULL.
      guard let start = bytes.baseAddress else {
        return sqlite3_bind_text(statement, index, "", 0, Self.copied)
      }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
        sqlite3_bind_text64(
          statement, index, characters, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
      }
    }
  }

  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  // MARK: Columns, from 0

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
    switch integer(column) {
    case 0: return false
    case 1: return true
    default: throw damage(column, in: table, "is neither 0 nor 1")
    }
  }

  /// A number that tells apart what stands in one place: others are made by counting on from it.
  package func ordinal(_ column: Int32, of table: String) throws -> Int {
    let number = integer(column)
    guard 0..<(1 << 48) ~= number else {
      throw damage(column, in: table, "is \(number), which is out of range")
    }
    return Int(number)
  }

  /// A UUID.
  package func uuid(_ column: Int32, of table: String) throws -> UUID {
    guard let start = sqlite3_column_blob(statement, column),
      sqlite3_column_bytes(statement, column) == 16
    else { throw damage(column, in: table, "is not a UUID") }
    return UUID(uuid: start.loadUnaligned(as: uuid_t.self))
  }

  /// The route of a dose.
  func route(_ column: Int32, of table: String) throws -> Route {
    guard let route = text(column).flatMap(Route.init) else {
      throw damage(column, in: table, "is neither oral nor iv")
    }
    return route
  }

  /// A unit of concentration.
  func unit(_ column: Int32) throws -> ConcentrationUnit {
    guard let unit = text(column).flatMap(ConcentrationUnit.init) else {
      throw damage(column, in: "readings", "is not a known unit")
    }
    return unit
  }

  private func damage(_ column: Int32, in table: String, _ complaint: String) -> StoreDamage {
    let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "a column"
    return StoreDamage(table, "\(name) \(complaint)")
  }
}

extension DatabaseError {
  /// What a connection says of its last failure.
  fileprivate init(_ connection: OpaquePointer, _ code: Int32) {
    self.init(
      resultCode: ResultCode(rawValue: code),
      message: String(cString: sqlite3_errmsg(connection)))
  }
}
