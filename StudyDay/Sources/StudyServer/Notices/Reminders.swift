@_spi(StudyDay) import DayDatabase
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Daily reminders of vital signs at times of a zone, each skipped after an entry for it.
struct Reminder: Encodable, Hashable, Sendable {
  /// Times of day in order, such as 20:00; none for never.
  var times: [String]
  var zone: String?
  /// No reminder comes before this time.
  var postponedUntil: String?

  static let name = "reminder"
  private static let most = 6

  /// Reads a form: `times`, `zone`, and `postponed_until` within a day.
  init(_ form: Form, at now: Int64) throws(Problem) {
    var form = form
    let json = form.value("times") ?? .array([])
    zone = try form.text("zone", 1...60)
    let until = try form.moment("postponed_until")
    try form.end()
    guard case .array(let values) = json, values.count <= Self.most,
      values.allSatisfy({ $0.string.flatMap(Self.minute) != nil })
    else {
      throw Problem(.badValue, "times must be a list of no more than \(Self.most) times as 20:00.")
    }
    guard until.map({ $0 > now && $0 <= now + 86_400_000 }) ?? true else {
      throw Problem(.badValue, "postponed_until must be a time within the next 24 h.")
    }
    times = Set(values.compactMap(\.string)).sorted()
    if !times.isEmpty { _ = try ClockZone(named: zone ?? "") }
    postponedUntil = until.map(ISOTime.text)
  }

  /// Reads stored JSON; earlier versions had one time, `at`.
  init?(_ json: EventValue) {
    guard let zone = json["zone"]?.string else { return nil }
    if case .array(let values) = json["times"] {
      times = values.compactMap(\.string)
    } else {
      times = [json["at"]?.string].compactMap(\.self)
    }
    self.zone = zone
    postponedUntil = json["postponed_until"]?.string
  }

  var json: EventValue {
    guard !times.isEmpty, let zone else { return .null }
    return .object([
      "times": .array(times.map(EventValue.text)), "zone": .text(zone),
      "postponed_until": postponedUntil.map(EventValue.text) ?? .null,
    ])
  }

  /// Returns the minute of the day; nil if the text is no time.
  private static func minute(_ time: String) -> Int64? {
    guard let parts = time.wholeMatch(of: /([0-9]{2}):([0-9]{2})/),
      let hour = Int64(parts.1), let minute = Int64(parts.2), hour < 24, minute < 60
    else { return nil }
    return hour * 60 + minute
  }

  /// Returns the time since which the day's last reminder is due, and the time from which an entry answers it: halfway
  /// from the reminder before, or the beginning of the day; nil if it is too early.
  func due(at now: Int64) -> (since: Int64, unlessAfter: Int64)? {
    guard let zone = zone.flatMap(ClockZone.init) else { return nil }
    let start = ZonedDay(containing: now, in: zone).moments.lowerBound
    let moments = times.compactMap(Self.minute).map { start + $0 * 60_000 }
    guard let last = moments.lastIndex(where: { $0 <= now }) else { return nil }
    let since = max(moments[last], postponedUntil.flatMap(ISOTime.milliseconds) ?? 0)
    let unlessAfter = last == 0 ? start : (moments[last - 1] + moments[last]) / 2
    return since <= now ? (since, unlessAfter) : nil
  }
}

extension Notices {
  /// Returns the people who wanted to be reminded by now, without a vital sign entered for it.
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
          during: Range(from: due.unlessAfter, until: now + 1000),
          of: row["subject_id"], limit: 1, in: db
        ).isEmpty
      else { return nil }
      let subject: String = row["subject"]
      return Notice(
        kind: .reminder, subject: subject, text: "No vital sign of \(subject) was entered.",
        importance: 3, since: ISOTime.text(due.since))
    }
  }
}
