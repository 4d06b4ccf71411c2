import AlcoholKinetics
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// A record of a study day that differs from the log.
public struct EntryDifference: Hashable, Sendable {
  /// The kind of record: an entry, a session, an account.
  public var what: String
  /// Name of the record: the UUID of an entry.
  public var name: String
  public var message: String
}

/// Compares the rows of the study's tables with those that follow from the log of a study day.
struct EntryCheck {
  static let tables = [
    "events", "entries", "conflicts", "sessions", "series", "subjects", "readings", "drinks",
    "vitals",
  ]

  let db: Database
  let vitalConversion: LoggedEntry.VitalConversion

  /// The first entry that differs, in the order in which they were made; nil if none does.
  func firstDifference() throws -> EntryDifference? {
    for entry in try LoggedEntry.all(in: db) {
      if let message = try difference(of: entry) { return EntryDifference(entry.uuid, message) }
    }
    return try missing() ?? unlogged()
  }

  private func difference(of entry: LoggedEntry) throws -> String? {
    let last = try EventLog.last(of: entry.uuid, in: db)
    guard let last, last.seq == entry.version, last.subject == entry.subject,
      last.action.hasPrefix("\(entry.kind).")
    else { return "its last change in the log is another one" }
    let isTakenOut = last.newValue == .null
    switch entry.state {
    case "current" where isTakenOut: return "it counts, and the log has no value"
    case "void" where !isTakenOut: return "it counts as taken out, and the log has a value"
    case "conflict":
      let conflict = try db.row(
        "SELECT 1 FROM conflicts WHERE entry = ? AND seq_b = ? AND resolved_seq IS NULL",
        [entry.uuid, entry.version])
      if conflict == nil { return "it counts as in conflict, and the log has none" }
    default: break
    }
    guard entry.starts != nil else { return "its series is no session" }
    // What says that an instrument is not to be relied on must not be lost.
    let doubt: String? =
      entry.kind == "reading"
      ? try db.value("SELECT source FROM readings WHERE uuid = ?", [entry.uuid]) : nil
    return switch entry.kind {
    case "reading":
      try difference(
        of: entry, in: "readings", from: RecordRow<Reading>.row(entry.uuid, in: db)
      ) {
        $0.value == entry.reading && $0.series == entry.series && doubt == entry.instrumentDoubt
      }
    case "drink":
      try difference(of: entry, in: "drinks", from: RecordRow<Drink>.row(entry.uuid, in: db)) {
        $0.value == entry.drink && $0.series == entry.series
      }
    case "vital":
      try difference(of: entry, in: "vitals", from: VitalRow.row(entry.uuid, in: db)) { row in
        var expected = entry.vital(vitalConversion, importedBy: row.importID)
        expected?.ordinal = row.ordinal
        return expected == row
      }
    default: nil
    }
  }

  /// Compares an entry with its row in a table of the study, which it has if it counts.
  private func difference<Row>(
    of entry: LoggedEntry, in table: String, from row: Row?, holds: (Row) -> Bool
  ) -> String? {
    guard (row != nil) == (entry.state == "current") else {
      return row == nil
        ? "it is missing from the table \(table)"
        : "it does not count, and is in the table \(table)"
    }
    return row.map(holds) ?? true ? nil : "its row in the table \(table) says something else"
  }

  // MARK: Records in one place only

  private func missing() throws -> EntryDifference? {
    try find(
      """
      SELECT record AS uuid FROM events
      WHERE action IN ('reading.enter', 'drink.enter', 'vital.enter', 'note.enter')
        AND record IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entries WHERE uuid = record)
      ORDER BY seq
      """, "it is missing from the table entries")
  }

  /// Returns a drink, reading or vital sign of a session that is not in the log.
  private func unlogged() throws -> EntryDifference? {
    for table in ["readings", "drinks"] {
      let difference = try find(
        """
        SELECT uuid FROM \(table) WHERE series_id IN (SELECT series_id FROM sessions)
          AND uuid NOT IN (SELECT uuid FROM entries)
        """, "it is in the table \(table), and nobody entered it")
      if let difference { return difference }
    }
    return try find(
      """
      SELECT uuid FROM vitals WHERE source = '\(LoggedEntry.source)' AND uuid NOT IN (SELECT uuid FROM entries)
      """, "it is in the table vitals, and nobody entered it")
  }

  private func find(_ sql: String, _ message: String) throws -> EntryDifference? {
    try db.row("\(sql) LIMIT 1").map {
      EntryDifference($0["uuid"] ?? UUID.none, message)
    }
  }
}

extension EntryDifference {
  init(_ entry: UUID, _ message: String) {
    self.init(what: "entry", name: entry.text, message: message)
  }
}

extension UUID {
  /// Placeholder for an invalid UUID.
  static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
