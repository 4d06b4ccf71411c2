package import Foundation
package import GRDB

/// The events of a database: only ever added to, each with the hash of the one before.
package enum EventLog {
  private static let columns = """
    seq, uuid, at_ms, device_ms, clock_offset_ms, actor, station, action, subject, record, old, new, reason,
      previous, hash
    """

  /// Adds an event, in the transaction that makes the change.
  ///
  /// - Parameter now: When, in ms since 1970.
  @discardableResult
  package static func append(_ new: NewEvent, at now: Int64, in db: Database) throws -> Event {
    let last = try last(in: db)
    var event = Event(
      seq: (last?.seq ?? 0) + 1, uuid: new.uuid, at: now, device: new.device,
      clockOffset: new.clockOffset, actor: new.actor, station: new.station, action: new.action,
      subject: new.subject, record: new.record, old: new.old, new: new.new, reason: new.reason,
      previous: last?.hash ?? Data(count: 32), hash: Data())
    event.hash = event.expectedHash
    try db.execute(
      sql: "INSERT INTO events (\(columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      values: [
        event.seq, event.uuid.bytes, event.at, event.device, event.clockOffset, event.actor,
        event.station, event.action, event.subject, event.record?.bytes, event.old, event.new,
        event.reason, event.previous, event.hash,
      ])
    return event
  }

  /// Number and hash of the last event; nil before the first.
  package static func last(in db: Database) throws -> (seq: Int64, hash: Data)? {
    try Row.fetchOne(db, sql: "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").map {
      (Int64.fromDatabaseValue($0["seq"]) ?? 0, Data.fromDatabaseValue($0["hash"]) ?? Data())
    }
  }

  /// The events after one, in order.
  ///
  /// - Parameter subject: The person whose events are meant; nil for all.
  package static func events(
    after seq: Int64, limit: Int, subject: String? = nil, in db: Database
  ) throws -> [Event] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT \(columns) FROM events WHERE seq > ?1 AND (?2 IS NULL OR subject = ?2)
        ORDER BY seq LIMIT ?3
        """, arguments: [seq, subject, limit]
    ).map(Event.init)
  }

  /// The event that came with a UUID.
  package static func event(_ uuid: UUID, in db: Database) throws -> Event? {
    try Row.fetchOne(
      db, sql: "SELECT \(columns) FROM events WHERE uuid = ?", arguments: [uuid.bytes]
    ).map(Event.init)
  }

  /// The event of a number.
  package static func event(seq: Int64, in db: Database) throws -> Event? {
    try Row.fetchOne(
      db, sql: "SELECT \(columns) FROM events WHERE seq = ?", arguments: [seq]
    ).map(Event.init)
  }

  /// Follows the chain of hashes from the first event.
  ///
  /// - Returns: How many events are as they were stored, and the first that is not: one that was altered or
  ///   follows on a gap. That the last events were cut off shows only against a hash that was noted elsewhere.
  package static func verify(in db: Database) throws -> (sound: Int64, hash: Data, broken: Int64?) {
    var (sound, hash) = (Int64(0), Data(count: 32))
    while true {
      let page = try events(after: sound, limit: 1000, in: db)
      for event in page {
        guard event.seq == sound + 1, event.previous == hash, event.hash == event.expectedHash
        else { return (sound, hash, event.seq) }
        (sound, hash) = (event.seq, event.hash)
      }
      if page.count < 1000 { return (sound, hash, nil) }
    }
  }
}

extension Event {
  /// Takes a row; in a damaged database whatever is of another type is empty, and breaks the chain.
  fileprivate init(_ row: Row) {
    func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
      Value.fromDatabaseValue(row[column])
    }
    func uuid(_ column: String) -> UUID? { (value(column) as Data?).flatMap(UUID.init(bytes:)) }
    self.init(
      seq: value("seq") ?? 0,
      uuid: uuid("uuid") ?? UUID.none,
      at: value("at_ms") ?? 0,
      device: value("device_ms"), clockOffset: value("clock_offset_ms"),
      actor: value("actor") ?? "", station: value("station"), action: value("action") ?? "",
      subject: value("subject"), record: uuid("record"), old: value("old"), new: value("new"),
      reason: value("reason"), previous: value("previous") ?? Data(), hash: value("hash") ?? Data())
  }
}

extension UUID {
  /// The 16 bytes, as tables have them.
  package var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

  /// Takes 16 bytes; nil for any other number.
  package init?(bytes: Data) {
    guard bytes.count == 16 else { return nil }
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
