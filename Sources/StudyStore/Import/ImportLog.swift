import GRDB
import StudyData

/// What an import does, written down as it goes.
final class ImportLog {
  private(set) var counts = ImportCounts()
  let id: Int64
  private let db: Database
  private let change: RawStatement

  init(source: String, inputs: [InputDigest], on db: Database) throws {
    self.db = db
    try db.execute(sql: "INSERT INTO imports (source) VALUES (?)", values: [source])
    id = db.lastInsertedRowID
    change = try RawStatement(
      """
      INSERT INTO changes (import_id, table_name, row, column_name, old_value, new_value)
      VALUES (?, ?, ?, ?, ?, ?)
      """, on: db)
    for input in inputs {
      try db.execute(
        sql: "INSERT INTO inputs (import_id, file, sha256) VALUES (?, ?, ?)",
        values: [id, input.file, input.sha256])
    }
  }

  func added(_ type: RecordType) { counts[type].added += 1 }

  func unchanged(_ type: RecordType) { counts[type].unchanged += 1 }

  func refused(_ type: RecordType) { counts[type].refused += 1 }

  /// Counts a record by what changed in it, and keeps the old values.
  func settle(_ type: RecordType, row: String, _ changes: [ValueChange]) throws {
    guard !changes.isEmpty else { return unchanged(type) }
    counts[type].changed += 1
    for value in changes { try note(type.rawValue, row: row, value) }
  }

  /// Keeps an old value of what is not counted.
  func note(_ table: String, row: String, _ value: ValueChange) throws {
    change.bind(id, at: 1)
    change.bind(table, at: 2)
    change.bind(row, at: 3)
    change.bind(value.column, at: 4)
    value.old.bind(to: change, at: 5)
    value.new.bind(to: change, at: 6)
    try change.run()
  }

  /// Adds up.
  func close() throws {
    let total = counts.total
    try db.execute(
      sql: "UPDATE imports SET added = ?, changed = ?, unchanged = ? WHERE id = ?",
      values: [total.added, total.changed, total.unchanged, id])
  }
}
