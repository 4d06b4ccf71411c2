import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

struct Slot {
  var id: Int64
  var sessionType: Int64
  var starts: Int64
  var ends: Int64
  var isClosed: Bool
  var capacity: Int
  var held: Int
  private let row: SafeRow

  var free: Int { max(0, capacity - held) }

  func isOpen(at now: Int64) -> Bool { !isClosed && now < starts }

  /// SQL condition of bookings that occupy a place.
  static let holding = "state IN ('booked', 'checked-in', 'released')"

  private static let selection = """
    SELECT slots.id, session_type_id, starts_ms, slots.capacity, length_min, lab_id,
      session_types.name AS session_type_name, labs.name AS lab_name, site_id,
      sites.name AS site_name, sites.address,
      coalesce(slots.closed_ms, session_types.closed_ms, labs.closed_ms, sites.closed_ms) AS closed_ms,
      (SELECT count(*) FROM bookings WHERE slot_id = slots.id AND \(holding)) AS held,
      (SELECT count(*) FROM waiting WHERE slot_id = slots.id) AS waiting
    FROM slots JOIN session_types ON session_types.id = session_type_id
      JOIN labs ON labs.id = lab_id JOIN sites ON sites.id = site_id
    """

  private init(_ row: SafeRow) {
    id = row["id"]
    sessionType = row["session_type_id"]
    starts = row["starts_ms"]
    ends = starts + 60_000 * (row["length_min"] as Int64)
    isClosed = (row["closed_ms"] as Int64?) != nil
    capacity = row["capacity"]
    held = row["held"]
    self.row = row
  }

  /// One slot; 404 if there is none of that number.
  static func find(_ id: Int64, in db: Database) throws -> Slot {
    guard let row = try db.row("\(selection) WHERE slots.id = ?", [id]) else {
      throw Problem(.notFound, "there is no slot \(id)")
    }
    return Slot(row)
  }

  /// The slots that start in a range of times, by number.
  static func page(
    _ page: Page, from: Int64? = nil, to: Int64? = nil, in db: Database
  ) throws -> [Slot] {
    try db.rows(
      """
      \(selection) WHERE slots.id > ?1 AND (?2 IS NULL OR starts_ms >= ?2)
        AND (?3 IS NULL OR starts_ms <= ?3) ORDER BY slots.id LIMIT ?4
      """, [page.after, from, to, page.limit]
    ).map(Slot.init)
  }

  var summary: [String: EventValue] {
    [
      "site": .integer(row["site_id"]), "site_name": .text(row["site_name"]),
      "lab": .integer(row["lab_id"]), "lab_name": .text(row["lab_name"]),
      "session_type": .integer(sessionType), "session_type_name": .text(row["session_type_name"]),
      "starts": .text(ISOTime.text(starts)),
      "ends": .text(ISOTime.text(ends)),
    ]
  }

  var location: String {
    ([row["lab_name"], row["site_name"]] + [row["address"]].compactMap { $0 as String? })
      .joined(separator: ", ")
  }
  var title: String { row["session_type_name"] }
  var site: Int64 { row["site_id"] }
  var lab: Int64 { row["lab_id"] }

  func json(for subject: Int64?, account: Int64?, in db: Database) throws -> EventValue {
    let mine = try subject.flatMap { subject in
      try db.row(
        "SELECT uuid FROM bookings WHERE slot_id = ? AND subject_id = ? AND \(Self.holding)",
        [id, subject])
    }
    let before = try subject.flatMap { try WaitingList(slot: id, in: db).before($0) }
    let isFavourite = try account.map { account in
      try db.has("SELECT 1 FROM favourites WHERE slot_id = ? AND account_id = ?", [id, account])
    }
    return .object(
      summary.merging([
        "id": .integer(id), "capacity": .integer(Int64(capacity)), "free": .integer(Int64(free)),
        "waiting": .integer(row["waiting"]), "closed": .bool(isClosed),
        "mine": (mine?["uuid"] as UUID?).map { .text($0.text) } ?? .null,
        "before_me": before.map { .integer(Int64($0)) } ?? .null,
        "favourite": .bool(isFavourite ?? false),
      ]) { $1 })
  }
}

/// Waiting list of a slot, ordered by priority, then by time of joining.
struct WaitingList {
  let subjects: [Int64]

  init(slot: Int64, in db: Database) throws {
    subjects = try db.rows(
      """
      SELECT subject_id FROM waiting WHERE slot_id = ?
      ORDER BY priority DESC, since_ms, subject_id
      """, [slot]
    ).map { $0["subject_id"] }
  }

  func before(_ subject: Int64) -> Int? { subjects.firstIndex(of: subject) }
}

extension Identity {
  func subjectNumber(in db: Database) throws -> Int64? {
    try subject.flatMap { try Sessions.number(of: $0, in: db) }
  }
}
