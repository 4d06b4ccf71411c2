import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

/// Verifies bookings and waiting lists against the log.
struct BookingCheck {
  static let tables = ["bookings", "waiting"]

  let db: Database

  func firstDifference() throws -> EntryDifference? { try bookings() ?? waiting() }

  private func bookings() throws -> EntryDifference? {
    let actions = ["make", "move-up", "cancel", "check-in", "undo-check-in", "no-show"]
    let events = try EventLog.events(of: actions.map { "booking.\($0)" }, in: db)
    var said = Dictionary(grouping: events) { $0.record ?? UUID.none }
    let rows = try db.rows(
      """
      SELECT bookings.*, subjects.name AS subject, sessions.state AS session_state,
        series.subject_id AS series_subject
      FROM bookings LEFT JOIN subjects ON subjects.id = bookings.subject_id
        LEFT JOIN sessions ON sessions.series_id = bookings.series_id
        LEFT JOIN series ON series.id = bookings.series_id
      ORDER BY bookings.made_ms, bookings.uuid
      """)
    for row in rows {
      let uuid = (row["uuid"] as UUID?) ?? UUID.none
      func different(_ message: String) -> EntryDifference {
        EntryDifference(what: "booking", name: uuid.text, message: message)
      }
      guard let events = said.removeValue(forKey: uuid), let first = events.first,
        let last = events.last
      else { return different("nobody made it") }
      guard first.subject == row["subject"] as String?,
        first.newValue["slot"]?.integer == row["slot_id"] as Int64?,
        first.at == row["made_ms"] as Int64?
      else { return different("it is for another person, slot or time than was booked") }
      var state = last.newValue["state"]?.string
      let series: Int64? = row["series_id"]
      guard (series != nil) == (state == "checked-in"),
        series == nil || row["series_subject"] as Int64? == row["subject_id"] as Int64?
      else { return different("its session is not that of who checked in") }
      // A release of the session releases the booking, without an event of its own.
      if state == "checked-in", row["session_state"] as String? == "released" { state = "released" }
      guard row["state"] as String? == state else {
        return different("its state is not the one in the log")
      }
    }
    return said.min { ($0.value.first?.seq ?? 0) < ($1.value.first?.seq ?? 0) }.map {
      EntryDifference(
        what: "booking", name: $0.key.text, message: "it was made, and is missing")
    }
  }

  private struct WaitingKey: Hashable {
    var subject: String
    var slot: Int64
  }

  private func waiting() throws -> EntryDifference? {
    var since: [WaitingKey: Int64] = [:]
    let actions = ["waiting.join", "waiting.leave", "booking.make", "booking.move-up"]
    for event in try EventLog.events(of: actions, in: db) {
      guard let subject = event.subject,
        let slot = (event.newValue["slot"] ?? event.oldValue["slot"])?.integer
      else { continue }
      let key = WaitingKey(subject: subject, slot: slot)
      since[key] = event.action == "waiting.join" ? event.at : nil
    }
    func different(_ key: WaitingKey, _ message: String) -> EntryDifference {
      EntryDifference(
        what: "place on the waiting list", name: "of \(key.subject) for slot \(key.slot)",
        message: message)
    }
    let rows = try db.rows(
      """
      SELECT waiting.*, subjects.name AS subject FROM waiting
        LEFT JOIN subjects ON subjects.id = subject_id ORDER BY slot_id, subject_id
      """)
    for row in rows {
      let key = WaitingKey(subject: row["subject"], slot: row["slot_id"])
      guard since.removeValue(forKey: key) == row["since_ms"] as Int64? else {
        return different(key, "it is not the one in the log")
      }
    }
    return since.min { $0.value < $1.value }.map { different($0.key, "it is missing") }
  }
}
