@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyData
import Synchronization
import TestSupport
import Testing

@testable import StudyServer
@_spi(StudyDay) @testable import StudyStore

private typealias Problem = StudyServer.Problem

/// Events, their chain, backups and disks that are full.
@Suite struct StoreOfTheDayTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  private func fill(_ count: Int) async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      for index in 0..<count {
        _ = try await client.enter(
          token, entry("note", of: "ann", ["text": .text("note \"\(index)\" \\\n\tä")]))
      }
    }
  }

  /// Five connections read the database for hours while it grows.
  @Test func cachesOfConnectionsAreBounded() async throws {
    let sizes: @Sendable (Database) throws -> Int? = {
      try Int.fetchOne($0, sql: "PRAGMA cache_size")
    }
    let store = day.day.store
    // In KiB if negative.
    #expect(try await store.read(sizes) == -2048)
    #expect(try await store.change { try sizes($0.db) } == -2048)
  }

  /// Changes the log past its triggers; the chain of hashes must show it.
  private func tamper(_ sql: String) throws {
    let queue = try DatabaseQueue(path: day.path)
    let triggers = try queue.read {
      try String.fetchAll(
        $0, sql: "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
    }
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      for name in ["events_follow", "events_stay", "events_remain"] {
        try db.execute(sql: "DROP TRIGGER \(name)")
      }
      try db.execute(sql: sql)
      for trigger in triggers { try db.execute(sql: trigger) }
    }
  }

  @Test func aSoundChainIsSound() async throws {
    try await fill(5)
    // Earlier versions took control characters.
    try await day.day.store.change {
      try $0.log(Event(actor: "owner", action: "note.enter", new: "\u{1}\u{7F}", reason: "\u{1}"))
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.sound == 7)
  }

  @Test(arguments: [
    ("UPDATE events SET new = replace(new, 'note', 'nota') WHERE seq = 4", Int64(4)),
    ("UPDATE events SET actor = 'eve' WHERE seq = 3", 3), ("DELETE FROM events WHERE seq = 5", 6),
    ("UPDATE events SET at_ms = at_ms + 1 WHERE seq = 2", 2),
    ("UPDATE events SET reason = 'x' WHERE seq = 6", 6),
    ("UPDATE events SET hash = zeroblob(32) WHERE seq = 4", 4),
  ])
  func theFirstThatWasTamperedWithIsNamed(_ sql: String, _ seq: Int64) async throws {
    try await fill(6)
    try tamper(sql)
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == seq)
  }

  @Test(arguments: [
    "UPDATE events SET actor = 'eve'", "DELETE FROM events",
    "INSERT OR REPLACE INTO events SELECT 9, uuid, at_ms, device_ms, clock_offset_ms, actor, station, action, subject, record, old, new, reason, previous, hash, issuer FROM events LIMIT 1",
  ])
  func eventsAreOnlyAdded(_ sql: String) async throws {
    try await fill(1)
    await #expect(throws: StoreError.self) {
      try await day.day.store.change { try $0.db.execute(sql: sql) }
    }
  }

  /// Before entries stood in the log alone, their table had values and times, too.
  @Test func aDayOfAnEarlierVersionGoesOn() async throws {
    let token = try await day.token(.operator)
    let id = UUID()
    try await day.addPerson("ann")
    // Nor did it know who issued a token.
    try await day.day.store.change {
      try $0.db.execute(sql: "UPDATE tokens SET issued_by = NULL")
    }
    try await day.serve { client in
      let results = try await client.enter(
        token, entry("drink", of: "ann", ["volume_ml": 500, "abv_percent": 5]),
        entry("reading", of: "ann", reading(0.2), minute: 4, id: id),
        entry("vital", of: "ann", ["kind": "HeartRate", "value": 70]),
        entry("note", of: "ann", ["text": "x"]))
      for value in [0.21, 0.22] {
        _ = try await client.enter(
          token,
          entry(
            "reading", of: "ann", reading(value), minute: 4, action: "correct", record: id,
            base: results[1].seq, reason: "typo"))
      }
    }
    let before = try await day.state(token)
    let earlier = try #require(
      StudyStore.stepsOfDay.first { $0.name == "8-study-day" }?.sql.firstMatch(
        of: /CREATE TABLE entries [^;]*;\s*CREATE INDEX entries_of_series[^;]*;/))
    try tamper(
      """
      CREATE TEMP TABLE kept AS SELECT entries.*, new FROM entries JOIN events ON seq = version;
      DROP TABLE entries; \(earlier.output)
      INSERT INTO entries SELECT uuid, kind, series_id, 1000 * unixepoch(json_extract(new, '$.at')),
        json_extract(new, '$.value'), first_seq, version, state FROM kept;
      DROP INDEX vitals_by_time; DROP TRIGGER push_ends_with_tokens; DROP TRIGGER push_ends_with_accounts;
      DROP TABLE push_devices; DROP TABLE push; DROP TABLE letters; DROP TABLE calls; DROP TABLE choices;
      ALTER TABLE people DROP COLUMN written;
      DELETE FROM vital_kinds WHERE kind LIKE 'BloodPressure%' OR kind = 'OxygenSaturation';
      DROP INDEX events_of_instruments; DROP TABLE codes; DROP TABLE alerts;
      ALTER TABLE accounts DROP COLUMN is_wall;
      ALTER TABLE tokens DROP COLUMN issued_by; ALTER TABLE events DROP COLUMN issuer;
      DELETE FROM grdb_migrations
        WHERE CAST(identifier AS INTEGER) >= 10 OR identifier LIKE 'day-%'
      """)
    let error = #expect(throws: StoreError.self) { try StudyStore.day(day.path, for: .reading) }
    #expect(error?.code == .older)
    let later = try TestDay(again: day)
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
    #expect(try await later.state(token) == before)
    try StudyStore.day(day.path, for: .reading).copy(to: day.folder("copy.sqlite"))
    let copy = try StudyStore.day(day.folder("copy.sqlite"), for: .reading)
    #expect(try copy.verifyChanges() == chain)
    try await later.serve { client in
      let note = try await client.enter(token, entry("note", of: "ann", ["text": "later"]))
      #expect(note[0]["status"] == "stored")
    }
  }

  @Test func aDatabaseInUseIsCopied() async throws {
    try await fill(3)
    let copy = day.folder("copy.sqlite")
    try StudyStore.day(day.path, for: .reading).copy(to: copy)
    try await fill(2)
    #expect(try StudyStore.day(copy, for: .reading).changes().count == 4)
    #expect(try StudyStore.day(day.path, for: .reading).verifyChanges().broken == nil)
    #expect(try StudyStore.day(copy, for: .reading).verifyChanges().broken == nil)
  }

  @Test func nothingIsStoredInAFileThatWasMovedAway() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "before"]))
      let files = FileManager.default
      try files.moveItem(atPath: day.path, toPath: day.folder("away.sqlite"))
      for isReplaced in [false, true] {
        if isReplaced { try Data("else".utf8).write(to: URL(filePath: day.path)) }
        let note = entry("note", of: "ann", ["text": "after"])
        let answer = try await client.send(.post, "/entries", token, ["entries": .array([note])])
        #expect(answer.status == 500 && answer.json["code"] == "E_DAY_FAILED")
        #expect(answer.json["detail"]?.string?.contains("moved or replaced") == true)
        #expect(try await client.send(.get, "/health").status == 500)
        #expect(try await client.client.executeRequest(uri: "/day", method: .get).status == .ok)
      }
      try files.removeItem(atPath: day.path)
      try files.moveItem(atPath: day.folder("away.sqlite"), toPath: day.path)
      let back = try await client.enter(token, entry("note", of: "ann", ["text": "again"]))
      #expect(back[0]["status"] == "stored")
    }
  }

  @Test func aFullDiskRefusesAndGoesOn() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "before"]))
      try await day.day.store.change { change in
        let pages = try Int.fetchOne(change.db, sql: "PRAGMA page_count") ?? 0
        try change.db.execute(sql: "PRAGMA max_page_count = \(pages)")
      }
      let text = EventValue.text(String(repeating: "x", count: 2000))
      var statuses: [Int] = []
      for _ in 0..<8 {
        let batch = (0..<20).map { _ in entry("note", of: "ann", ["text": text]) }
        let answer = try await client.send(.post, "/entries", token, ["entries": .array(batch)])
        statuses.append(answer.status)
        if answer.status != 200 { #expect(answer.json["code"] == "E_DAY_NO_ROOM") }
      }
      #expect(statuses.last == 507)
      #expect(try await client.send(.get, "/day", token).status == 200)
      let health = try await client.send(.get, "/health")
      #expect(health.status == 200 && health.json["status"] == "degraded", "\(health.json)")
      #expect(health.json["not_storing_since"]?.string == ISOTime.text(day.clock.now))
      // With room again, the same entries are taken.
      try await day.day.store.change {
        try $0.db.execute(sql: "PRAGMA max_page_count = 1073741823")
      }
      #expect(
        try await client.enter(token, entry("note", of: "ann", ["text": text]))[0]["status"]
          == "stored")
      #expect(try await client.send(.get, "/health").json["status"] == "ok")
    }
  }

  private final class Commits: TransactionObserver, Sendable {
    let count = Mutex(0)
    let isWriting = Mutex(false)
    func observes(eventsOfKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { count.withLock { $0 += 1 } }
    func databaseDidRollback(_ db: Database) {}
  }

  /// Each is answered once it is on the disk, and one that is refused takes no other with it.
  @Test func changesThatWaitAreCommittedTogether() async throws {
    let store = day.day.store
    let commits = Commits()
    let gate = DispatchSemaphore(value: 0)
    try await store.change { $0.db.add(transactionObserver: commits, extent: .databaseLifetime) }
    let before = commits.count.withLock { $0 }
    let results = try await withThrowingTaskGroup(of: (Int, Problem?).self) { group in
      group.addTask {
        try await store.change { change in
          _ = try change.log(Event(actor: "test", action: "test.0"))
          commits.isWriting.withLock { $0 = true }
          gate.wait()
        }
        return (0, nil)
      }
      while !commits.isWriting.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
      for index in 1...9 {
        group.addTask {
          do {
            try await store.change { change in
              _ = try change.log(Event(actor: "test", action: "test.\(index)"))
              if index == 3 { throw Problem(.closed) }
            }
          } catch let problem as Problem {
            return (index, problem)
          }
          return (index, nil)
        }
      }
      while store.waitingCount < 9 { try await Task.sleep(for: .milliseconds(1)) }
      gate.signal()
      return try await group.reduce(into: [Int: Problem]()) { $0[$1.0] = $1.1 }
    }
    #expect(results == [3: Problem(.closed)])
    #expect(commits.count.withLock { $0 } - before == 2)
    let events = try await store.read { try EventLog.events(after: 0, limit: 100, in: $0) }
    #expect(Set(events.map(\.action)) == Set((0...9).filter { $0 != 3 }.map { "test.\($0)" }))
    #expect(events.map(\.seq) == Array(1...9))
  }

  @Test func momentsAreWrittenAndRead() {
    #expect(ISOTime.text(TestDay.start) == "2026-05-01T18:00:00.000Z")
    #expect(ISOTime.milliseconds("2026-05-01T18:00:00.123Z") == TestDay.start + 123)
    #expect(ISOTime.milliseconds("2026-05-01T18:00:00Z") == TestDay.start)
    for text in [
      "", "2026-05-01", "2026-02-30T18:00:00Z", "2026-05-01T24:00:00Z", "2026-05-01 18:00:00Z",
      "2026-05-01T18:00:00.Z", "2026-05-01T18:00:00+02:00",
    ] {
      #expect(ISOTime.milliseconds(text) == nil, "\(text)")
    }
  }

  /// Changes of entries by an import or another program are refused, or detected.
  @Test func importsChangeNothingThatWasEntered() async throws {
    let token = try await day.token(.operator)
    try await day.addPerson("ann")
    day.clock.advance(by: 3_600_000)
    try await day.serve { client in
      _ = try await client.enter(
        token, entry("drink", of: "ann", ["ethanol_g": 20]),
        entry("reading", of: "ann", reading(0.2), minute: 30))
    }
    let store = try StudyStore.day(day.path, for: .changing)
    let study = try store.study()
    try #require(study.series.first?.readings.count == 1)
    // The same again is no change.
    try store.add(study)
    var changes: [Study] = []
    var second = study
    second.series[0].readings[0].value = 0.1
    changes.append(second)
    second = study
    second.series[0].readings.append(
      Reading(time: 2, value: 0.1, unit: .breathMilligramsPerLitre))
    changes.append(second)
    second = study
    second.series[0].subject = Subject(id: "ann", sex: .male, weight: 60)
    changes.append(second)
    for change in changes {
      let error = #expect(throws: StoreError.self) { try store.add(change) }
      #expect(error?.code == .served && error?.remedy.contains("study day") == true)
    }
    let error = #expect(throws: StoreError.self) {
      try store.insert(
        reading: Reading(time: 3, value: 0.1, unit: .breathMilligramsPerLitre), of: "ann",
        on: "2026-05-01")
    }
    #expect(error?.code == .served)
    #expect(try store.study() == study)
    #expect(try store.verifyChanges().different == nil)
  }

  @Test(arguments: [
    "UPDATE readings SET value = 0.2", "UPDATE readings SET time_h = time_h + 1 / 60.0",
    "UPDATE entries SET state = 'void' WHERE kind = 'reading'",
    "UPDATE readings SET value = 0.1", "UPDATE readings SET is_excluded = 1",
    "UPDATE drinks SET ethanol_g = 1", "DELETE FROM readings", "DELETE FROM drinks",
    "DELETE FROM vitals", "DELETE FROM entries WHERE kind = 'note'",
    "UPDATE entries SET version = first_seq - 1 WHERE kind = 'reading'",
    """
    INSERT INTO readings (series_id, time_h, unit, ordinal, value, uuid)
    SELECT series_id, 2, unit, 0, 0.01, zeroblob(16) FROM readings
    """,
    "UPDATE entries SET state = 'current' WHERE kind = 'drink' AND state = 'void'",
    "UPDATE readings SET limit_of_detection = 0.5", "UPDATE drinks SET route = 'iv'",
    "UPDATE vitals SET value = value + 10", "UPDATE vitals SET given_value = 71",
    "UPDATE vitals SET day = '2020-01-01'", "UPDATE vitals SET start_utc = '2020-01-01 00:00:00'",
    "UPDATE sessions SET release_limit_g_per_kg = 1.5", "UPDATE sessions SET food = 'fed'",
    "UPDATE sessions SET reading_interval_min = 99", "UPDATE sessions SET state = 'released'",
    "UPDATE sessions SET state = 'ended', decision_seq = 1", "UPDATE accounts SET role = 'owner'",
    "INSERT INTO accounts (name, role, made_ms) VALUES ('eve', 'owner', 0)",
    "UPDATE accounts SET revoked_ms = 1",
    "INSERT INTO settings (name, value) VALUES ('blood_breath_ratio', 2300)",
  ])
  func entriesAreHeldAgainstTheLog(_ sql: String) async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let second = UUID()
      let results = try await client.enter(
        token,
        entry("drink", of: "ann", ["volume_ml": 500, "abv_percent": 5, "name": "beer"]),
        entry("drink", of: "ann", ["mass_g": 40, "abv_percent": 40], minute: 1, id: second),
        entry("reading", of: "ann", reading(0.2), minute: 4, id: id),
        entry("vital", of: "ann", ["kind": "HeartRate", "value": 70]),
        entry("note", of: "ann", ["text": "x"]))
      #expect(results.allSatisfy { $0["status"] == "stored" }, "\(results)")
      for (action, value, record, seq) in [
        ("correct", reading(0.21), id, results[2].seq), ("void", nil, second, results[1].seq),
      ] {
        _ = try await client.enter(
          token,
          entry(
            record == id ? "reading" : "drink", of: "ann", value, minute: 4, action: action,
            record: record, base: seq, reason: "typo"))
      }
    }
    let store = try StudyStore.day(day.path, for: .reading)
    #expect(try store.verifyChanges().different == nil)
    try tamper(sql)
    let verified = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(verified.broken == nil && verified.different != nil)
  }
}

extension TestDay {
  /// Returns the state of the person on pages, and the rows that fits read.
  fileprivate func state(_ token: Token) async throws -> [String] {
    let shown = Mutex("")
    try await serve { client in
      let person = try await client.send(.get, "/people/ann", token).json.text
      shown.withLock { $0 = person }
    }
    return [
      shown.withLock { $0 }, "\(try StudyStore.day(path, for: .reading).study().series)",
    ]
  }
}
