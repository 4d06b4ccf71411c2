import Foundation
public import GRDB
public import StudyData

/// The numbers of records that an import added, changed and left alone, by type.
public struct ImportCounts: Hashable, Sendable {
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

  private var tallies: [RecordType: Tally] = [:]

  public internal(set) subscript(type: RecordType) -> Tally {
    get { tallies[type, default: Tally()] }
    set { tallies[type] = newValue }
  }

  public var total: Tally {
    tallies.values.reduce(into: Tally()) { sum, tally in
      sum.added += tally.added
      sum.changed += tally.changed
      sum.unchanged += tally.unchanged
      sum.refused += tally.refused
    }
  }
}

/// Counts what an import does, and logs the values that it changes.
@_spi(StudyDay) public final class ImportLog {
  public private(set) var counts = ImportCounts()
  public let id: Int64
  private let db: Database

  public init(source: String, inputs: [InputDigest], on db: Database) throws {
    self.db = db
    try db.insert(into: "imports", ["source": source])
    id = db.lastInsertedRowID
    for input in inputs {
      try db.insert(
        into: "inputs", ["import_id": id, "file": input.file, "sha256": input.sha256])
    }
  }

  public func added(_ type: RecordType, _ count: Int = 1) { counts[type].added += count }

  public func refused(_ type: RecordType) { counts[type].refused += 1 }

  /// Counts a record as changed or unchanged, and logs its old values.
  public func record(_ type: RecordType, row: String, _ changes: [ValueChange]) throws {
    if changes.isEmpty { counts[type].unchanged += 1 } else { counts[type].changed += 1 }
    for value in changes { try logChange(type.rawValue, row: row, value) }
  }

  /// Logs the old value of a column that is not counted, if it changed.
  func logChange(_ table: String, row: String, _ change: ValueChange?) throws {
    guard let change else { return }
    try db.insert(
      into: "changes",
      [
        "import_id": id, "table_name": table, "row": row, "column_name": change.column,
        "old_value": change.old.logged, "new_value": change.new.logged,
      ])
  }

  public func close() throws {
    let total = counts.total
    try db.run(
      "UPDATE imports SET added = ?, changed = ?, unchanged = ? WHERE id = ?",
      [total.added, total.changed, total.unchanged, id])
  }
}

extension DatabaseValue {
  /// The value in the log: numbers as real numbers, UUIDs as text.
  fileprivate var logged: DatabaseValue {
    switch storage {
    case .int64(let number): Double(number).databaseValue
    case .blob: (UUID.fromDatabaseValue(self)?.text).databaseValue
    case .null, .double, .string: self
    }
  }
}
