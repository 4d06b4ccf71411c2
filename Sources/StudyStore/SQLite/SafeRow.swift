package import GRDB

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
