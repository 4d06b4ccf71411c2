@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import GRDB
import HealthData
@_spi(StudyDay) import StudyStore

struct EntryRequest: Sendable {
  enum Act: String, CaseIterable, Sendable {
    case enter
    case correct
    case void
    case resolve
    /// Discards an entry that the server never stored.
    case discard
  }

  /// Identifier made on the device, by which a repeated request is stored once.
  var id: String
  var kind: EntryKind
  var subject: String
  var action: Act
  /// The entry that is changed, or the `id` of what is discarded; of a new one its `id`.
  var record: String?
  var base: Int64?
  /// Time on the device's clock, and the correction to add to it, in ms.
  var deviceTime: String
  var clockOffsetMs: Int64?
  /// Time of measurement on the device's clock, for an entry made later.
  var at: String?
  var value: EventValue?
  /// Number of the change whose value and time resolve a conflict.
  var choice: Int64?
  var reason: String?
  var station: String?
}

extension EntryRequest {
  /// Reads an entry's members; plausibility is checked when it is written, and each entry is answered by itself.
  init(_ form: Form) throws(Problem) {
    var form = form
    let any = Int64.min...Int64.max
    self.init(
      id: try form.required("id", form.string("id")),
      kind: try form.required("kind", form.word("kind", of: EntryKind.self)),
      subject: try form.required("subject", form.string("subject")),
      action: try form.required("action", form.word("action", of: Act.self)),
      record: try form.string("record"), base: try form.integer("base", any),
      deviceTime: try form.required("device_time", form.string("device_time")),
      clockOffsetMs: try form.integer("clock_offset_ms", any), at: try form.string("at"),
      value: form.value("value"), choice: try form.integer("choice", any),
      reason: try form.string("reason"), station: try form.string("station"))
  }
}

/// Enters, corrects, voids, resolves and discards, inside a transaction.
struct EntryWriter {
  /// Latest time of an entry after the server's clock, and earliest before it, in ms.
  private static let (ahead, ago): (Int64, Int64) = (300_000, 31 * 86_400_000)
  /// Largest error of a device's clock, in ms: some start at 1970.
  private static let skew: Int64 = 100 * 366 * 86_400_000

  private let change: DayChange
  private let identity: Identity
  private let factors: ConversionFactors

  private var db: Database { change.db }

  init(_ change: DayChange, for identity: Identity) throws {
    self.change = change
    self.identity = identity
    factors = try Settings.factors(in: change.db)
  }

  /// Executes an entry; a refused one leaves no trace and is answered with its problem.
  func writeOrRefuse(_ entry: EntryRequest) throws -> EventValue {
    do {
      var result = EventValue.null
      try change.atomically { result = try write(entry) }
      return result
    } catch let problem as Problem {
      return entry.result("refused", problem: problem)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      return entry.result("refused", problem: Problem(.badValue))
    }
  }

  /// Executes an entry; throws ``Problem`` if it is refused. An error of the database ends the batch.
  @discardableResult
  func write(_ entry: EntryRequest) throws -> EventValue {
    var entry = entry
    entry.subject = try Code.code(entry.subject, in: db)
    guard let id = UUID(uuidString: entry.id) else {
      throw Problem(.badRequest, "id must be a UUID.")
    }
    guard identity.may(entry.action.action, of: entry.subject) || identity.reports(entry) else {
      throw Problem(.notAllowed)
    }
    guard let record = UUID(uuidString: entry.record ?? entry.id) else {
      throw Problem(.badRequest, "record must be a UUID.")
    }
    if let earlier = try EventLog.event(id, in: db) {
      guard earlier.record == record, earlier.subject == entry.subject,
        earlier.action == "\(entry.kind.rawValue).\(entry.action.rawValue)",
        try matches(earlier, entry)
      else {
        throw Problem(
          .conflict,
          "The id belongs to another change, or came before with another value. Make a new one for each change."
        )
      }
      let isOpen = try db.has(
        "SELECT 1 FROM conflicts WHERE seq_b = ? AND resolved_seq IS NULL", [earlier.seq])
      return entry.result(isOpen ? "conflict" : "duplicate", earlier.seq)
    }
    try entry.requireTexts()
    guard try !isDiscarded(id, entry.kind) else {
      throw Problem(.closed, "It was discarded. Enter it anew if it holds.")
    }
    switch entry.action {
    case .enter: return try enter(entry, id)
    case .correct, .void, .resolve: return try change(entry, id, record)
    case .discard: return try discard(entry, id, record)
    }
  }

  /// True if a stored change has the value of an entry. Times are not compared: a device that lost the answer may have
  /// measured its clock anew since.
  private func matches(_ event: Event, _ entry: EntryRequest) throws -> Bool {
    let chosen = try entry.choice.flatMap { try EventLog.event(seq: $0, in: db) }
    let value =
      switch entry.action {
      case .void: nil as EventValue?
      case .resolve where chosen != nil: chosen?.newValue["value"]
      default: entry.value
      }
    let stored = entry.action == .discard ? event.oldValue : event.newValue
    return (stored["value"] ?? .null).text == (value ?? .null).text
  }

  // MARK: Discarded entries

  /// Maximum size of a discarded value, in bytes; it equals that of a note.
  private static let longestDiscarded = 20_000

  /// Logs that an entry was discarded on its device: it was refused, or its author never came back.
  private func discard(
    _ entry: EntryRequest, _ id: UUID, _ record: UUID
  ) throws -> EventValue {
    guard record != id else {
      throw Problem(.badRequest, "record is missing: the id of what is discarded.")
    }
    guard try EventLog.event(record, in: db) == nil else {
      throw Problem(
        .closed, "It is stored. If it is wrong, correct it or take it out on the page.")
    }
    guard entry.isReasoned else { throw Problem(.noReason) }
    let value = entry.value ?? .null
    guard value.text.utf8.count <= Self.longestDiscarded else { throw Problem(.badValue) }
    let event = try log(
      entry, id, record, old: Self.payload(try moment(of: entry), value), new: .null)
    return entry.result("stored", event.seq)
  }

  /// True if another page of the device discarded the entry before it arrived.
  private func isDiscarded(_ id: UUID, _ kind: EntryKind) throws -> Bool {
    try db.has(
      "SELECT 1 FROM events WHERE record = ? AND action = ?",
      [id, "\(kind.rawValue).\(EntryRequest.Act.discard)"])
  }

  // MARK: New entries

  private func enter(_ entry: EntryRequest, _ id: UUID) throws -> EventValue {
    guard entry.record == nil || entry.record == entry.id else {
      throw Problem(.badRequest, "A new entry has no other record; leave record out.")
    }
    guard let json = entry.value else { throw Problem(.badRequest, "value is missing.") }
    try entry.kind.requirePossible(json, factors, in: db)
    let at = try time(of: entry)
    let session = try session(of: entry.subject, at: at)
    if LoggedEntry.isOwn(json) { try requireOwn(entry, session, at) }
    let payload = try payload(at, json, entry.kind)
    let event = try log(entry, id, id, old: nil, new: payload)
    try db.insert(
      into: "entries",
      [
        "uuid": id, "kind": entry.kind.rawValue, "series_id": session.series,
        "first_seq": event.seq, "version": event.seq, "state": "current",
      ])
    try LoggedEntry(
      entry.kind.rawValue, madeBy: event, payload: payload, at: at, of: entry.subject,
      session.person, series: session.series, starts: session.starts
    ).add(to: db, VitalKind.converted)
    return entry.result("stored", event.seq)
  }

  /// Refuses an own drink of others, and one that counts in a session: staff enter it there.
  private func requireOwn(_ entry: EntryRequest, _ session: Session, _ at: Int64) throws {
    guard identity.subject == entry.subject else {
      throw Problem(.badValue, "People enter their own drinks themselves; leave own out.")
    }
    let isReport =
      try session.slot == nil
      && !db.has(
        "SELECT 1 FROM readings WHERE series_id = ?1 UNION SELECT 1 FROM drinks WHERE series_id = ?1",
        [session.series])
    guard try isReport || Sessions.isOver(session, at: at, in: db) else {
      throw Problem(.closed, "This drink counts in the session. Tell the staff, who enter it.")
    }
  }

  /// Returns the time of measurement on the server's clock; throws if it is in the future or too long ago.
  private func time(of entry: EntryRequest) throws(Problem) -> Int64 {
    let at = try moment(of: entry)
    guard at <= change.now + Self.ahead else {
      throw Problem(.badValue, "\(ISOTime.text(at)) lies in the future. Check the device's clock.")
    }
    guard at >= change.now - Self.ago else {
      throw Problem(
        .badValue, "\(ISOTime.text(at)) is more than a month ago. Check the device's clock.")
    }
    return at
  }

  /// Returns the time of measurement on the device's clock.
  private func moment(of entry: EntryRequest) throws(Problem) -> Int64 {
    guard let device = ISOTime.milliseconds(entry.at ?? entry.deviceTime) else {
      throw Problem(.badValue, "Times are written as 2024-05-01T18:15:00.000Z.")
    }
    let offset = entry.clockOffsetMs ?? 0
    guard -Self.skew...Self.skew ~= offset else {
      throw Problem(.badValue, "clock_offset_ms is out of range.")
    }
    return device + offset
  }

  /// Returns the session of a moment; begins one if there is none, with the booked slot if there is one.
  private func session(of subject: String, at: Int64) throws -> Session {
    if let session = try Sessions.session(of: subject, at: at, in: db) { return session }
    let slot = try Sessions.bookedSlot(of: subject, at: at, in: db)
    let series = try Sessions.begin(subject, at: at, slot: slot, in: db)
    guard let session = try Sessions.session(series: series, in: db) else { throw Problem(.failed) }
    return session
  }

  // MARK: Changes

  private func change(
    _ entry: EntryRequest, _ id: UUID, _ record: UUID
  ) throws -> EventValue {
    let stored = try LoggedEntry.all(in: db, where: "entries.uuid = ?", [record]).first
    guard let stored, stored.kind == entry.kind.rawValue, stored.subject == entry.subject,
      let session = try Sessions.session(series: stored.series, in: db)
    else { throw Problem(.notFound, "The entry that is to be changed is not there.") }
    let isOwn = LoggedEntry.isOwn(stored.value)
    guard isOwn || identity.may(entry.action.action, of: entry.subject) else {
      throw Problem(.notAllowed)
    }
    guard entry.value.map({ LoggedEntry.isOwn($0) == isOwn }) ?? true else {
      throw Problem(.badValue, "An own drink stays one. Take it out, and enter it anew.")
    }
    guard entry.action == .resolve || entry.isReasoned else { throw Problem(.noReason) }
    guard let base = entry.base else {
      throw Problem(.badRequest, "base is missing: the version that was seen.")
    }
    guard entry.action != .correct || entry.value != nil else {
      throw Problem(.badRequest, "value is missing.")
    }
    guard entry.choice == nil || entry.action == .resolve else {
      throw Problem(.badRequest, "Only a conflict has a choice; leave choice out.")
    }
    // Since then perhaps its instrument was doubted, which says nothing of the value.
    let isSeen = base >= stored.lastSeq && base <= stored.version
    let chosen =
      entry.action == .resolve && isSeen && stored.state == "conflict"
      ? try resolution(by: entry, of: record) : nil
    let json = entry.action == .void ? nil : chosen.map { $0.value } ?? entry.value
    if let json { try entry.kind.requirePossible(json, factors, in: db) }
    let at = try chosen?.at ?? (entry.at == nil ? stored.at : time(of: entry))
    guard at == stored.at || Sessions.contains(session, at) else {
      throw Problem(
        .badValue,
        "\(ISOTime.text(at)) is not within the session of \(entry.subject). Void the entry, and enter it anew."
      )
    }
    let new = try json.map { try payload(at, $0, entry.kind) } ?? .null
    guard isSeen else { return try recordConflict(entry, id, record, stored, base, new: new) }
    guard (stored.state == "conflict") == (entry.action == .resolve) else {
      throw Problem(
        .conflict,
        stored.state == "conflict"
          ? "The entry has two values. Decide which one holds." : "The entry has no conflict.")
    }
    guard stored.state != "void" else {
      throw Problem(.closed, "The entry was voided. Enter a new one.")
    }
    let event = try log(entry, id, record, old: stored.currentPayload, new: new)
    if entry.action == .resolve {
      try db.run(
        "UPDATE conflicts SET resolved_seq = ? WHERE entry = ? AND resolved_seq IS NULL",
        [event.seq, record])
    }
    return try update(entry, record, event, json == nil ? "void" : "current")
  }

  /// Returns the value and time that a resolution selects: those of the change it names, or of an equal one.
  /// A third value needs a reason.
  private func resolution(
    by entry: EntryRequest, of record: UUID
  ) throws -> (value: EventValue?, at: Int64?) {
    let candidates = try EventLog.contradictions(of: record, in: db)
    if let choice = entry.choice {
      guard let event = candidates.first(where: { $0.seq == choice }) else {
        throw Problem(.badValue, "choice is none of the values in conflict.")
      }
      return (event.newValue["value"], event.measured)
    }
    let at = entry.at == nil ? nil : try time(of: entry)
    let same = candidates.filter {
      $0.newValue["value"] == entry.value && (at == nil || at == $0.measured)
    }
    guard let first = same.first else {
      guard entry.isReasoned else { throw Problem(.noReason) }
      return (entry.value, at)
    }
    guard same.allSatisfy({ $0.measured == first.measured }) else {
      throw Problem(
        .badValue, "The values differ in their times. Say which one holds: choice, or at.")
    }
    return (entry.value, first.measured)
  }

  /// Stores a change that was based on an old version: both values are kept and shown, and neither counts until
  /// somebody decides.
  private func recordConflict(
    _ entry: EntryRequest, _ id: UUID, _ record: UUID, _ stored: LoggedEntry, _ base: Int64,
    new: EventValue
  ) throws -> EventValue {
    guard base < stored.version, let seen = try EventLog.event(seq: base, in: db),
      seen.record == record
    else { throw Problem(.badRequest, "base is no version of this entry.") }
    guard entry.action != .resolve else {
      throw Problem(.conflict, "The entry changed meanwhile. Look at its values again.")
    }
    let event = try log(entry, id, record, old: stored.currentPayload, new: new)
    // The same value again is no conflict.
    if stored.state != "conflict" && stored.currentPayload == new {
      return try update(entry, record, event, stored.state)
    }
    try db.insert(
      into: "conflicts", ["entry": record, "seq_a": stored.version, "seq_b": event.seq])
    return try update(entry, record, event, "conflict")
  }

  /// Updates the version and state of an entry, and the row that follows from it.
  private func update(
    _ entry: EntryRequest, _ record: UUID, _ event: Event, _ state: String = "current"
  ) throws -> EventValue {
    try setVersion(of: record, to: event, state)
    return entry.result(state == "conflict" ? "conflict" : "stored", event.seq)
  }

  private func setVersion(of record: UUID, to event: Event, _ state: String) throws {
    try db.run(
      "UPDATE entries SET version = ?, state = ? WHERE uuid = ?", [event.seq, state, record])
    for logged in try LoggedEntry.all(in: db, where: "entries.uuid = ?", [record]) {
      try logged.project(in: db, VitalKind.converted)
    }
  }

  private func log(
    _ entry: EntryRequest, _ id: UUID, _ record: UUID, old: EventValue?, new: EventValue
  ) throws -> Event {
    let station = identity.station ?? entry.station
    return try change.log(
      Event(
        uuid: id, device: ISOTime.milliseconds(entry.deviceTime), clockOffset: entry.clockOffsetMs,
        actor: identity.name, station: station, issuer: identity.issuer,
        action: "\(entry.kind.rawValue).\(entry.action.rawValue)", subject: entry.subject,
        record: record, old: old, new: new, reason: entry.reason))
  }

  /// Time and value, with any doubt about the instrument of a reading.
  private func payload(_ at: Int64, _ value: EventValue, _ kind: EntryKind) throws -> EventValue {
    let serial = kind == .reading ? value["instrument"]?.string : nil
    return Self.payload(
      at, value,
      doubt: try serial.flatMap {
        try CalibrationCheck.all(of: $0, in: db).doubt(about: $0, at: at)
      })
  }

  private static func payload(
    _ at: Int64, _ value: EventValue, doubt: String? = nil
  ) -> EventValue {
    var members: [String: EventValue] = ["at": .text(ISOTime.text(at)), "value": value]
    members["doubt"] = doubt.map(EventValue.text)
    return .object(members)
  }

  // MARK: Instruments

  /// Logs how a check changes the doubt about the readings of its instrument, from the check before to the one after: one
  /// that fails spoils the readings since the last that passed.
  func judgeReadings(around check: CalibrationCheck) throws {
    let checks = try CalibrationCheck.all(of: check.serial, in: db)
    let from = checks.last { $0.at < check.at }?.at ?? .min
    let until = checks.first { $0.at > check.at }?.at ?? .max
    let readings = try LoggedEntry.all(
      in: db,
      where: """
        entries.state = 'current' AND entries.uuid IN (
          SELECT readings.uuid FROM readings JOIN sessions USING (series_id)
            JOIN instruments ON instruments.id = instrument_id
          WHERE instruments.name = ?1 AND starts_ms + time_h * 3600000 BETWEEN ?2 - 1.0 AND ?3 + 1.0)
        """, [check.serial, from, until])
    for reading in readings
    where from..<until ~= reading.at && reading.value["instrument"]?.string == check.serial {
      let doubt = checks.doubt(about: check.serial, at: reading.at)
      guard doubt != reading.instrumentDoubt else { continue }
      let event = try change.log(
        Event(
          actor: identity.name, station: identity.station, issuer: identity.issuer,
          action: LoggedEntry.doubtAction, subject: reading.subject, record: reading.uuid,
          old: reading.payload, new: Self.payload(reading.at, reading.value, doubt: doubt)))
      try setVersion(of: reading.uuid, to: event, "current")
    }
  }
}

extension LoggedEntry {
  /// Value by the events; null once it was taken out.
  fileprivate var currentPayload: EventValue { state == "void" ? .null : payload }
}

extension EntryRequest {
  /// Refuses invalid and long texts; a reason may have several lines.
  fileprivate func requireTexts() throws(Problem) {
    guard subject.isText(1...80) else {
      throw Problem(.badValue, "subject must be a text of 1 to 80 characters on one line.")
    }
    guard station?.isText(0...40) ?? true else {
      throw Problem(.badValue, "station must have no more than 40 characters, on one line.")
    }
    try Problem.requireReason(reason)
  }

  fileprivate var isReasoned: Bool { reason.map { !$0.isBlank } ?? false }

  /// Returns the outcome of an entry: stored, duplicate, conflict or refused.
  fileprivate func result(
    _ status: String, _ seq: Int64? = nil, problem: Problem? = nil
  ) -> EventValue {
    var members: [String: EventValue] = ["id": .text(id), "status": .text(status)]
    members["seq"] = seq.map(EventValue.integer)
    members["problem"] = problem?.json()
    return .object(members)
  }
}

extension EventLog {
  /// The changes of an entry that contradict each other, in order.
  static func contradictions(of entry: UUID, in db: Database) throws -> [Event] {
    let numbers: [Int64] = try db.values(
      """
      SELECT seq_a FROM conflicts WHERE entry = ?1 AND resolved_seq IS NULL
      UNION SELECT seq_b FROM conflicts WHERE entry = ?1 AND resolved_seq IS NULL ORDER BY 1
      """, [entry])
    return try numbers.compactMap { try event(seq: $0, in: db) }
  }
}

extension EntryRequest.Act {
  var action: Action {
    switch self {
    case .enter: .enterEntry
    case .correct: .correctEntry
    case .void: .voidEntry
    case .resolve: .resolveConflict
    case .discard: .discardEntry
    }
  }
}
