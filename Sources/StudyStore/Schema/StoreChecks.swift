public import GRDB
import StudyData

/// Compares the schema of a database with the one of our steps, before anything is read from it.
///
/// Whoever made the file can have put a view that never ends in the place of a table, left a table out,
/// or taken a rule away. Tables and views besides ours are somebody's own and left alone.
struct SchemaCheck {
  /// A table, an index, a view or a trigger.
  private struct Entry: Hashable {
    var type: String
    var name: String
    var table: String
    /// The SQL that made it, with single blanks; nil for indexes that SQLite makes itself.
    var sql: String?

    init(_ row: SafeRow) {
      type = row["type"]
      name = row["name"]
      table = row["tbl_name"]
      sql = row["sql"].map { (sql: String) in
        sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
    }
  }

  /// GRDB's table of the steps that a database went through.
  private static let steps = "grdb_migrations"

  let db: Database
  let path: String
  let schema: Schema

  /// Checks that the database is ours, not newer than this version and not altered.
  ///
  /// - Returns: True if all steps of this version have been made.
  func isComplete() throws -> Bool {
    let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let entries = try Self.entries(of: db)
    // Who was killed while making a database may have left nothing but the table of steps.
    let isBegun = !entries.isEmpty && entries.allSatisfy { $0.table == Self.steps }
    guard application == Schema.applicationID || isBegun else {
      throw StoreError(.foreign, path: path, message: "the database was not made by promille")
    }
    guard entries.contains(where: { $0.name == Self.steps && $0.type == "table" }) else {
      throw error("it has no table \(Self.steps)")
    }
    let names = try schema.migrator.appliedIdentifiers(db)
    guard names.allSatisfy(schema.knows) else {
      throw StoreError(.newer, path: path, message: "the database was made by a newer version")
    }
    let lists = [Schema.studySteps, schema.added]
    let made = lists.map { $0.prefix { names.contains($0.name) } }
    guard Schema.isUnbroken(names),
      zip(lists, made).allSatisfy({ $0.count { names.contains($0.name) } == $1.count })
    else {
      throw error("a step is missing in its table \(Self.steps)")
    }
    let expected = try Self.expected(after: made.flatMap(\.self))
    try compare(entries, with: expected)
    guard zip(lists, made).contains(where: { $0.count != $1.count }) else { return true }
    // What is there already would only fail when it is made once more.
    let early = Set(entries.map(\.name)).subtracting(expected.map(\.name))
    if let entry = try Self.expected(after: lists.flatMap(\.self)).first(where: {
      early.contains($0.name) && $0.table != Self.steps
    }) {
      throw error(
        "it has a \(entry.type) \(entry.name), and its table \(Self.steps) lacks the step that makes it"
      )
    }
    return false
  }

  private func compare(_ entries: [Entry], with expected: [Entry]) throws {
    let names = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in expected where entry.name != Self.steps {
      guard let made = names[entry.name] else {
        throw error("it has no \(entry.type) \(entry.name)")
      }
      guard made == entry else {
        throw error(
          made.type == entry.type
            ? "its \(entry.type) \(entry.name) differs from the one that promille makes"
            : "it has a \(made.type) instead of the \(entry.type) \(entry.name)")
      }
    }
    // They run only where a study day is served; but whoever made them counts on it, for better or worse.
    let tables = Set(expected.map(\.table))
    let ours = Set(expected.filter { $0.type == "trigger" }.map(\.name))
    if let trigger = entries.first(where: {
      $0.type == "trigger" && tables.contains($0.table) && !ours.contains($0.name)
    }) {
      throw error(
        "its table \(trigger.table) has a trigger, \(trigger.name.quoted), which promille did not make",
        remedy: "remove the trigger with another tool, or make the database again from its files")
    }
  }

  private func error(_ message: String, remedy: String? = nil) -> StoreError {
    StoreError(
      .corrupt, path: path, message: "the database does not have promille's tables: \(message)",
      remedy: remedy)
  }

  private static func entries(of db: Database) throws -> [Entry] {
    try db.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema").map(Entry.init)
  }

  /// The schema of a database after steps.
  private static func expected(after steps: [SchemaStep]) throws -> [Entry] {
    guard !steps.isEmpty else { return [] }
    let queue = try StoreConnection.openEmpty()
    try Schema.migrator(of: steps).migrate(queue)
    return try queue.read(entries)
  }
}

@_spi(StudyDay) extension Database {
  /// Throws if tables are damaged, before their rows are used.
  ///
  /// SQLite notices by itself only what keeps it from going on: a row of another type, an empty field
  /// that may not be empty, or a row that belongs to nobody it hands over like any other.
  public func requireWhole(_ tables: [String]) throws {
    for table in tables {
      let result: String? = try value("PRAGMA quick_check(\(table))")
      guard result == "ok" else { throw StoreError.damage(table, result ?? "no answer") }
    }
    for table in tables { try requireNoOrphan(in: table) }
  }

  /// Orphans remain where rows were removed with another tool that does not look at foreign keys.
  private func requireNoOrphan(in table: String) throws {
    guard let orphan = try row("SELECT * FROM pragma_foreign_key_check('\(table)')"),
      let parent: String = orphan["parent"], let key: Int = orphan["fkid"]
    else { return }
    let columns = try rows(
      "SELECT * FROM pragma_foreign_key_list('\(table)') WHERE id = ? ORDER BY seq", [key])
    let names = columns.map { $0["from"] as String }.joined(separator: ", ")
    throw StoreError.damage(
      table,
      "some rows have a \(names) that is missing from \(parent); another tool may have removed it",
      remedy: "remove these rows as well (PRAGMA foreign_key_check lists them), or restore the "
        + "database from a backup")
  }
}
