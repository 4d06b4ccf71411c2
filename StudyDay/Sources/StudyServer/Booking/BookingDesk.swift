import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Where places are booked, given back and waited for: in one transaction, with the events that say so.
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

  /// Books a place, unless the slot is full or closed, or a place in it is held already.
  func book(_ slot: Int64, _ form: BookingForm) throws -> Booking {
    let slot = try openSlot(slot, isLastMinute: identity.may(.checkIn))
    let subject = try admit(form)
    try requireRoom(for: subject, in: slot)
    let booking = try hold(slot, for: subject, "booking.make")
    try db.run("DELETE FROM waiting WHERE slot_id = ? AND subject_id = ?", [slot.id, subject.id])
    return booking
  }

  /// Takes a place. That there is one is for the database to say.
  private func hold(
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

  /// Gives a place back before its slot begins; who waits first for it gets it.
  func cancel(_ uuid: UUID) throws -> Booking {
    let booking = try Booking.find(uuid, in: db)
    guard try booking.state != "booked" || now < Slot.find(booking.slot, in: db).starts else {
      throw Problem(.closed, "The slot has begun. Who does not come is noted as that.")
    }
    return try giveUp(booking)
  }

  func giveUp(_ booking: Booking) throws -> Booking {
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
    let subject = try admit(form)
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
    let able = try WaitingList(slot: slot.id, in: db).subjects.filter {
      try obstacle(for: $0, in: slot) == nil
    }
    for id in able.prefix(slot.free) {
      try db.run("DELETE FROM waiting WHERE slot_id = ? AND subject_id = ?", [slot.id, id])
      let name: String? = try db.value("SELECT name FROM subjects WHERE id = ?", [id])
      _ = try hold(slot, for: (id, name ?? ""), "booking.move-up")
    }
  }

  /// Takes back the consent of somebody: places that are not used yet go to who waits for them, name and contact
  /// are erased, and the own devices are signed out. What was measured stays under the code, and who is in a session is looked after until they may go.
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
      _ = try giveUp(booking)
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

  /// Notes that somebody came: their session begins, or goes on that an entry opened. Who was noted not to come may
  /// still come while the slot lasts. A booking for another time than now is taken from those who are sure.
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

  /// Takes a check-in back. The session goes with it, unless something was entered or decided in it.
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

  /// Notes that somebody did not come, once the slot has begun. It costs priority on waiting lists, if the
  /// settings say so.
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

  /// Counts a no-show, or takes one back, with what it costs on waiting lists.
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

  // MARK: Who it is

  /// - Parameter isLastMinute: Whether it may have begun: staff book people who come without a booking.
  private func openSlot(_ id: Int64, isLastMinute: Bool = false) throws -> Slot {
    let slot = try Slot.find(id, in: db)
    guard !slot.isClosed else { throw Problem(.closed, "The slot is closed. Choose another one.") }
    guard now < (isLastMinute ? slot.ends : slot.starts) else {
      throw Problem(.closed, isLastMinute ? "The slot is over." : "The slot has begun.")
    }
    return slot
  }

  /// How many places one person may have booked ahead; staff book more.
  static let mostAhead = 5

  private func requireRoom(for subject: (id: Int64, name: String), in slot: Slot) throws {
    guard let obstacle = try obstacle(for: subject.id, in: slot) else { return }
    throw Problem(.conflict, "\(subject.name.quoted) \(obstacle)")
  }

  /// Why somebody cannot hold a place in a slot; nil if they can: nobody is in two slots at once, or takes all places.
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
    // Who was released early may come again.
    let other = places.first {
      $0.state != "released" && $0.starts < slot.ends && slot.starts < $0.ends
    }
    if let other { return "has a place at that time: from \(ISOTime.text(other.starts))." }
    let ahead = places.count { $0.state == "booked" && now < $0.starts }
    return ahead < Self.mostAhead || identity.may(.checkIn)
      ? nil : "has \(ahead) places ahead, and nobody books more at a time. Ask staff."
  }

  /// The subject that a form is about.
  ///
  /// A form says who a person is the first time, and never again: name and consent stay, a contact is changed by the
  /// person alone, and measures of who was in a series already only where they were not known. Staff who give the
  /// code of somebody else are told.
  private func admit(_ form: BookingForm) throws -> (id: Int64, name: String) {
    guard let given = form.subject ?? identity.subject else {
      throw Problem(.badValue, "Say whom the place is for (subject).")
    }
    let name = try Code.code(given, in: db)
    let subject = (id: try Sessions.subject(name, in: db), name: name)
    let person = try db.row("SELECT name, contact FROM people WHERE subject_id = ?", [subject.id])
    if let person {
      if identity.subject == name {
        try setContact(form.contact, of: subject, was: person["contact"])
      } else if Self.plain(person["name"]) != Self.plain(form.name) {
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

  /// Contacts are in no event; that one changed is.
  private func setContact(
    _ contact: String, of subject: (id: Int64, name: String), was old: String
  ) throws {
    guard contact != old else { return }
    try db.run("UPDATE people SET contact = ? WHERE subject_id = ?", [contact, subject.id])
    try log("subject.contact", of: subject.name)
  }

  /// A name without what people write differently.
  private static func plain(_ name: String) -> String {
    name.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }
}
