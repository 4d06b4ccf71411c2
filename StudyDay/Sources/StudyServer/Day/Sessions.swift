import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// The day of one person: a series with a clock and limits.
struct Session: Hashable, Sendable {
  var series: Int64
  /// The number of the subject.
  var person: Int64
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

  /// Whether somebody signed that the person may go, or has left.
  var isOver: Bool { ["released", "ended"].contains(state) }
}

enum Sessions {
  /// The number of a person of the study; nil if the study has nobody of the name.
  static func number(of name: String, in db: Database) throws -> Int64? {
    try db.value("SELECT id FROM subjects WHERE name = ?", [name])
  }

  /// The number of a person of the study, who is added if the study has nobody of the name.
  static func subject(_ name: String, in db: Database) throws -> Int64 {
    if let known = try number(of: name, in: db) { return known }
    guard name.isText(1...80), name == Code.normalised(name) else {
      throw Problem(
        .badValue, "Give a subject of 1 to 80 characters, without blanks at its ends.")
    }
    try Code.requireDistinct(name, from: db.values("SELECT name FROM subjects"))
    try requireStudy(in: db)
    try db.run("INSERT INTO subjects (name) VALUES (?)", [name])
    return db.lastInsertedRowID
  }

  private static func requireStudy(in db: Database) throws {
    try db.run(
      "INSERT INTO study (id, name) SELECT 1, 'study-day' WHERE NOT EXISTS (SELECT 1 FROM study)")
  }

  /// Begins a person's session: a series whose clock starts now, with the measures that are known now. If it is of a
  /// slot, the session type of that says limit, interval and food. Returns the number of the series.
  @discardableResult
  static func begin(
    _ subject: String, at starts: Int64, slot: Int64? = nil, in db: Database
  ) throws -> Int64 {
    let id = try Self.subject(subject, in: db)
    let terms = try Terms(slot: slot, in: db)
    let day = CalendarDay(number: Int(starts).divided(by: 86_400_000).quotient).text
    let occasions = try SeriesTable(of: id, on: db)
    let names = [day] + (2...).lazy.prefix(1000).map { "\(day).\($0)" }
    let occasion = names.first { !occasions.has($0, of: id) } ?? UUID().uuidString
    let series = try occasions.add(
      occasion, of: id, startsUTC: ISOTime.stored(starts), day: day
    ).id
    try takeMeasures(series, in: db)
    // The empty series of an account without a session is none.
    try occasions.removeEmptyOnes()
    try db.insert(
      into: "sessions",
      [
        "series_id": series, "session_type_id": terms.sessionType, "slot_id": slot,
        "starts_ms": starts, "reading_interval_min": terms.readingIntervalMin,
        "release_limit_g_per_kg": terms.releaseLimit, "food": terms.food,
      ])
    return series
  }

  /// Begins the session of who checks in, or takes the one that an entry opened before. Returns its series.
  static func checkIn(_ subject: String, to slot: Int64, at now: Int64, in db: Database) throws
    -> Int64
  {
    let early = try all(
      in: db,
      """
      subjects.name = ? AND sessions.state = 'running'
        AND (slot_id = ? OR slot_id IS NULL AND starts_ms >= ?)
        AND NOT EXISTS (SELECT 1 FROM bookings WHERE bookings.series_id = sessions.series_id)
      ORDER BY starts_ms DESC LIMIT 1
      """, [subject, slot, now - before]
    ).first
    guard let early else { return try begin(subject, at: now, slot: slot, in: db) }
    let terms = try Terms(slot: slot, in: db)
    try db.run(
      """
      UPDATE sessions SET session_type_id = ?, slot_id = ?, reading_interval_min = ?,
        release_limit_g_per_kg = ?, food = ? WHERE series_id = ?
      """,
      [
        terms.sessionType, slot, terms.readingIntervalMin, terms.releaseLimit, terms.food,
        early.series,
      ])
    try takeMeasures(early.series, in: db)
    return early.series
  }

  private static func takeMeasures(_ series: Int64, in db: Database) throws {
    try db.run(
      """
      UPDATE series SET (age_y, height_m, weight_kg) = (
        SELECT coalesce(series.age_y, subjects.age_y), coalesce(series.height_m, subjects.height_m),
          coalesce(series.weight_kg, subjects.weight_kg)
        FROM subjects WHERE subjects.id = series.subject_id) WHERE id = ?
      """, [series])
  }

  private struct Terms {
    var sessionType: Int64?
    var readingIntervalMin = SessionRule.readingIntervalMin
    var releaseLimit = SessionRule.releaseLimit
    var food = SessionRule.food

    init(slot: Int64?, in db: Database) throws {
      guard let slot else { return }
      let type = try db.row(
        """
        SELECT session_types.* FROM slots JOIN session_types ON session_types.id = session_type_id
        WHERE slots.id = ?
        """, [slot])
      guard let type else { throw Problem(.notFound, "There is no such slot.") }
      sessionType = type["id"]
      readingIntervalMin = type["reading_interval_min"]
      releaseLimit = type["release_limit_g_per_kg"]
      food = type["food"]
    }
  }

  // MARK: Which session a moment is in

  /// How long before its session's start something belongs to it, how long a session may last, and how long one
  /// lasts that has no type, in ms.
  static let before: Int64 = 6 * 3_600_000
  private static let (length, usualLength): (Int64, Int64) = (24 * 3_600_000, 12 * 3_600_000)

  static func reaches(_ session: Session, _ at: Int64) -> Bool {
    session.starts - before...session.starts + length ~= at
  }

  /// The session that a moment is in; nil if it is in none.
  ///
  /// Something belongs to the session that was going on when it was; what was before a session, as a drink on the
  /// way, to the one that follows.
  static func session(of subject: String, at: Int64, in db: Database) throws -> Session? {
    let earlier = try all(
      in: db,
      "subjects.name = ? AND starts_ms BETWEEN ? AND ? ORDER BY starts_ms DESC LIMIT 1",
      [subject, at - length, at]
    ).first
    if let earlier, try at <= end(of: earlier, in: db) { return earlier }
    let later = try all(
      in: db,
      "subjects.name = ? AND starts_ms > ? AND starts_ms <= ? ORDER BY starts_ms LIMIT 1",
      [subject, at, at + before]
    ).first
    guard later == nil, let earlier else { return later }
    return try bookedSlot(of: subject, at: at, in: db) == nil ? earlier : nil
  }

  /// When a session was over: when somebody might go, or as its type says.
  private static func end(of session: Session, in db: Database) throws -> Int64 {
    if session.isOver,
      let decision = try session.decisionSeq.flatMap({ try EventLog.event(seq: $0, in: db) })
    {
      return decision.at
    }
    let minutes = try session.sessionType.flatMap {
      try db.value("SELECT length_min FROM session_types WHERE id = ?", [$0]) as Int64?
    }
    return session.starts + (minutes.map { $0 * 60_000 } ?? usualLength)
  }

  /// The slot in which somebody has a place at a moment, or shortly after it, and is not checked in yet.
  static func bookedSlot(of subject: String, at: Int64, in db: Database) throws -> Int64? {
    try db.value(
      """
      SELECT slots.id FROM bookings JOIN slots ON slots.id = slot_id
        JOIN session_types ON session_types.id = session_type_id
        JOIN subjects ON subjects.id = subject_id
      WHERE subjects.name = ?1 AND state = 'booked'
        AND ?2 BETWEEN starts_ms - ?3 AND starts_ms + length_min * 60000
      ORDER BY abs(starts_ms - ?2), slots.id LIMIT 1
      """, [subject, at, before])
  }

  static func latest(of subject: String, in db: Database) throws -> Session? {
    try all(in: db, "subjects.name = ? ORDER BY starts_ms DESC LIMIT 1", [subject]).first
  }

  /// The sessions of a person, the latest first.
  static func all(of subject: String, in db: Database) throws -> [Session] {
    try all(in: db, "subjects.name = ? ORDER BY starts_ms DESC", [subject])
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

  /// The sessions that began within a time, in order of their people's names.
  static func begun(within moments: Range<Int64>, in db: Database) throws -> [Session] {
    try all(
      in: db, "starts_ms >= ? AND starts_ms < ? ORDER BY subjects.name, starts_ms",
      [moments.lowerBound, moments.upperBound])
  }

  /// The sessions that are over, those that were decided last first.
  static func over(in db: Database) throws -> [Session] {
    try all(in: db, "sessions.state IN ('released', 'ended') ORDER BY decision_seq DESC", [])
  }

  static func session(series: Int64, in db: Database) throws -> Session? {
    try all(in: db, "sessions.series_id = ?", [series]).first
  }

  private static func all(
    in db: Database, _ condition: String, _ values: [(any DatabaseValueConvertible)?]
  ) throws -> [Session] {
    try db.rows(
      """
      SELECT sessions.*, subject_id, subjects.name AS subject, occasion FROM sessions
        JOIN series ON series.id = sessions.series_id JOIN subjects ON subjects.id = subject_id
      WHERE \(condition)
      """, values
    ).map { row in
      Session(
        series: row["series_id"], person: row["subject_id"], subject: row["subject"],
        occasion: row["occasion"], slot: row["slot_id"], sessionType: row["session_type_id"],
        starts: row["starts_ms"],
        readingIntervalMin: row["reading_interval_min"],
        releaseLimit: row["release_limit_g_per_kg"],
        food: row["food"], state: row["state"], decisionSeq: row["decision_seq"])
    }
  }
}
