import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Numbers of a day's queue: waiting and called.
struct CallBoard: Encodable, Sendable {
  struct Number: Encodable, Sendable {
    var number: Int64
    /// Nil for accounts that may not see subjects.
    var subject: String?
    /// Room or desk that somebody is called to.
    var place: String?
    var since: String
    /// Number of people ahead and expected wait in minutes; nil once called.
    var before: Int?
    var waitMin: Int?
  }

  var serving: [Number]
  var waiting: [Number]
  /// Expected wait of a new number, in minutes.
  var waitMin: Int
  /// Number of the account itself, if it has one.
  var mine: Int64?
}

extension CallBoard {
  /// Default minutes between two calls, and number of last calls that are averaged.
  private static let usual = 10.0
  private static let calls = 10

  init(for identity: Identity, at now: Int64, in db: Database) throws {
    let day = Self.day(at: now)
    let rows = try db.rows(
      """
      SELECT calls.*, subjects.name AS subject FROM calls LEFT JOIN subjects ON subjects.id = subject_id
      WHERE day = ? ORDER BY number
      """, [day])
    let called = rows.compactMap { $0["called_ms"] as Int64? }.sorted().suffix(Self.calls)
    // Caps gaps at an hour, so that a break does not inflate the estimate.
    let gaps = zip(called, called.dropFirst()).map { min(Double($1 - $0) / 60_000, 60) }
    let gap = gaps.isEmpty ? Self.usual : gaps.reduce(0, +) / Double(gaps.count)
    let since = called.last.map { Double(now - $0) / 60_000 } ?? gap
    func wait(_ before: Int) -> Int {
      Int((Double(before) * gap + max(0, gap - since)).rounded(.up))
    }
    func number(_ row: SafeRow, before: Int? = nil) -> Number {
      let subject: String? = row["subject"]
      return Number(
        number: row["number"],
        subject: subject.flatMap { identity.may(.joinQueue, of: $0) ? $0 : nil },
        place: row["place"], since: ISOTime.text(row["called_ms"] ?? row["made_ms"]),
        before: before, waitMin: before.map(wait))
    }
    serving = rows.filter { $0["state"] == "called" }.map { number($0) }
    waiting = rows.filter { $0["state"] == "waiting" }.enumerated().map { number($1, before: $0) }
    // With nobody waiting, the next number can be called at once.
    waitMin = waiting.isEmpty ? 0 : wait(waiting.count)
    mine = (serving + waiting).first { $0.subject != nil && $0.subject == identity.subject }?.number
  }

  /// Numbers begin anew each day, on the clock of the server.
  fileprivate static func day(at now: Int64) -> String {
    ZonedDay(containing: now, in: .current).date.text
  }
}

extension BookingDesk {
  /// Draws the next number; a subject keeps a number that is still open.
  func drawNumber(for subject: String?) throws {
    let day = CallBoard.day(at: now)
    let id = try subject.map { try Sessions.subject($0, in: db) }
    let hasNumber = try db.has(
      "SELECT 1 FROM calls WHERE day = ? AND subject_id = ? AND state IN ('waiting', 'called')",
      [day, id])
    guard !hasNumber else { return }
    try db.run(
      """
      INSERT INTO calls (day, number, subject_id, state, made_ms)
      SELECT ?1, ifnull(max(number), 0) + 1, ?2, 'waiting', ?3 FROM calls WHERE day = ?1
      """, [day, id, now])
    let number: Int64? = try db.value("SELECT max(number) FROM calls WHERE day = ?", [day])
    try logCall("call.take", number ?? 0, of: subject)
  }

  /// Calls the next number to a place, and closes the one that was called there before.
  func callNext(to place: String) throws {
    let day = CallBoard.day(at: now)
    for row in try numbers("state = 'called' AND place = ?", [day, place]) {
      try set("done", row)
      try logCall("call.done", row["number"], of: row["subject"])
    }
    guard let next = try numbers("state = 'waiting'", [day]).first else { return }
    try db.run(
      "UPDATE calls SET state = 'called', called_ms = ?, place = ? WHERE day = ? AND number = ?",
      [now, place, day, next["number"] as Int64])
    try logCall("call.next", next["number"], of: next["subject"], place)
  }

  /// Closes a number: its person was served, or left.
  func endNumber(_ number: Int64) throws {
    let open = try numbers(
      "state IN ('waiting', 'called') AND number = ?", [CallBoard.day(at: now), number]
    ).first
    guard let open else { throw Problem(.notFound, "There is no such number.") }
    let subject: String? = open["subject"]
    try identity.require(.joinQueue, of: subject)
    let isCalled = open["state"] == "called"
    try set(isCalled ? "done" : "left", open)
    try logCall(isCalled ? "call.done" : "call.leave", number, of: subject)
  }

  private func numbers(
    _ condition: String, _ values: [(any DatabaseValueConvertible)?]
  ) throws -> [SafeRow] {
    try db.rows(
      """
      SELECT calls.*, subjects.name AS subject FROM calls LEFT JOIN subjects ON subjects.id = subject_id
      WHERE day = ? AND \(condition) ORDER BY number
      """, values)
  }

  private func set(_ state: String, _ row: SafeRow) throws {
    try db.run(
      "UPDATE calls SET state = ? WHERE day = ? AND number = ?",
      [state, row["day"] as String, row["number"] as Int64])
  }

  private func logCall(
    _ action: String, _ number: Int64, of subject: String?, _ place: String? = nil
  ) throws {
    var new: [String: EventValue] = ["number": .integer(number)]
    new["place"] = place.map(EventValue.text)
    try log(action, of: subject, new: .object(new))
  }
}
