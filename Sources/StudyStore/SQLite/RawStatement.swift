import AlcoholKinetics
import GRDB
import GRDBSQLite

/// A prepared statement on GRDB's own connection, without what GRDB does around each row: what goes
/// through it a million times must cost nothing but SQLite.
final class RawStatement {
  private let statement: OpaquePointer
  private let connection: OpaquePointer
  /// Why a value could not be bound, if one could not: SQLite would take it for none at all.
  private var refusal: Int32 = SQLITE_OK

  init(_ sql: String, on db: Database) throws {
    guard let connection = db.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE)
    }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else {
      throw DatabaseError(connection, code)
    }
    self.statement = statement
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(statement)
  }

  // MARK: Running

  /// Runs the statement to its end, for another run.
  func run() throws {
    defer {
      sqlite3_reset(statement)
      refusal = SQLITE_OK
    }
    guard refusal == SQLITE_OK else {
      throw DatabaseError(
        resultCode: ResultCode(rawValue: refusal),
        message: refusal == SQLITE_MISMATCH ? "a value is not a number" : "a text is too long")
    }
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else { throw DatabaseError(connection, code) }
  }

  /// Moves to the next row; at the end it is false, and the statement ready for another run.
  func step() throws -> Bool {
    let code = sqlite3_step(statement)
    if code == SQLITE_ROW { return true }
    sqlite3_reset(statement)
    guard code == SQLITE_DONE else { throw DatabaseError(connection, code) }
    return false
  }

  /// Whether there is no row.
  func isEmpty() throws -> Bool {
    defer { sqlite3_reset(statement) }
    return try !step()
  }

  /// Runs the statement and hands over every row.
  func forEach(_ body: (RawStatement) throws -> Void) throws {
    while try step() { try body(self) }
  }

  // MARK: Parameters, from 1

  func bind(_ value: Double?, at index: Int32) {
    guard let value else {
      sqlite3_bind_null(statement, index)
      return
    }
    if value.isNaN { refusal = SQLITE_MISMATCH }
    sqlite3_bind_double(statement, index, value)
  }

  func bind(_ value: Int64?, at index: Int32) {
    guard let value else {
      sqlite3_bind_null(statement, index)
      return
    }
    sqlite3_bind_int64(statement, index, value)
  }

  func bind(_ value: Bool, at index: Int32) {
    sqlite3_bind_int(statement, index, value ? 1 : 0)
  }

  func bind(_ value: String?, at index: Int32) {
    guard var value else {
      sqlite3_bind_null(statement, index)
      return
    }
    value.withUTF8 { bytes in
      // An empty string may have no address, which would bind NULL.
      guard let start = bytes.baseAddress else {
        sqlite3_bind_text(statement, index, "", 0, Self.copied)
        return
      }
      start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
        let code = sqlite3_bind_text64(
          statement, index, characters, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
        if code != SQLITE_OK { refusal = code }
      }
    }
  }

  func bind(_ value: RecordUUID, at index: Int32) {
    value.withBytes { bytes in
      _ = sqlite3_bind_blob(statement, index, bytes.baseAddress, 16, Self.copied)
    }
  }

  /// Binds a text that stays where it is.
  func bind(lasting text: StaticString, at index: Int32) {
    text.withUTF8Buffer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        _ = sqlite3_bind_text(
          statement, index, characters.baseAddress, Int32(characters.count), nil)
      }
    }
  }

  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  // MARK: Columns, from 0

  func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }

  /// A column that is 0 or 1.
  func flag(_ column: Int32, of table: String) throws -> Bool {
    switch integer(column) {
    case 0: return false
    case 1: return true
    default: throw damage(column, in: table, "is neither 0 nor 1")
    }
  }

  /// A number that tells apart what stands in one place: others are made by counting on from it.
  func ordinal(_ column: Int32, of table: String) throws -> Int {
    let number = integer(column)
    guard 0..<(1 << 48) ~= number else {
      throw damage(column, in: table, "is \(number), and nothing counts so far")
    }
    return Int(number)
  }

  /// A UUID.
  func uuid(_ column: Int32, of table: String) throws -> RecordUUID {
    guard let start = sqlite3_column_blob(statement, column),
      sqlite3_column_bytes(statement, column) == 16
    else { throw damage(column, in: table, "is no UUID") }
    return RecordUUID(bytes: UnsafeRawBufferPointer(start: start, count: 16))
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
      throw damage(column, in: "readings", "is no unit that is known")
    }
    return unit
  }

  private func damage(_ column: Int32, in table: String, _ complaint: String) -> StoreDamage {
    let name = sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "a column"
    return StoreDamage(table, "\(name) \(complaint)")
  }

  func text(_ column: Int32) -> String? {
    guard let start = sqlite3_column_text(statement, column) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
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
