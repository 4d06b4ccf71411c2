import Foundation
import GRDB

/// Something of a study day that is not what the log says.
public struct EntryDifference: Hashable, Sendable {
  /// What it is: an entry, a session, an account.
  public var what: String
  /// Which one: an entry by its UUID.
  public var name: String
  /// What is different.
  public var message: String
}

/// Holds the entries of study days, and their rows in the tables of the study, against the log.
struct EntryCheck {
  static let tables = [
    "events", "entries", "conflicts", "sessions", "series", "subjects", "readings", "drinks",
    "vitals",
  ]

  let db: Database
  /// The value of a vital sign of a kind that was given in a unit, in the kind's own; nil if it cannot be converted.
  let vitalValue: (_ kind: String, _ value: Double, _ unit: String) -> Double?

  /// The first entry that differs, in the order in which they were made; nil if none does.
  func firstDifference() throws -> EntryDifference? {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT entries.uuid, kind, series_id, entries.at_ms, value, version, entries.state,
          starts_ms,
          subjects.name AS subject FROM entries JOIN series ON series.id = series_id
          JOIN subjects ON subjects.id = subject_id LEFT JOIN sessions USING (series_id)
        ORDER BY first_seq
        """)
    while let row = try rows.next() {
      let entry = Entered(row)
      if let message = try difference(of: entry) {
        return EntryDifference(entry.uuid, message)
      }
    }
    return try missing() ?? stranger()
  }

  private struct Entered {
    var uuid: UUID
    var kind: String
    var series: Int64
    var at: Int64
    var value: EventValue
    var version: Int64
    var state: String
    var starts: Int64?
    var subject: String

    init(_ row: Row) {
      func read<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        Value.fromDatabaseValue(row[column])
      }
      uuid = (read("uuid") as Data?).flatMap(UUID.init(bytes:)) ?? UUID.none
      (kind, series, at) = (read("kind") ?? "", read("series_id") ?? 0, read("at_ms") ?? 0)
      value = (read("value") as String?).flatMap { EventValue($0) } ?? .null
      (version, state) = (read("version") ?? 0, read("state") ?? "")
      (starts, subject) = (read("starts_ms"), read("subject") ?? "")
    }

    /// What events say of it.
    var told: EventValue { .object(["at": .text(ISOTime.text(at)), "value": value]) }
    /// Where it stands on the clock of its series.
    var hours: Double { Double(at - (starts ?? 0)) / 60_000 / 60 }
  }

  private func difference(of entry: Entered) throws -> String? {
    let last = try Int64.fetchOne(
      db, sql: "SELECT max(seq) FROM events WHERE record = ?", arguments: [entry.uuid.bytes])
    guard let event = try last.flatMap({ try EventLog.event(seq: $0, in: db) }),
      event.seq == entry.version, event.subject == entry.subject,
      event.action.hasPrefix("\(entry.kind).")
    else { return "its last change in the log is another one" }
    let new = event.new.flatMap { EventValue($0) } ?? .null
    switch entry.state {
    case "current" where new != entry.told: return "its value or time is not the one in the log"
    case "void" where new != .null: return "it counts as taken out, and the log has a value"
    case "conflict":
      guard let before = try valueBeforeConflict(entry) else {
        return "it counts as in conflict, and the log has none"
      }
      guard before == .null || before == entry.told else {
        return "its value or time is not the one in the log"
      }
    default: break
    }
    guard entry.starts != nil else { return "its series is no session" }
    return try differenceOfRow(entry)
  }

  /// What it was when somebody contradicted it first.
  private func valueBeforeConflict(_ entry: Entered) throws -> EventValue? {
    let seq = try Int64.fetchOne(
      db,
      sql: """
        SELECT seq_a FROM conflicts WHERE entry = ?1 AND resolved_seq IS NULL
          AND EXISTS (SELECT 1 FROM conflicts WHERE entry = ?1 AND seq_b = ?2) ORDER BY seq_b
        """, arguments: [entry.uuid.bytes, entry.version])
    guard let event = try seq.flatMap({ try EventLog.event(seq: $0, in: db) }),
      event.record == entry.uuid
    else { return nil }
    return event.new.flatMap { EventValue($0) } ?? .null
  }

  // MARK: The tables of the study

  private func differenceOfRow(_ entry: Entered) throws -> String? {
    guard let table = ["reading": "readings", "drink": "drinks", "vital": "vitals"][entry.kind]
    else { return nil }
    let row = try SafeRow.first(
      db, "SELECT * FROM \(table) WHERE uuid = ? AND is_uuid_given = 1", [entry.uuid.bytes])
    guard entry.state == "current" else {
      return row == nil ? nil : "it does not count, and is in the table \(table)"
    }
    guard let row else { return "it is missing from the table \(table)" }
    let value = entry.value
    func isOff(_ column: String, _ number: Double?) -> Bool {
      guard let stored = row[column] as Double?, let number else { return true }
      return abs(stored - number) > 1e-9 * max(1, abs(number))
    }
    let excluded = value["excluded"]?.string != nil
    let isOther =
      switch entry.kind {
      case "reading":
        isOff("time_h", entry.hours) || isOff("value", value["concentration"]?.double)
          || row["unit"] as String? != value["unit"]?.string
          || row["is_excluded"] as Bool? != excluded || row["series_id"] as Int64? != entry.series
          // Nobody enters a limit with a reading.
          || row["limit_of_detection"] as Double? != nil
      case "drink":
        isOff("time_h", entry.hours) || isOff("ethanol_g", EnteredDrink.grams(value))
          || isOff("duration_h", (value["duration_min"]?.double ?? 0) / 60)
          || row["series_id"] as Int64? != entry.series || row["ethanol_g_per_kg"] as Double? != nil
          || row["route"] as String? != "oral"
      default: try isOther(vital: row, of: entry, isOff)
      }
    return isOther ? "its row in the table \(table) says something else" : nil
  }

  private func isOther(
    vital row: SafeRow, of entry: Entered, _ isOff: (String, Double?) -> Bool
  ) throws -> Bool {
    let kind = entry.value["kind"]?.string ?? ""
    let usual = try SafeRow.first(db, "SELECT unit FROM vital_kinds WHERE kind = ?", [kind])
    let unit: String = usual?["unit"] ?? ""
    let value = entry.value["value"]?.double.flatMap {
      vitalValue(kind, $0, entry.value["unit"]?.string ?? unit)
    }
    let utc = String(ISOTime.text(entry.at).prefix(19)).replacing("T", with: " ")
    let subject = try SafeRow.first(
      db, "SELECT subject_id FROM series WHERE id = ?", [entry.series])
    return row["kind"] as String? != kind || isOff("value", value) || isOff("given_value", value)
      || row["given_unit"] as String? != unit || row["start_utc"] as String? != utc
      || row["end_utc"] as String? != utc || row["day"] as String? != String(utc.prefix(10))
      || row["subject_id"] as Int64? != subject?["subject_id"]
  }

  /// An entry that the log has and the table has not.
  private func missing() throws -> EntryDifference? {
    try find(
      """
      SELECT record AS uuid FROM events
      WHERE action IN ('reading.enter', 'drink.enter', 'vital.enter', 'note.enter')
        AND record IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entries WHERE uuid = record)
      ORDER BY seq
      """, "it is missing from the table entries")
  }

  /// A drink or reading in a session that nobody entered.
  private func stranger() throws -> EntryDifference? {
    for table in ["readings", "drinks"] {
      let found = try find(
        """
        SELECT uuid FROM \(table) WHERE series_id IN (SELECT series_id FROM sessions)
          AND uuid NOT IN (SELECT uuid FROM entries)
        """, "it is in the table \(table), and nobody entered it")
      if let found { return found }
    }
    return try find(
      """
      SELECT uuid FROM vitals WHERE source = 'study day' AND uuid NOT IN (SELECT uuid FROM entries)
      """, "it is in the table vitals, and nobody entered it")
  }

  private func find(_ sql: String, _ message: String) throws -> EntryDifference? {
    try SafeRow.first(db, "\(sql) LIMIT 1").map {
      EntryDifference(($0["uuid"] as Data?).flatMap(UUID.init(bytes:)) ?? UUID.none, message)
    }
  }
}

extension EntryDifference {
  /// An entry that differs.
  init(_ entry: UUID, _ message: String) {
    self.init(what: "entry", name: entry.uuidString.lowercased(), message: message)
  }
}

extension UUID {
  /// What stands for a UUID that is none.
  static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
