import Foundation
import GRDB
import StudyStore

/// The day of one person: a series with a clock and limits.
struct Session: Codable, Hashable, Sendable {
  var series: Int64
  var subject: String
  var occasion: String
  var slot: Int64?
  var sessionType: Int64?
  var starts: Int64
  var readingIntervalMin: Int
  var releaseLimit: Double
  var food: String
  var state: String
  var decisionSeq: Int64?
}

enum Sessions {
  /// What holds where no session type says otherwise.
  static let usual = (readingIntervalMin: 10, releaseLimit: 0.2, food: "fasted")

  /// The number of a person of the study, who is added if the study has nobody of the name.
  static func subject(_ name: String, in db: Database) throws -> Int64 {
    if let known = try Int64.fetchOne(
      db, sql: "SELECT id FROM subjects WHERE name = ?", arguments: [name])
    {
      return known
    }
    guard 1...80 ~= name.count, name.allSatisfy({ !$0.isNewline && $0 != "\0" }) else {
      throw Problem(.badValue, "Give a subject of 1 to 80 characters.")
    }
    try requireStudy(in: db)
    try db.execute(sql: "INSERT INTO subjects (name) VALUES (?)", values: [name])
    return db.lastInsertedRowID
  }

  /// Makes the row of the study in a database that holds none yet.
  private static func requireStudy(in db: Database) throws {
    try db.execute(
      sql:
        "INSERT INTO study (id, name) SELECT 1, 'study-day' WHERE NOT EXISTS (SELECT 1 FROM study)")
  }

  /// Begins a person's session, as check-in does: a series whose clock starts now.
  ///
  /// - Parameter slot: The slot that it is of; its session type says limit, interval and food.
  /// - Returns: The number of the series.
  /// - Throws: ``Problem`` if the slot is not there.
  @discardableResult
  static func begin(
    _ subject: String, at starts: Int64, slot: Int64? = nil, in db: Database
  ) throws -> Int64 {
    let id = try Self.subject(subject, in: db)
    let type = try slot.map { slot in
      guard
        let type = try SafeRow.first(
          db,
          """
          SELECT session_types.* FROM slots JOIN session_types ON session_types.id = session_type_id
          WHERE slots.id = ?
          """, [slot])
      else { throw Problem(.notFound, "There is no such slot.") }
      return type
    }
    let day = CalendarDay(number: Int(starts).divided(by: 86_400_000).quotient).text
    let used = try Set(
      String.fetchAll(
        db, sql: "SELECT occasion FROM series WHERE subject_id = ? AND occasion IS NOT NULL",
        arguments: [id]))
    let names = [day] + (2...).lazy.prefix(1000).map { "\(day).\($0)" }
    let occasion = names.first { !used.contains($0) } ?? UUID().uuidString
    let utc = String(ISOTime.text(starts).prefix(19)).replacing("T", with: " ")
    try db.execute(
      sql: "INSERT INTO series (subject_id, occasion, starts_utc, day) VALUES (?, ?, ?, ?)",
      values: [id, occasion, utc, day])
    let series = db.lastInsertedRowID
    // The empty series of an account without a session is none.
    try db.execute(
      sql: """
        DELETE FROM series WHERE subject_id = ? AND occasion IS NULL
          AND NOT EXISTS (SELECT 1 FROM drinks WHERE series_id = series.id)
          AND NOT EXISTS (SELECT 1 FROM readings WHERE series_id = series.id)
        """, values: [id])
    try db.execute(
      sql: """
        INSERT INTO sessions (series_id, session_type_id, slot_id, starts_ms, reading_interval_min,
          release_limit_g_per_kg, food) VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      values: [
        series, type.flatMap { $0["id"] as Int64? }, slot, starts,
        type.flatMap { $0["reading_interval_min"] as Int? } ?? usual.readingIntervalMin,
        type.flatMap { $0["release_limit_g_per_kg"] as Double? } ?? usual.releaseLimit,
        type.flatMap { $0["food"] as String? } ?? usual.food,
      ])
    return series
  }

  /// The latest session of a person that began within two days before a moment, or shortly after it; nil if
  /// there is none.
  static func latest(
    of subject: String, before now: Int64 = .max / 2, in db: Database
  ) throws -> Session? {
    try all(
      in: db, "subjects.name = ? AND starts_ms <= ? ORDER BY starts_ms DESC LIMIT 1",
      [subject, now]
    ).first
  }

  /// The sessions that began after a moment, each person's latest, in order of their names.
  static func running(since: Int64, in db: Database) throws -> [Session] {
    try all(
      in: db,
      """
      starts_ms >= ? AND starts_ms = (SELECT max(starts_ms) FROM sessions AS other JOIN series AS own
        ON own.id = other.series_id WHERE own.subject_id = series.subject_id)
      ORDER BY subjects.name
      """, [since])
  }

  static func session(series: Int64, in db: Database) throws -> Session? {
    try all(in: db, "sessions.series_id = ?", [series]).first
  }

  private static func all(
    in db: Database, _ condition: String, _ arguments: StatementArguments
  ) throws -> [Session] {
    try SafeRow.all(
      db,
      """
      SELECT sessions.*, subjects.name AS subject, occasion FROM sessions
        JOIN series ON series.id = sessions.series_id JOIN subjects ON subjects.id = subject_id
      WHERE \(condition)
      """, arguments
    ).map { row in
      Session(
        series: row["series_id"], subject: row["subject"], occasion: row["occasion"],
        slot: row["slot_id"], sessionType: row["session_type_id"], starts: row["starts_ms"],
        readingIntervalMin: row["reading_interval_min"],
        releaseLimit: row["release_limit_g_per_kg"],
        food: row["food"], state: row["state"], decisionSeq: row["decision_seq"])
    }
  }
}
