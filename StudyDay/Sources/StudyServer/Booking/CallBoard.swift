import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// The numbers of a day: who waits to be called, and who is.
struct CallBoard: Encodable, Sendable {
  struct Number: Encodable, Sendable {
    var number: Int64
    /// Nil for accounts that may not know names.
    var subject: String?
    /// Where somebody is called to.
    var place: String?
    var since: String
    /// How many are called before, and in how many minutes the turn may come; nil once it has.
    var before: Int?
    var waitMin: Int?
  }

  var serving: [Number]
  var waiting: [Number]
  /// In how many minutes the turn of a new number may come.
  var waitMin: Int
  /// The own number, if the account has one.
  var mine: Int64?
}

extension CallBoard {
  /// Minutes between two calls before anybody knows, and how many calls are looked back at.
  private static let (usual, calls) = (10.0, 10)

  init(for identity: Identity, at now: Int64, in db: Database) throws {
    let day = Self.day(at: now)
    let rows = try db.rows(
      """
      SELECT calls.*, subjects.name AS subject FROM calls LEFT JOIN subjects ON subjects.id = subject_id
      WHERE day = ? ORDER BY number
      """, [day])
    let called = rows.compactMap { $0["called_ms"] as Int64? }.sorted().suffix(Self.calls)
    // A break between two calls is none of the next.
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
    // Where nobody waits, the next is called when there is somebody to call.
    waitMin = waiting.isEmpty ? 0 : wait(waiting.count)
    mine = (serving + waiting).first { $0.subject != nil && $0.subject == identity.subject }?.number
  }

  /// Numbers begin anew each day, on the clock of the server.
  fileprivate static func day(at now: Int64) -> String {
    ZonedDay(containing: now, in: .current).date.text
  }
}

extension BookingDesk {
  /// Takes the next number; who has one keeps it.
  func takeNumber(for subject: String?) throws {
    let day = CallBoard.day(at: now)
    let id = try subject.map { try Sessions.subject($0, in: db) }
    let isKnown = try db.has(
      "SELECT 1 FROM calls WHERE day = ? AND subject_id = ? AND state IN ('waiting', 'called')",
      [day, id])
    guard !isKnown else { return }
    try db.run(
      """
      INSERT INTO calls (day, number, subject_id, state, made_ms)
      SELECT ?1, ifnull(max(number), 0) + 1, ?2, 'waiting', ?3 FROM calls WHERE day = ?1
      """, [day, id, now])
    let number: Int64? = try db.value("SELECT max(number) FROM calls WHERE day = ?", [day])
    try note("call.take", number ?? 0, of: subject)
  }

  /// Calls the next number to a place; who was called there before is done.
  func callNext(to place: String) throws {
    let day = CallBoard.day(at: now)
    for row in try numbers("state = 'called' AND place = ?", [day, place]) {
      try set("done", row)
      try note("call.done", row["number"], of: row["subject"])
    }
    guard let next = try numbers("state = 'waiting'", [day]).first else { return }
    try db.run(
      "UPDATE calls SET state = 'called', called_ms = ?, place = ? WHERE day = ? AND number = ?",
      [now, place, day, next["number"] as Int64])
    try note("call.next", next["number"], of: next["subject"], place)
  }

  /// Takes a number off the board: its person was served, or went away.
  func endNumber(_ number: Int64) throws {
    let open = try numbers(
      "state IN ('waiting', 'called') AND number = ?", [CallBoard.day(at: now), number]
    ).first
    guard let open else { throw Problem(.notFound, "There is no such number.") }
    let subject: String? = open["subject"]
    try identity.require(.joinQueue, of: subject)
    let isCalled = open["state"] == "called"
    try set(isCalled ? "done" : "left", open)
    try note(isCalled ? "call.done" : "call.leave", number, of: subject)
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

  private func note(
    _ action: String, _ number: Int64, of subject: String?, _ place: String? = nil
  ) throws {
    var new: [String: EventValue] = ["number": .integer(number)]
    new["place"] = place.map(EventValue.text)
    try log(action, of: subject, new: .object(new))
  }
}
