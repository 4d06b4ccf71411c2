import Foundation
import GRDB
import HealthData
import Hummingbird
import StudyStore

/// What happened on a day (of UTC), without names.
struct DayReport: Codable, Sendable {
  /// A slot, and what became of its places.
  struct SlotSummary: Codable, Sendable {
    var id: Int64
    var site: String
    var lab: String
    var sessionType: String
    var starts: String
    var capacity: Int
    /// How many bookings are in each state.
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
    var importance: Int
  }

  /// A change that a report lists.
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

  var date: String
  var serverTime: String
  var sessions: [SlotSummary]
  var people: [Person]
  var vitals: [Vital]
  var decisions: [Line]
  var corrections: [Line]
  var notices: [Notice]
}

extension DayReport {
  /// Reads what the database says of a day; `people` are those whose session began on it.
  init(_ date: CalendarDay, people: [Person], at now: Int64, in db: Database) throws {
    let start = Int64(date.number) * 86_400_000
    let end = start + 86_399_999
    let isToday = start...end ~= now
    self.date = date.text
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
    vitals = try VitalDay.all(VitalFilter(days: date.text...date.text), in: db).map { day in
      Vital(
        subject: day.subject, kind: day.kind.rawValue, unit: day.kind.unit, mean: day.mean,
        count: day.count, least: day.lowest, most: day.highest, importance: day.importance)
    }
    func lines(_ condition: String) throws -> [Line] {
      try SafeRow.all(
        db,
        "SELECT * FROM events WHERE at_ms BETWEEN ? AND ? AND (\(condition)) ORDER BY seq",
        [start, end]
      ).map { row in
        Line(
          seq: row["seq"], at: ISOTime.text(row["at_ms"]), by: row["actor"], action: row["action"],
          subject: row["subject"], old: (row["old"] as String?).flatMap { EventValue($0) },
          new: (row["new"] as String?).flatMap { EventValue($0) }, reason: row["reason"])
      }
    }
    decisions = try lines("action = 'release.decide'")
    corrections = try lines(
      "action LIKE '%.correct' OR action LIKE '%.void' OR action LIKE '%.resolve'")
    notices =
      isToday
      ? try Notices.all(of: people, at: now, in: db)
      : try Notices.vitals(of: people, on: date.text, in: db)
        + Notices.places(from: start, to: end, in: db)
  }
}

extension StudyDay {
  /// The report of a day.
  func report(_ date: CalendarDay) async throws -> DayReport {
    let start = Int64(date.number) * 86_400_000
    let records = try await store.read { db in
      try SafeRow.all(
        db,
        """
        SELECT series_id FROM sessions JOIN series ON series.id = series_id
          JOIN subjects ON subjects.id = subject_id
        WHERE starts_ms BETWEEN ? AND ? ORDER BY subjects.name, starts_ms
        """, [start, start + 86_399_999]
      ).compactMap { try Sessions.session(series: $0["series_id"], in: db) }
        .map { try PersonRecord($0, in: db) }
    }
    var people: [Person] = []
    for record in records {
      people.append(record.person(await forecaster.outlook(of: record), at: store.clock.now))
    }
    let (found, now) = (people, store.clock.now)
    return try await store.read { try DayReport(date, people: found, at: now, in: $0) }
  }
}

extension RouterGroup<DayContext> {
  /// `GET /reports/{date}`.
  func addReportRoutes(_ day: StudyDay) {
    get("/reports/{date}") { _, context in
      _ = try context.require(.seeReports)
      guard let date = context.parameters.get("date").flatMap(CalendarDay.init) else {
        throw Problem(.notFound, "Name a day, for example /reports/2026-05-01.")
      }
      return try Response.json(try await day.report(date))
    }
  }
}
