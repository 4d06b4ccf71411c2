@_spi(StudyDay) import DayDatabase
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Daily reminder of vital signs at a time of a zone, skipped on days with an entry.
struct Reminder: Encodable, Hashable, Sendable {
  /// Time of day, such as 20:00; nil for never.
  var at: String?
  var zone: String?
  /// No reminder comes before this time.
  var postponedUntil: String?

  static let name = "reminder"

  /// Reads a form: `at`, `zone`, and by how many minutes it is postponed now.
  init(_ form: Form, at now: Int64) throws(Problem) {
    var form = form
    at = try form.text("at", 5...5)
    zone = try form.text("zone", 1...60)
    let minutes = try form.integer("postpone_min", 1...1440)
    try form.end()
    guard at == nil || minute != nil else {
      throw Problem(.badValue, "at must be a time as 20:00, or null for never.")
    }
    if at != nil { _ = try ClockZone(named: zone ?? "") }
    postponedUntil = minutes.map { ISOTime.text(now + $0 * 60_000) }
  }

  init?(_ json: EventValue) {
    guard let at = json["at"]?.string, let zone = json["zone"]?.string else { return nil }
    self.at = at
    self.zone = zone
    postponedUntil = json["postponed_until"]?.string
  }

  var json: EventValue {
    guard let at, let zone else { return .null }
    return .object([
      "at": .text(at), "zone": .text(zone),
      "postponed_until": postponedUntil.map(EventValue.text) ?? .null,
    ])
  }

  /// Minute of the day; nil if the text is no time.
  private var minute: Int64? {
    guard let parts = at?.wholeMatch(of: /([0-9]{2}):([0-9]{2})/),
      let hour = Int64(parts.1), let minute = Int64(parts.2), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  /// Returns the time since which the reminder is due, and its day; nil if it is too early.
  func due(at now: Int64) -> (since: Int64, day: ZonedDay)? {
    guard let minute, let zone = zone.flatMap(ClockZone.init) else { return nil }
    let day = ZonedDay(containing: now, in: zone)
    let hour = day.moments.lowerBound + minute * 60_000
    let since = max(hour, postponedUntil.flatMap(ISOTime.milliseconds) ?? hour)
    return since <= now ? (since, day) : nil
  }
}

extension Notices {
  /// Returns the reminders that are due and whose people entered no vital sign today.
  static func reminders(at now: Int64, in db: Database) throws -> [Notice] {
    try db.rows(
      """
      SELECT choices.value, subjects.name AS subject, subject_id
      FROM choices JOIN accounts ON accounts.id = account_id JOIN subjects ON subjects.id = subject_id
      WHERE choices.name = ? AND revoked_ms IS NULL ORDER BY subjects.name
      """, [Reminder.name]
    ).compactMap { row in
      guard let due = row.json("value").flatMap(Reminder.init)?.due(at: now),
        try VitalValue.all(
          during: Range(from: due.day.moments.lowerBound, until: now + 1000),
          of: row["subject_id"], limit: 1, in: db
        ).isEmpty
      else { return nil }
      let subject: String = row["subject"]
      return Notice(
        kind: .reminder, subject: subject, text: "No vital sign of \(subject) was entered today.",
        importance: 3, since: ISOTime.text(due.since))
    }
  }
}
