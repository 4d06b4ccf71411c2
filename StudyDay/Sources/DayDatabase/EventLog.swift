package import Foundation
package import GRDB
@_spi(StudyDay) package import StudyStore

/// Append-only log of events, each with the hash of the one before.
package enum EventLog {
  /// Number and hash of an event that others follow.
  package typealias End = (seq: Int64, hash: Data)

  /// Adds an event after the last one, in the transaction that makes the change.
  @discardableResult
  package static func append(
    _ event: Event, at now: Int64, after last: End?, in db: Database
  ) throws -> Event {
    var event = event
    // Other programs, and GRDB's rows, end a text at a NUL and would compute another hash.
    let texts = [
      event.actor, event.station, event.issuer, event.action, event.subject, event.reason,
    ]
    guard !texts.contains(where: { $0?.utf8.contains(0) == true }) else {
      throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "a text has a NUL")
    }
    event.at = now
    if let last {
      event.seq = last.seq
      event.previous = last.hash
    }
    event.seq += 1
    event.hash = event.expectedHash
    try db.insert(
      into: "events",
      [
        "seq": event.seq, "uuid": event.uuid, "at_ms": event.at, "device_ms": event.device,
        "clock_offset_ms": event.clockOffset, "actor": event.actor, "station": event.station,
        "action": event.action, "subject": event.subject, "record": event.record,
        "old": event.old, "new": event.new, "reason": event.reason, "previous": event.previous,
        "hash": event.hash, "issuer": event.issuer,
      ])
    return event
  }

  /// Number and hash of the last event; nil before the first.
  package static func last(in db: Database) throws -> End? {
    try db.row("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").map {
      ($0["seq"], $0["hash"] ?? Data())
    }
  }

  private static func events(
    where condition: String, _ values: [(any DatabaseValueConvertible)?], in db: Database
  ) throws -> [Event] {
    try db.rows("SELECT * FROM events WHERE \(condition)", values).map(Event.init)
  }

  /// The events after one, of a subject or of all, in order.
  package static func events(
    after seq: Int64, limit: Int, subject: String? = nil, in db: Database
  ) throws -> [Event] {
    try events(
      where: "seq > ?1 AND (?2 IS NULL OR subject = ?2) ORDER BY seq LIMIT ?3",
      [seq, subject, limit], in: db)
  }

  /// The subjects of the events after one.
  package static func subjects(after seq: Int64, in db: Database) throws -> Set<String> {
    Set(try db.values("SELECT subject FROM events WHERE seq > ?", [seq]))
  }

  static func events(of actions: [String], in db: Database) throws -> [Event] {
    try events(
      where: "action IN (\(databaseQuestionMarks(count: actions.count))) ORDER BY seq", actions,
      in: db)
  }

  /// Returns the events of a record, about a subject or all.
  static func events(of record: UUID, about subject: String? = nil, in db: Database) throws
    -> [Event]
  {
    try events(
      where: "record = ?1 AND (?2 IS NULL OR subject = ?2) ORDER BY seq", [record, subject], in: db)
  }

  package static func event(_ uuid: UUID, in db: Database) throws -> Event? {
    try events(where: "uuid = ?", [uuid], in: db).first
  }

  package static func event(seq: Int64, in db: Database) throws -> Event? {
    try events(where: "seq = ?", [seq], in: db).first
  }

  static func last(of record: UUID, in db: Database) throws -> Event? {
    try events(where: "record = ? ORDER BY seq DESC LIMIT 1", [record], in: db).first
  }

  package static func last(about subject: String, in db: Database) throws -> Event? {
    try events(where: "subject = ? ORDER BY seq DESC LIMIT 1", [subject], in: db).first
  }

  /// Verifies the chain of hashes from the first event.
  ///
  /// Removal of the last events can be detected only with a hash that was kept elsewhere.
  static func verify(in db: Database) throws -> ChangeChain {
    var chain = ChangeChain(sound: 0, hash: Data(count: 32))
    while true {
      let page = try events(after: chain.sound, limit: 1000, in: db)
      for event in page {
        guard event.seq == chain.sound + 1, event.previous == chain.hash,
          event.hash == event.expectedHash
        else {
          chain.broken = event.seq
          return chain
        }
        chain.sound = event.seq
        chain.hash = event.hash
      }
      if page.count < 1000 { return chain }
    }
  }
}

extension Event {
  /// Reads a row; a value of another type, in a damaged database, becomes empty and so breaks the chain.
  fileprivate init(_ row: SafeRow) {
    self.init(
      uuid: row["uuid"] ?? UUID.none, device: row["device_ms"],
      clockOffset: row["clock_offset_ms"], actor: row["actor"], station: row["station"],
      issuer: row["issuer"], action: row["action"], subject: row["subject"],
      record: row["record"], reason: row["reason"])
    seq = row["seq"]
    at = row["at_ms"]
    old = row["old"]
    new = row["new"]
    previous = row["previous"] ?? Data()
    hash = row["hash"] ?? Data()
  }

  package var oldValue: EventValue { old.flatMap { EventValue($0) } ?? .null }
  package var newValue: EventValue { new.flatMap { EventValue($0) } ?? .null }

  /// Time of measurement that the event states, in ms since 1970; nil if the entry was taken out.
  package var measured: Int64? { newValue["at"]?.string.flatMap(ISOTime.milliseconds) }
}

extension SafeRow {
  /// Returns the value of a column as JSON.
  package func value(_ column: String) -> EventValue {
    switch (self[column] as DatabaseValue?)?.storage {
    case .int64(let number): .integer(number)
    case .double(let number): .number(number)
    case .string(let text): .text(text)
    case .blob, .null, nil: .null
    }
  }

  package func json(_ column: String) -> EventValue? {
    (self[column] as String?).flatMap { EventValue($0) }
  }
}
