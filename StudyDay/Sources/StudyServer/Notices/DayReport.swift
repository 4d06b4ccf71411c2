@_spi(StudyDay) import DayDatabase
import Foundation
import GRDB
import HealthData
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Report of a day, without names. The reader of the report states the time zone of the day.
struct DayReport: Encodable, Sendable {
  struct SlotSummary: Encodable, Sendable {
    var id: Int64
    var site: String
    var lab: String
    var sessionType: String
    var starts: String
    var capacity: Int
    var bookings: [String: Int]
  }

  struct Vital: Encodable, Sendable {
    var subject: String
    var kind: String
    var unit: String
    var mean: Double
    var count: Int
    var least: Double
    var most: Double
    /// The highest that was entered; else that of the kind.
    var importance: Int
  }

  struct Line: Encodable, Sendable {
    var seq: Int64
    var at: String
    var by: String
    var action: String
    var subject: String?
    var old: EventValue?
    var new: EventValue?
    var reason: String?
  }

  /// Last change before the day's end, and its hash in hexadecimal digits; compared with the database later, it shows
  /// whether changes were cut off.
  struct LastChange: Encodable, Sendable {
    var seq: Int64
    var hash: String
  }

  var date: String
  /// Time zone, start and end of the day.
  var zone: String
  var starts: String
  var ends: String
  var serverTime: String
  var sessions: [SlotSummary]
  var people: [Person]
  var vitals: [Vital]
  var decisions: [Line]
  var corrections: [Line]
  var notices: [Notice]
  var lastChange: LastChange?
}

extension DayReport {
  /// Reads the report of a day; `people` are those whose session began on it.
  init(_ day: ZonedDay, people: [Person], at now: Int64, in db: Database) throws {
    let start = day.moments.lowerBound
    let end = day.moments.upperBound - 1
    date = day.date.text
    zone = day.zone
    starts = ISOTime.text(start)
    ends = ISOTime.text(end + 1)
    self.people = people
    serverTime = ISOTime.text(now)
    sessions = try Slot.page(Page(limit: 10_000), from: start, to: end, in: db).map { slot in
      let states = try db.rows(
        "SELECT state, count(*) AS n FROM bookings WHERE slot_id = ? GROUP BY state", [slot.id])
      return SlotSummary(
        id: slot.id, site: slot.summary["site_name"]?.string ?? "",
        lab: slot.summary["lab_name"]?.string ?? "", sessionType: slot.title,
        starts: ISOTime.text(slot.starts), capacity: slot.capacity,
        bookings: Dictionary(
          states.map { ($0["state"] as String, $0["n"] as Int) }, uniquingKeysWith: { $1 }))
    }
    vitals = try Self.vitals(during: day, in: db)
    lastChange = try Self.lastChange(until: end, in: db)
    func lines(_ condition: String) throws -> [Line] {
      try db.rows(
        "SELECT * FROM events WHERE at_ms BETWEEN ? AND ? AND (\(condition)) ORDER BY seq",
        [start, end]
      ).map { row in
        Line(
          seq: row["seq"], at: ISOTime.text(row["at_ms"]), by: row["actor"], action: row["action"],
          subject: row["subject"], old: row.json("old"),
          new: row.json("new"), reason: row["reason"])
      }
    }
    decisions = try lines("action = 'release.decide'")
    corrections = try lines(
      """
      action LIKE '%.correct' OR action LIKE '%.void' OR action LIKE '%.resolve'
        OR action LIKE '%.discard'
      """)
    notices =
      day.moments.contains(now)
      ? try Notices.all(of: people, at: now, day, in: db)
      : try Notices.crossings(during: day, in: db)
        + Notices.places(from: start, to: end, in: db)
  }

  private static func lastChange(until end: Int64, in db: Database) throws -> LastChange? {
    try db.row("SELECT seq, hash FROM events WHERE at_ms <= ? ORDER BY seq DESC LIMIT 1", [end]).map
    { LastChange(seq: $0["seq"], hash: ($0["hash"] ?? Data()).hexadecimal) }
  }

  /// Returns the means of vital signs over a day, and their importance: the entered one, or else the kind's.
  static func vitals(during day: ZonedDay, in db: Database) throws -> [Vital] {
    let values = try VitalValue.all(during: day.moments, in: db)
    let days = Dictionary(grouping: values) { [$0.subject, $0.kind] }
    return days.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, values in
      let (mean, least, most) = VitalValue.summary(values)
      return Vital(
        subject: key[0], kind: key[1], unit: values[0].unit, mean: mean, count: values.count,
        least: least, most: most,
        importance: values.compactMap(\.entered).max() ?? values[0].kindImportance)
    }
  }
}

extension StudyDay {
  func report(_ day: ZonedDay) async throws -> DayReport {
    let people = try await people { try Sessions.begun(within: day.moments, in: $0) }
    let now = store.clock.now
    return try await store.read { try DayReport(day, people: people, at: now, in: $0) }
  }
}
