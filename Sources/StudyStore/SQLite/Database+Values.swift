import GRDB

extension Database {
  /// Executes a statement with values for its parameters.
  ///
  /// GRDB ends the process where SQLite does not take a value, and SQLite takes what is not a number
  /// for nothing at all: both are errors here.
  func execute(sql: String, values: [(any DatabaseValueConvertible)?]) throws {
    try requireStorable(values)
    try execute(sql: sql, arguments: StatementArguments(values))
  }

  /// Throws if SQLite cannot hold a value.
  func requireStorable(_ values: [(any DatabaseValueConvertible)?]) throws {
    for value in values {
      switch value?.databaseValue.storage {
      case .string(let text) where text.utf8.count > Int(StoreConnection.longest):
        throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "a text is too long")
      case .double(let number) where number.isNaN:
        throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a value is not a number")
      default: continue
      }
    }
  }
}
