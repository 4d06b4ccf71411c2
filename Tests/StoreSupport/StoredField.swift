import GRDB

/// A column of a table, of which the first row is given values that no rule of the table allows.
public struct StoredField: Sendable {
  public let table: String
  public let column: String
  private let key: String

  /// Values of every type and size, as SQL.
  public static let values = [
    "-1", "0", "9223372036854775807", "-9223372036854775808", "1e308", "-1e308", "9e999", "-9e999",
    "NULL", "'NaN'", "''", "x'00ff'", "'2024-13-45 99:99:99'", "2.5",
  ]

  /// The columns of tables of a database; nil for all tables that have a row.
  public static func all(of tables: [String]? = nil, in path: String) throws -> [StoredField] {
    try DatabaseQueue(path: path).read { db in
      let tables =
        try tables
        ?? String.fetchAll(
          db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        ).filter { try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT * FROM \($0))") ?? false }
      return try tables.flatMap { table in
        let columns = try Row.fetchAll(db, sql: "SELECT * FROM pragma_table_info('\(table)')")
        let key = columns.filter { ($0["pk"] as Int) > 0 }.map { $0["name"] as String }
        return columns.map {
          StoredField(table: table, column: $0["name"], key: key.joined(separator: ", "))
        }
      }
    }
  }

  /// Writes a value past every rule of the table; false if SQLite itself cannot hold it there.
  public func set(_ value: String, in path: String) throws -> Bool {
    let schema = "UPDATE sqlite_schema SET sql = "
    let original = try DatabaseQueue(path: path).writeWithoutTransaction { db in
      let sql =
        try String.fetchOne(
          db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [table]) ?? ""
      let lax = sql.replacing(", STRICT", with: "").replacing(") STRICT", with: ")")
        .replacing("NOT NULL", with: "")
      try db.execute(sql: "PRAGMA writable_schema = ON")
      try db.execute(sql: "\(schema)? WHERE name = ?", arguments: [lax, table])
      return sql
    }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    return try DatabaseQueue(path: path, configuration: configuration).writeWithoutTransaction {
      db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON")
      let isDone =
        (try? db.execute(
          sql: """
            UPDATE \(table) SET \(column) = \(value)
            WHERE (\(key)) IN (SELECT \(key) FROM \(table) LIMIT 1)
            """)) != nil
      try db.execute(sql: "\(schema)? WHERE name = ?", arguments: [original, table])
      return isDone
    }
  }
}
