@_spi(StudyDay) import DayDatabase
import GRDB
@_spi(StudyDay) import StudyStore

/// Bookable things: sites, their labs, session types of a lab, and slots of a type.
enum Offer: String, CaseIterable {
  case sites, labs
  case sessionTypes = "session_types"
  case slots

  /// The path of the list, and what one of it is called.
  var path: String { self == .sessionTypes ? "session-types" : rawValue }
  var word: String { self == .sessionTypes ? "session type" : String(rawValue.dropLast()) }

  func page(_ page: Page, in db: Database) throws -> [EventValue] {
    try db.rows(
      "SELECT * FROM \(rawValue) WHERE id > ? ORDER BY id LIMIT ?", [page.after, page.limit]
    ).map(json)
  }

  func find(_ id: Int64, in db: Database) throws -> EventValue? {
    try db.row("SELECT * FROM \(rawValue) WHERE id = ?", [id]).map(json)
  }

  private func json(_ row: SafeRow) -> EventValue {
    var members: [String: EventValue] = [
      "id": .integer(row["id"]), "name": .text(row["name"]),
      "closed": .bool((row["closed_ms"] as Int64?) != nil),
    ]
    if self == .sites { members["public"] = .bool(row["is_public"]) }
    let columns: KeyValuePairs =
      switch self {
      case .sites: ["address": "address"]
      case .labs: ["site": "site_id"]
      case .sessionTypes:
        [
          "lab": "lab_id", "length_min": "length_min",
          "reading_interval_min": "reading_interval_min", "capacity": "capacity",
          "release_limit_g_per_kg": "release_limit_g_per_kg", "food_state": "food",
        ]
      case .slots: [:]
      }
    for (member, column) in columns { members[member] = row.value(column) }
    return .object(members)
  }
}

/// Requested columns and values of a site, lab, session type or slot.
struct OfferChange: Sendable {
  let offer: Offer
  /// Values to change; others stay as they are.
  private(set) var values: [(column: String, value: DatabaseValue)] = []
  private(set) var isClosed: Bool?
  /// True if the session is called off: its bookings and waiting list are cancelled.
  private(set) var isCalledOff = false

  /// Reads a form; a new offer needs every member without a default.
  init(_ offer: Offer, _ form: Form, isNew: Bool) throws(Problem) {
    self.offer = offer
    var form = form
    func need<Value>(_ key: String, _ value: Value?) throws(Problem) -> Value? {
      isNew ? try form.required(key, value) : value
    }
    let number: ClosedRange<Int64> = 1...Int64(Int32.max)
    if offer != .slots { set("name", try need("name", form.text("name", 1...80))) }
    switch offer {
    case .sites:
      set("address", try form.text("address", 1...300))
      set("is_public", try form.flag("public"))
    case .labs:
      if isNew { set("site_id", try need("site", form.integer("site", number))) }
    case .sessionTypes:
      if isNew { set("lab_id", try need("lab", form.integer("lab", number))) }
      set("length_min", try need("length_min", form.integer("length_min", 1...10_080)))
      set(
        "reading_interval_min",
        try need("reading_interval_min", form.integer("reading_interval_min", 1...1440)))
      set("capacity", try need("capacity", form.integer("capacity", 1...1000)))
      set(
        "release_limit_g_per_kg",
        try need("release_limit_g_per_kg", form.number("release_limit_g_per_kg", 0.01...2)))
      set("food", try need("food_state", form.word("food_state", ["fasted", "fed"])))
    case .slots:
      if isNew {
        set("session_type_id", try need("session_type", form.integer("session_type", number)))
      }
      set("starts_ms", try need("starts", form.moment("starts")))
      set("capacity", try form.integer("capacity", 1...1000))
    }
    isClosed = try form.flag("closed")
    if offer == .slots, !isNew { isCalledOff = try form.flag("cancel_bookings") ?? false }
    guard !isCalledOff || isClosed == true else {
      throw Problem(.badValue, "Bookings are cancelled with the slot: send closed, too.")
    }
    try form.end()
  }

  private mutating func set(_ column: String, _ value: (any DatabaseValueConvertible)?) {
    if let value { values.append((column, value.databaseValue)) }
  }

  fileprivate func json(_ id: Int64) -> EventValue {
    var members = Dictionary(
      values.map { column, value -> (String, EventValue) in
        switch value.storage {
        case .int64(let number): (column, .integer(number))
        case .double(let number): (column, .number(number))
        case .string(let text): (column, .text(text))
        case .null, .blob: (column, .null)
        }
      }, uniquingKeysWith: { $1 })
    members["id"] = .integer(id)
    members["closed"] = isClosed.map(EventValue.bool)
    return .object(members)
  }
}

extension BookingDesk {
  func make(_ change: OfferChange) throws -> EventValue {
    var columns = change.values.map(\.column)
    var values = change.values.map(\.value)
    if change.offer == .slots, !columns.contains("capacity") {
      let type = change.values.first { $0.column == "session_type_id" }?.value
      let usual: Int64? = try db.value("SELECT capacity FROM session_types WHERE id = ?", [type])
      columns.append("capacity")
      values.append((usual ?? 1).databaseValue)
    }
    if change.isClosed == true {
      columns.append("closed_ms")
      values.append(now.databaseValue)
    }
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    try write(
      "INSERT INTO \(change.offer.rawValue) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
      values, change)
    let id = db.lastInsertedRowID
    try log("\(change.offer.rawValue).make", new: change.json(id))
    return try json(change.offer, id)
  }

  /// Changes an offer. People who wait for a slot that got wider, or opened again, move up.
  func change(_ id: Int64, _ change: OfferChange) throws -> EventValue {
    let old = try json(change.offer, id)
    var assignments = change.values.map { "\($0.column) = ?" }
    var values = change.values.map(\.value)
    if let isClosed = change.isClosed {
      assignments.append("closed_ms = \(isClosed ? "coalesce(closed_ms, ?)" : "NULL")")
      if isClosed { values.append(now.databaseValue) }
    }
    guard !assignments.isEmpty else { return old }
    try write(
      "UPDATE \(change.offer.rawValue) SET \(assignments.joined(separator: ", ")) WHERE id = ?",
      values + [id.databaseValue], change)
    try log("\(change.offer.rawValue).change", old: old, new: change.json(id))
    if change.isCalledOff { try callOff(id) }
    // A lab that opens again, or a type, opens its slots.
    let slots: [Int64] = try db.values(
      "SELECT DISTINCT slot_id FROM waiting WHERE ?1 IS NULL OR slot_id = ?1",
      [change.offer == .slots ? id : nil])
    for slot in slots { try moveUp(in: slot) }
    return try json(change.offer, id)
  }

  /// Cancels the bookings of a slot that was closed, and empties its waiting list.
  private func callOff(_ slot: Int64) throws {
    let waiting: [String] = try db.values(
      """
      SELECT name FROM waiting JOIN subjects ON subjects.id = subject_id WHERE slot_id = ?
      ORDER BY name
      """, [slot])
    for subject in waiting { try stopWaiting(for: slot, subject: subject) }
    for booking in try Booking.page(after: nil, limit: .max, slot: slot, in: db)
    where booking.state == "booked" {
      _ = try cancel(booking)
    }
  }

  private func json(_ offer: Offer, _ id: Int64) throws -> EventValue {
    if offer == .slots {
      return try Slot.find(id, in: db).json(
        for: identity.subjectNumber(in: db), account: identity.account, in: db)
    }
    guard let json = try offer.find(id, in: db) else {
      throw Problem(.notFound, "there is no \(offer.word) \(id)")
    }
    return json
  }

  private func write(_ sql: String, _ values: [DatabaseValue], _ change: OfferChange) throws {
    do {
      try db.run(sql, values)
    } catch let error as DatabaseError {
      switch error.extendedResultCode {
      case .SQLITE_CONSTRAINT_UNIQUE:
        throw Problem(.conflict, "There is such a \(change.offer.word) already.")
      case .SQLITE_CONSTRAINT_FOREIGNKEY:
        throw Problem(.badValue, "What the \(change.offer.word) belongs to does not exist.")
      case .SQLITE_CONSTRAINT_TRIGGER:
        throw Problem(.conflict, "More places are held than that. Cancel bookings first.")
      default: throw error
      }
    }
  }
}
