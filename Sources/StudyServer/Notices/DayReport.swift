import Foundation
import GRDB
import HealthData
import Hummingbird
import StudyData
import StudyStore

/// What happened on a day, without names. A day is that of a time zone, which the reader of the report states.
struct DayReport: Codable, Sendable {
  struct SlotSummary: Codable, Sendable {
    var id: Int64
    var site: String
    var lab: String
    var sessionType: String
    var starts: String
    var capacity: Int
    var bookings: [String: Int]
  }

  struct Vital: Codable, Sendable {
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

  struct Line: Codable, Sendable {
    var seq: Int64
    var at: String
    var by: String
    var action: String
    var subject: String?
    var old: EventValue?
    var new: EventValue?
    var reason: String?
  }

  /// The last change until the day's end, and its hash in hexadecimal digits: held against the database later, it shows
  /// whether changes were cut off.
  struct LastChange: Codable, Sendable {
    var seq: Int64
    var hash: String
  }

  var date: String
  /// The time zone whose day it is, and when the day begins and ends.
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
  /// Reads what the database says of a day; `people` are those whose session began on it.
  init(_ day: ZonedDay, people: [Person], at now: Int64, in db: Database) throws {
    let (start, end) = (day.moments.lowerBound, day.moments.upperBound)
    date = day.date.text
    zone = day.zone
    (starts, ends) = (ISOTime.text(start), ISOTime.text(end + 1))
    self.people = people
    serverTime = ISOTime.text(now)
    sessions = try Slot.page(Page(limit: 10_000), from: start, to: end, in: db).map { slot in
      let states = try SafeRow.all(
        db, "SELECT state, count(*) AS n FROM bookings WHERE slot_id = ? GROUP BY state", [slot.id])
      return SlotSummary(
        id: slot.id, site: slot.place["site_name"]?.string ?? "",
        lab: slot.place["lab_name"]?.string ?? "", sessionType: slot.title,
        starts: ISOTime.text(slot.starts), capacity: slot.capacity,
        bookings: Dictionary(
          states.map { ($0["state"] as String, $0["n"] as Int) }, uniquingKeysWith: { $1 }))
    }
    vitals = try Self.vitals(during: day, in: db)
    lastChange = try Self.lastChange(until: end, in: db)
    func lines(_ condition: String) throws -> [Line] {
      try SafeRow.all(
        db,
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
      : try Notices.vitals(during: day, in: db)
        + Notices.places(from: start, to: end, in: db)
  }

  private static func lastChange(until end: Int64, in db: Database) throws -> LastChange? {
    try SafeRow.first(
      db, "SELECT seq, hash FROM events WHERE at_ms <= ? ORDER BY seq DESC LIMIT 1", [end]
    ).map { LastChange(seq: $0["seq"], hash: ($0["hash"] ?? Data()).hexadecimal) }
  }

  /// The means of vital signs over a day, and how much they matter: as was entered, or as is set for the kind.
  static func vitals(during day: ZonedDay, in db: Database) throws -> [Vital] {
    let rows = try SafeRow.all(
      db,
      """
      SELECT subjects.name AS subject, vitals.kind, vital_kinds.unit, vital_kinds.importance, vitals.value,
        json_extract(new, '$.value.importance') AS entered
      FROM vitals JOIN subjects ON subjects.id = vitals.subject_id
        JOIN vital_kinds ON vital_kinds.kind = vitals.kind
        LEFT JOIN entries ON is_uuid_given = 1 AND entries.uuid = vitals.uuid
        LEFT JOIN events ON seq = version
      WHERE start_utc BETWEEN ? AND ?
      """, [day.utc.lowerBound, day.utc.upperBound])
    let days = Dictionary(grouping: rows) { [$0["subject"] as String, $0["kind"] as String] }
    return days.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, rows in
      // Another program may have stored what is no number.
      let values = rows.map { $0["value"] as Double }.filter(\.isFinite)
      let entered = rows.compactMap { $0["entered"] as Int? }
      return Vital(
        subject: key[0], kind: key[1], unit: rows[0]["unit"],
        mean: values.reduce(0, +) / Double(max(1, values.count)), count: values.count,
        least: values.min() ?? 0, most: values.max() ?? 0,
        importance: entered.max() ?? rows[0]["importance"])
    }
  }
}

/// A day on the clocks of a time zone, which has 23 to 25 hours.
struct ZonedDay: Sendable {
  let date: CalendarDay
  let zone: String
  /// Its first and last millisecond.
  let moments: ClosedRange<Int64>

  init(_ date: CalendarDay, in zone: ClockZone) {
    self.date = date
    self.zone = zone.name
    let next = zone.start(of: CalendarDay(number: date.number + 1))
    moments = Int64(zone.start(of: date)) * 1000...(Int64(next) * 1000 - 1)
  }

  init(containing moment: Int64, in zone: ClockZone) {
    let local = zone.local(at: Int(moment).divided(by: 1000).quotient)
    self.init(CalendarDay(number: local.divided(by: 86_400).quotient), in: zone)
  }

  /// The first and last second, as the tables of vital signs have them.
  fileprivate var utc: ClosedRange<String> {
    ISOTime.stored(moments.lowerBound)...ISOTime.stored(moments.upperBound)
  }
}

extension ClockZone {
  /// The zone that a client names, as `Europe/Berlin`.
  ///
  /// - Throws: ``Problem`` 404 if nobody knows it.
  init(named name: String) throws(Problem) {
    guard let zone = ClockZone(name) else {
      throw Problem(.notFound, "Name a time zone, for example ?zone=Europe/Berlin.")
    }
    self = zone
  }
}

extension StudyDay {
  func report(_ day: ZonedDay) async throws -> DayReport {
    let (people, now) = (
      try await people { try Sessions.begun(within: day.moments, in: $0) }, store.clock.now
    )
    return try await store.read { try DayReport(day, people: people, at: now, in: $0) }
  }
}
