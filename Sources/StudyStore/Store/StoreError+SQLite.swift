import GRDB

extension StoreError {
  /// Does something with a database and says in this module's words why it failed.
  static func translating<Value>(
    _ path: String, _ body: () throws -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch let damage as StoreDamage {
      throw StoreError(
        .corrupt, path: path, message: "the table \(damage.table) is damaged: \(damage.message)",
        remedy: damage.remedy)
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    } catch let error as RowDecodingError {
      throw StoreError(.corrupt, path: path, message: "the database is damaged: \(error)")
    } catch {
      throw StoreError(.failed, path: path, message: "\(error)")
    }
  }

  /// Takes what SQLite says, without the statement, which may hold people's data.
  init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? error.resultCode.description
    switch error.resultCode {
    case .SQLITE_FULL:
      self.init(.full, path: path, message: "there is no space for the data: \(reason)")
    case .SQLITE_READONLY:
      self.init(.readOnly, path: path, message: "the database is not writable: \(reason)")
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
      self.init(.locked, path: path, message: "another process is using the database: \(reason)")
    case .SQLITE_CORRUPT:
      self.init(.corrupt, path: path, message: "the database is damaged: \(reason)")
    case .SQLITE_NOTADB:
      self.init(.notADatabase, path: path, message: "the file is not an SQLite database")
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(.missing, path: path, message: "the database cannot be opened: \(reason)")
    case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE:
      self.init(.value, path: path, message: "the data violate the schema: \(reason)")
    default:
      self.init(.failed, path: path, message: "SQLite failed: \(reason)")
    }
  }
}
