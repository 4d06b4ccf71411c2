import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

struct Booking: Sendable {
  var uuid: UUID
  var slot: Int64
  var subject: String
  var state: String
  var made: Int64
  private let name: String?
  private let contact: String?

  private static let selection = """
    SELECT uuid, slot_id, subjects.name AS subject, state, bookings.made_ms, people.name, contact
    FROM bookings JOIN subjects ON subjects.id = bookings.subject_id
      LEFT JOIN people ON people.subject_id = bookings.subject_id
    """

  private init(_ row: SafeRow) throws {
    guard let uuid = row["uuid"] as UUID? else {
      throw StoreError.damage("bookings", "a booking has no valid UUID")
    }
    self.uuid = uuid
    slot = row["slot_id"]
    subject = row["subject"]
    state = row["state"]
    made = row["made_ms"]
    name = row["name"]
    contact = row["contact"]
  }

  /// One booking; 404 if there is none.
  static func find(_ uuid: UUID, in db: Database) throws -> Booking {
    guard let row = try db.row("\(selection) WHERE uuid = ?", [uuid]) else {
      throw Problem(.notFound, "there is no booking \(uuid.text)")
    }
    return try Booking(row)
  }

  /// Refuses what can be done to a booking of another state only.
  func require(_ state: String, _ only: String) throws(Problem) {
    guard state == self.state else {
      throw Problem(.closed, "The booking is \(self.state). Only \(only).")
    }
  }

  /// The bookings of a subject, or of everybody, in the order they were made, after one of them.
  static func page(
    after uuid: UUID?, limit: Int, subject: String? = nil, slot: Int64? = nil, in db: Database
  ) throws -> [Booking] {
    try db.rows(
      """
      \(selection) WHERE (?1 IS NULL OR (bookings.made_ms, uuid) > (
          SELECT made_ms, uuid FROM bookings WHERE uuid = ?1))
        AND (?2 IS NULL OR subjects.name = ?2) AND (?3 IS NULL OR slot_id = ?3)
      ORDER BY bookings.made_ms, uuid LIMIT ?4
      """, [uuid, subject, slot, limit]
    ).map(Booking.init)
  }

  /// The booking as it is sent, with or without name and contact.
  func json(areNamesShown: Bool, in db: Database) throws -> EventValue {
    var members = try Slot.find(slot, in: db).summary
    members["id"] = .text(uuid.text)
    members["slot"] = .integer(slot)
    members["subject"] = .text(subject)
    members["state"] = .text(state)
    members["made"] = .text(ISOTime.text(made))
    if areNamesShown {
      members["name"] = name.map(EventValue.text) ?? .null
      members["contact"] = contact.map(EventValue.text) ?? .null
    }
    return .object(members)
  }

  func calendar(at now: Int64, in db: Database) throws -> CalendarFile {
    let slot = try Slot.find(slot, in: db)
    let isCancelled = !["booked", "checked-in", "released"].contains(state)
    // Every change of where and when is an event.
    let moves =
      try db.value(
        """
        SELECT count(*) FROM events WHERE action IN (
            'sites.change', 'labs.change', 'session_types.change', 'slots.change')
          AND json_extract(new, '$.id') = CASE action WHEN 'sites.change' THEN ?1
            WHEN 'labs.change' THEN ?2 WHEN 'session_types.change' THEN ?3 ELSE ?4 END
        """, [slot.site, slot.lab, slot.sessionType, slot.id]) ?? 0
    return CalendarFile(
      uid: "\(uuid.text)@promille", starts: slot.starts, ends: slot.ends, made: now,
      summary: slot.title, location: slot.location,
      description: "Do not drive to the session, and do not plan to drive afterwards.",
      isCancelled: isCancelled, revision: moves + (isCancelled ? 1 : 0))
  }
}

struct BookingForm: Sendable {
  /// Subject of the booking, if it is made for somebody else.
  var subject: String?
  var name: String
  var contact: String
  var measures: Measures

  init(_ json: EventValue) throws(Problem) {
    var form = try Form(json, "the booking")
    subject = try form.text("subject", 1...100)
    name = try form.required("name", form.text("name"))
    contact = try form.required("contact", form.text("contact"))
    guard try form.flag("consent") == true else {
      throw Problem(.badValue, "Nobody takes part without consent (consent: true).")
    }
    measures = Measures()
    if var ownMeasures = try form.form("own_measures", "the measures") {
      measures = try Measures(&ownMeasures)
      try ownMeasures.end()
    }
    try form.end()
  }
}
