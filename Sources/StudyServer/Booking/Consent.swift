import Foundation
import GRDB
import Hummingbird
import StudyData
import StudyStore

extension BookingDesk {
  /// Takes back the consent of somebody: places that are not used yet go to who waits for them, and name and contact
  /// are erased. What was measured stays under the code, and who is in a session is looked after until they may go.
  mutating func withdrawConsent(of name: String) throws {
    let consent = try Int64.fetchOne(
      db,
      sql: """
        SELECT consent_ms FROM people WHERE subject_id = (SELECT id FROM subjects WHERE name = ?)
        """, arguments: [name])
    guard let consent else { throw Problem(.notFound, "There is no consent of \(name.quoted).") }
    let waiting = try Int64.fetchAll(
      db,
      sql: """
        SELECT slot_id FROM waiting WHERE subject_id = (SELECT id FROM subjects WHERE name = ?)
        """, arguments: [name])
    for slot in waiting { try stopWaiting(for: slot, subject: name) }
    for booking in try Booking.page(after: nil, limit: .max, subject: name, in: db)
    where booking.state == "booked" {
      _ = try cancel(booking.uuid)
    }
    try db.execute(
      sql: "DELETE FROM people WHERE subject_id = (SELECT id FROM subjects WHERE name = ?)",
      arguments: [name])
    try log("subject.withdraw", of: name, old: .object(["consent": .text(ISOTime.text(consent))]))
  }
}

extension RouterGroup<DayContext> {
  /// `DELETE /people/{subject}/consent`.
  func addConsentRoutes(_ day: StudyDay) {
    delete("/people/:subject/consent") { _, context in
      let subject = try context.text("subject")
      let identity = try context.require(.withdrawConsent, of: subject)
      try await BookingDesk.open(day.store, for: identity) { desk in
        try desk.withdrawConsent(of: subject)
        return .null
      }
      return Response(status: .noContent)
    }
  }
}
