package import GRDB
package import StudyData

/// What an import did, by type.
public struct ImportCounts: Hashable, Sendable {
  /// How many records of one type.
  public struct Tally: Hashable, Sendable {
    /// Records that were not there.
    public var added = 0
    /// Records that were there with another value; the old one is in the table `changes`.
    public var changed = 0
    /// Records that were there as they are.
    public var unchanged = 0
    /// Records that were left out because they cannot be true, or their unit is not known.
    public var refused = 0
  }

  private var tallies = Dictionary(
    uniqueKeysWithValues: RecordType.allCases.map { ($0, Tally()) })

  /// The records of a type.
  public internal(set) subscript(type: RecordType) -> Tally {
    get { tallies[type, default: Tally()] }
    set { tallies[type] = newValue }
  }

  /// The records of all types together.
  public var total: Tally {
    tallies.values.reduce(into: Tally()) { sum, tally in
      sum.added += tally.added
      sum.changed += tally.changed
      sum.unchanged += tally.unchanged
      sum.refused += tally.refused
    }
  }
}

/// A value that is not what it was.
package struct ValueChange {
  var column: String
  var old: Field
  var new: Field

  /// A change of a value; nil if there is none.
  init?(_ column: String, from old: Field, to new: Field) {
    guard old != new else { return nil }
    (self.column, self.old, self.new) = (column, old, new)
  }
}

/// Counts what an import does, and logs the values that it changes.
package final class ImportLog {
  package private(set) var counts = ImportCounts()
  /// The number of the import.
  package var id: Int64 { record.id ?? 0 }
  private var record: ImportRecord
  private let db: Database
  private let changes: BulkInsert<ChangeRow>

  package init(source: String, inputs: [InputDigest], on db: Database) throws {
    self.db = db
    changes = try BulkInsert(on: db)
    record = ImportRecord(source: source)
    try record.insert(db)
    for input in inputs {
      var record = InputRecord(importId: id, file: input.file, sha256: input.sha256)
      try record.insert(db)
    }
  }

  package func added(_ type: RecordType, _ count: Int = 1) { counts[type].added += count }

  package func refused(_ type: RecordType) { counts[type].refused += 1 }

  /// Counts a record by what changed in it, and keeps the old values.
  package func settle(_ type: RecordType, row: String, _ changes: [ValueChange]) throws {
    if changes.isEmpty { counts[type].unchanged += 1 } else { counts[type].changed += 1 }
    for value in changes { try note(type.rawValue, row: row, value) }
  }

  /// Keeps an old value of what is not counted.
  func note(_ table: String, row: String, _ change: ValueChange) throws {
    try changes.add(ChangeRow(importID: id, table: table, row: row, change: change))
  }

  /// Writes the totals.
  package func close() throws {
    try changes.flush()
    let total = counts.total
    (record.added, record.changed, record.unchanged) = (total.added, total.changed, total.unchanged)
    try record.update(db)
  }
}

private struct ImportRecord: StoreRecord {
  static let databaseTableName = "imports"

  var id: Int64?
  var source: String
  var added = 0
  var changed = 0
  var unchanged = 0

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct InputRecord: StoreRecord {
  static let databaseTableName = "inputs"

  var importId: Int64
  var file: String
  var sha256: String
}

private struct ChangeRow: StoredRow {
  var importID: Int64
  var table: String
  var row: String
  var change: ValueChange

  static let table = "changes"
  static let columns = [
    "import_id", "table_name", "row", "column_name", "old_value", "new_value",
  ]

  func append(to fields: inout [Field]) {
    fields += [
      .integer(importID), .text(table), .text(row), .text(change.column), change.old.logged,
      change.new.logged,
    ]
  }
}

extension Field {
  /// As the log has it: numbers are numbers there, and UUIDs can be read.
  fileprivate var logged: Field {
    switch self {
    case .integer(let number): .real(Double(number))
    case .uuid(let uuid): .text(uuid.text)
    case .null, .real, .text: self
    }
  }
}
