import GRDB

/// What a database holds that no import writes, and that nothing can be made of.
package struct StoreDamage: Error {
  var table: String
  var message: String
  /// What to do about it, if that is not what always helps.
  var remedy: String?

  package init(_ table: String, _ message: String, remedy: String? = nil) {
    self.table = table
    self.message = message
    self.remedy = remedy
  }
}

/// Looks for damage in tables, before their rows are believed.
///
/// SQLite notices by itself only what keeps it from going on: a row of another type, an empty field
/// that may not be empty, or a row that belongs to nobody it hands over like any other.
struct DamageCheck {
  let db: Database

  /// Ends the use of a database whose tables are damaged.
  func check(_ tables: [String]) throws {
    for table in tables {
      let found = try String.fetchOne(db, sql: "PRAGMA quick_check(\(table))") ?? "no answer"
      guard found == "ok" else { throw StoreDamage(table, found) }
    }
    for table in tables { try findOrphan(in: table) }
  }

  /// As they remain where rows were removed with another tool that does not look at foreign keys.
  private func findOrphan(in table: String) throws {
    guard
      let orphan = try SafeRow.first(db, "SELECT * FROM pragma_foreign_key_check('\(table)')"),
      let parent = orphan["parent"] as String?, let key = orphan["fkid"] as Int?
    else { return }
    let columns = try SafeRow.all(
      db, "SELECT * FROM pragma_foreign_key_list('\(table)') WHERE id = ? ORDER BY seq", [key])
    let names = columns.map { $0["from"] as String }.joined(separator: ", ")
    throw StoreDamage(
      table,
      "some rows have a \(names) that is not in \(parent); another tool may have removed it there",
      remedy: "remove these rows as well (PRAGMA foreign_key_check lists them), or restore the "
        + "database from a backup")
  }
}
