import GRDB
public import StudyStore

extension StudyStore {
  /// SQLite's own answer to a query, as text without quotes.
  public func rows(_ sql: String) throws -> [[String]] {
    try DatabaseQueue(path: path).read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { "\($0)".replacing("\"", with: "") }
      }
    }
  }
}
