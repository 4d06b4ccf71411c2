import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Books, cancels and waits for places; each change and its events are one transaction.
struct BookingDesk {
  let change: DayChange
  let identity: Identity

  var db: Database { change.db }
  var now: Int64 { change.now }

  @discardableResult
  func log(
    _ action: String, of subject: String? = nil, record: UUID? = nil, old: EventValue? = nil,
    new: EventValue? = nil, reason: String? = nil
  ) throws -> Event {
    try change.log(
      Event(
        actor: identity.name, station: identity.station, issuer: identity.issuer, action: action,
        subject: subject, record: record, old: old, new: new, reason: reason))
  }

  // MARK: Booking

  /// Books a place; throws if the slot is full or closed, or the subject has a place in it.
  func book(_ slot: Int64, _ form: BookingForm) throws -> Booking {
    let slot = try openSlot(slot, isLastMinute: identity.may(.checkIn))
    let subject = try register(form)
    try requireRoom(for: subject, in: slot)
    let booking = try insertBooking(slot, for: subject, "booking.make")
    try db.run("DELETE FROM waiting WHERE slot_id = ? AND subject_id = ?", [slot.id, subject.id])
    return booking
  }

  /// Inserts a booking; a trigger of the database refuses it if the slot is full.
  private func insertBooking(
    _ slot: Slot, for subject: (id: Int64, name: String), _ action: String
  ) throws -> Booking {
    let uuid = UUID()
    do {
      try db.insert(
        into: "bookings",
        [
          "uuid": uuid, "slot_id": slot.id, "subject_id": subject.id, "state": "booked",
          "made_ms": now, "changed_ms": now,
        ])
    } catch let error as DatabaseError
      where error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER
    {
      throw Problem(.full)
    }
    try log(
      action, of: subject.name, record: uuid,
      new: .object(["slot": .integer(slot.id), "state": .text("booked")]))
    return try Booking.find(uuid, in: db)
  }

  /// Cancels a booking before its slot begins; the first on the waiting list moves up.
  func cancel(_ uuid: UUID) throws -> Booking {
    let booking = try Booking.find(uuid, in: db)
    guard try booking.state != "booked" || now < Slot.find(booking.slot, in: db).starts else {
      throw Problem(.closed, "The slot has begun. Who does not come is noted as that.")
    }
    return try cancel(booking)
  }

  func cancel(_ booking: Booking) throws -> Booking {
    try booking.require("booked", "a booked place can be cancelled")
    try set("cancelled", of: booking, "booking.cancel")
    try moveUp(in: booking.slot)
    return try Booking.find(booking.uuid, in: db)
  }

  private func set(_ state: String, of booking: Booking, _ action: String) throws {
    try db.run(
      "UPDATE bookings SET state = ?, changed_ms = ? WHERE uuid = ?", [state, now, booking.uuid])
    try log(
      action, of: booking.subject, record: booking.uuid,
      old: .object(["state": .text(booking.state)]), new: .object(["state": .text(state)]))
  }

  // MARK: Waiting

  func wait(for slot: Int64, _ form: BookingForm) throws -> EventValue {
    let slot = try openSlot(slot)
    guard slot.free == 0 else {
      throw Problem(.conflict, "The slot has a free place. Book it instead.")
    }
    let subject = try register(form)
    try requireRoom(for: subject, in: slot)
    try db.run(
      """
      INSERT INTO waiting (slot_id, subject_id, priority, since_ms)
      SELECT ?, subject_id, -no_shows * ifnull(
        (SELECT value FROM settings WHERE name = 'no_show_cost'), 0), ? FROM people
      WHERE subject_id = ? ON CONFLICT DO NOTHING
      """, [slot.id, now, subject.id])
    if db.changesCount > 0 {
      try log("waiting.join", of: subject.name, new: .object(["slot": .integer(slot.id)]))
    }
    let before = try WaitingList(slot: slot.id, in: db).before(subject.id) ?? 0
    return .object([
      "slot": .integer(slot.id), "subject": .text(subject.name),
      "before_me": .integer(Int64(before)),
    ])
  }

  func stopWaiting(for slot: Int64, subject: String) throws {
    try db.run(
      """
      DELETE FROM waiting WHERE slot_id = ?
        AND subject_id = (SELECT id FROM subjects WHERE name = ?)
      """, [slot, subject])
    guard db.changesCount > 0 else {
      throw Problem(.notFound, "\(subject.quoted) does not wait for slot \(slot)")
    }
    try log("waiting.leave", of: subject, old: .object(["slot": .integer(slot)]))
  }

  func moveUp(in slot: Int64) throws {
    let slot = try Slot.find(slot, in: db)
    guard slot.isOpen(at: now) else { return }
    let eligible = try WaitingList(slot: slot.id, in: db).subjects.filter {
      try obstacle(for: $0, in: slot) == nil
    }
    for id in eligible.prefix(slot.free) {
      try db.run("DELETE FROM waiting WHERE slot_id = ? AND subject_id = ?", [slot.id, id])
      let name: String? = try db.value("SELECT name FROM subjects WHERE id = ?", [id])
      _ = try insertBooking(slot, for: (id, name ?? ""), "booking.move-up")
    }
  }

  /// Withdraws a subject's consent: unused places go to the waiting lists, name and contact are erased, and the subject's
  /// devices are signed out. Measurements stay under the code, and a running session goes on until its release.
  func withdrawConsent(of name: String) throws {
    let consent: Int64? = try db.value(
      """
      SELECT consent_ms FROM people WHERE subject_id = (SELECT id FROM subjects WHERE name = ?)
      """, [name])
    guard let consent else { throw Problem(.notFound, "There is no consent of \(name.quoted).") }
    let waiting: [Int64] = try db.values(
      """
      SELECT slot_id FROM waiting WHERE subject_id = (SELECT id FROM subjects WHERE name = ?)
      """, [name])
    for slot in waiting { try stopWaiting(for: slot, subject: name) }
    for booking in try Booking.page(after: nil, limit: .max, subject: name, in: db)
    where booking.state == "booked" {
      _ = try cancel(booking)
    }
    try db.run(
      "DELETE FROM people WHERE subject_id = (SELECT id FROM subjects WHERE name = ?)", [name])
    try db.run(
      """
      UPDATE tokens SET revoked_ms = ?1 WHERE revoked_ms IS NULL AND account_id IN (
        SELECT accounts.id FROM accounts JOIN subjects ON subjects.id = subject_id
        WHERE subjects.name = ?2)
      """, [now, name])
    try log("subject.withdraw", of: name, old: .object(["consent": .text(ISOTime.text(consent))]))
  }

  // MARK: The day itself

  /// Checks a booking in: its session begins, or the one that an entry opened goes on. A no-show may still check in
  /// while the slot lasts.
  ///
  /// - Parameter isSure: Allows a booking for another time than now.
  func checkIn(_ uuid: UUID, isSure: Bool) throws -> Booking {
    let booking = try Booking.find(uuid, in: db)
    let isLate = booking.state == "no-show"
    try booking.require(isLate ? "no-show" : "booked", "a booked place can be checked in")
    let slot = try Slot.find(booking.slot, in: db)
    guard !isLate || now <= slot.ends else {
      throw Problem(.closed, "The slot is over. Book another one.")
    }
    guard isSure || slot.starts - Sessions.before...slot.ends ~= now else {
      throw Problem(
        .conflict,
        "The booking is for another time: from \(ISOTime.text(slot.starts)). Check whose it is (sure: all the same)."
      )
    }
    if isLate { try countNoShow(-1, of: booking.subject) }
    let series = try Sessions.checkIn(booking.subject, to: booking.slot, at: now, in: db)
    do {
      try set("checked-in", of: booking, "booking.check-in")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw Problem(.full, "The place of who did not come was taken meanwhile.")
    }
    try db.run("UPDATE bookings SET series_id = ? WHERE uuid = ?", [series, uuid])
    return try Booking.find(uuid, in: db)
  }

  /// Undoes a check-in, and deletes its session unless something was entered or decided in it.
  func undoCheckIn(_ uuid: UUID) throws -> Booking {
    let booking = try Booking.find(uuid, in: db)
    try booking.require("checked-in", "a check-in can be undone")
    let series: Int64? = try db.value("SELECT series_id FROM bookings WHERE uuid = ?", [uuid])
    try db.run("UPDATE bookings SET series_id = NULL WHERE uuid = ?", [uuid])
    try db.run(
      """
      DELETE FROM series WHERE id = ?1
        AND NOT EXISTS (SELECT 1 FROM entries WHERE series_id = ?1)
        AND EXISTS (SELECT 1 FROM sessions WHERE series_id = ?1 AND decision_seq IS NULL)
      """, [series])
    try set("booked", of: booking, "booking.undo-check-in")
    return try Booking.find(uuid, in: db)
  }

  /// Records a no-show, once the slot has begun. It costs priority on waiting lists, if so set.
  func noteNoShow(_ uuid: UUID) throws -> Booking {
    let booking = try Booking.find(uuid, in: db)
    try booking.require("booked", "a booked place can be missed")
    guard try Slot.find(booking.slot, in: db).starts <= now else {
      throw Problem(.conflict, "The slot has not begun. Cancel the booking instead.")
    }
    try set("no-show", of: booking, "booking.no-show")
    try countNoShow(1, of: booking.subject)
    return try Booking.find(uuid, in: db)
  }

  /// Adds to a subject's number of no-shows, and adjusts the priority on waiting lists.
  private func countNoShow(_ change: Int, of subject: String) throws {
    let person = "(SELECT id FROM subjects WHERE name = ?1)"
    try db.run(
      "UPDATE people SET no_shows = max(0, no_shows + ?2) WHERE subject_id = \(person)",
      [subject, change])
    try db.run(
      """
      UPDATE waiting SET priority = min(0, priority - ?2 * ifnull(
        (SELECT value FROM settings WHERE name = 'no_show_cost'), 0)) WHERE subject_id = \(person)
      """, [subject, change])
  }

  func setFavourite(_ isFavourite: Bool, _ slot: Int64) throws {
    let slot = try Slot.find(slot, in: db)
    try db.run(
      isFavourite
        ? "INSERT INTO favourites (account_id, slot_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
        : "DELETE FROM favourites WHERE account_id = ? AND slot_id = ?",
      [identity.account, slot.id])
    guard db.changesCount > 0 else { return }
    try log(
      isFavourite ? "favourite.add" : "favourite.remove", of: identity.subject,
      new: .object(["slot": .integer(slot.id)]))
  }

  // MARK: Subject and slot

  /// - Parameter isLastMinute: Allows a slot that has begun: staff book people who come without a booking.
  private func openSlot(_ id: Int64, isLastMinute: Bool = false) throws -> Slot {
    let slot = try Slot.find(id, in: db)
    guard !slot.isClosed else { throw Problem(.closed, "The slot is closed. Choose another one.") }
    guard now < (isLastMinute ? slot.ends : slot.starts) else {
      throw Problem(.closed, isLastMinute ? "The slot is over." : "The slot has begun.")
    }
    return slot
  }

  /// Number of places that one person may book ahead; staff may book more.
  static let mostAhead = 5

  private func requireRoom(for subject: (id: Int64, name: String), in slot: Slot) throws {
    guard let obstacle = try obstacle(for: subject.id, in: slot) else { return }
    throw Problem(.conflict, "\(subject.name.quoted) \(obstacle)")
  }

  /// Reason why a subject cannot have a place in a slot; nil if there is none. Nobody is in two slots at once, or takes
  /// all places.
  private func obstacle(for subject: Int64, in slot: Slot) throws -> String? {
    let places = try db.rows(
      """
      SELECT slots.id, state, starts_ms, starts_ms + length_min * 60000 AS ends_ms
      FROM bookings JOIN slots ON slots.id = slot_id
        JOIN session_types ON session_types.id = session_type_id
      WHERE subject_id = ? AND \(Slot.holding)
      """, [subject]
    ).map {
      (
        slot: $0["id"] as Int64, state: $0["state"] as String, starts: $0["starts_ms"] as Int64,
        ends: $0["ends_ms"] as Int64
      )
    }
    if places.contains(where: { $0.slot == slot.id }) { return "has a place already." }
    // People who were released early may come again.
    let overlapping = places.first {
      $0.state != "released" && $0.starts < slot.ends && slot.starts < $0.ends
    }
    if let overlapping {
      return "has a place at that time: from \(ISOTime.text(overlapping.starts))."
    }
    let ahead = places.count { $0.state == "booked" && now < $0.starts }
    return ahead < Self.mostAhead || identity.may(.checkIn)
      ? nil : "has \(ahead) places ahead, and nobody books more at a time. Ask staff."
  }

  /// Returns the subject of a form, and stores name, contact and consent at the first booking.
  ///
  /// Later forms change no name or consent; only the person changes the contact, and measures of a subject with a series
  /// are only completed. A form with another name than the stored one is refused.
  private func register(_ form: BookingForm) throws -> (id: Int64, name: String) {
    guard let given = form.subject ?? identity.subject else {
      throw Problem(.badValue, "Say whom the place is for (subject).")
    }
    let name = try Code.code(given, in: db)
    let subject = (id: try Sessions.subject(name, in: db), name: name)
    let person = try db.row("SELECT name, contact FROM people WHERE subject_id = ?", [subject.id])
    if let person {
      if identity.subject == name {
        try setContact(form.contact, of: subject, was: person["contact"])
      } else if Self.normalised(person["name"]) != Self.normalised(form.name) {
        throw Problem(
          .conflict,
          "\(name.quoted) is the code of somebody with another name. Check the code, or choose a new one."
        )
      }
    } else {
      try db.insert(
        into: "people",
        [
          "subject_id": subject.id, "name": form.name, "contact": form.contact, "consent_ms": now,
        ])
      try log("subject.consent", of: name)
    }
    let hasSeries = try db.has("SELECT 1 FROM series WHERE subject_id = ?", [subject.id])
    let old = try Measures(of: subject.id, in: db)
    let new = hasSeries ? old.filled(from: form.measures) : form.measures.filled(from: old)
    if new != old {
      try new.store(for: subject.id, insteadOf: old, in: db)
      try log("subject.measures", of: name, old: old.json, new: new.json)
    }
    return subject
  }

  /// Changes a contact and logs that it changed; the contact itself is in no event.
  private func setContact(
    _ contact: String, of subject: (id: Int64, name: String), was old: String
  ) throws {
    guard contact != old else { return }
    try db.run("UPDATE people SET contact = ? WHERE subject_id = ?", [contact, subject.id])
    try log("subject.contact", of: subject.name)
  }

  /// Normalises case and blanks of a name.
  private static func normalised(_ name: String) -> String {
    name.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }
}
