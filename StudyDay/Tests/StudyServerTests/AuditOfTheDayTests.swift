import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Synchronization
import TestSupport
import Testing

@testable import StudyServer

/// Detection of changes by other programs with `audit --verify`.
@Suite struct AuditOfTheDayTests {
  /// A day with bookings, a waiting list, sign-ins and settings; a copy of its database.
  private static func copy(_ folder: TemporaryFolder) async throws -> String {
    let copy = folder("copy.sqlite")
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      let narrow = try await served.makeSlot(places: 1, name: "Morning", on: 3)
      #expect(try await served.book(slot, as: "p01").status == 201)
      #expect(try await served.book(slot, as: "p02").status == 201)
      #expect(try await served.book(narrow, as: "p03").status == 201)
      for name in ["p01", "p02"] {
        let waiting = try await served.send(
          .post, "/slots/\(narrow)/waiting", as: name, ServedDay.form)
        #expect(waiting.status == 201, "\(waiting.text)")
      }
      let settings: EventValue = [
        "no_show_cost": 2, "vitals": [["kind": "HeartRate", "above": 120]],
      ]
      #expect(try await served.send(.patch, "/settings", as: "ines", settings).status == 200)
      // A link that was used, and one that was not.
      let used = try await served.day.accounts.invite("nina", as: .viewer, by: "olga")
      _ = try await served.day.accounts.signIn(used)
      _ = try await served.day.accounts.invite("nils", as: .viewer, by: "olga")
      _ = try await served.day.accounts.signIn(try #require(served.tokens["p03"]))
      #expect(try await served.send(.delete, "/people/p03/consent", as: "p03").status == 204)
      served.clock.advance(by: ServedDay.afternoon - served.clock.now)
      let bookings = try await served.send(.get, "/bookings?mine=1", as: "p01").json["items"]
      let first = try #require(bookings?.items.first { $0["state"] == "booked" }?["id"]?.string)
      #expect(
        try await served.send(.post, "/bookings/\(first)/check-in?sure=1", as: "oskar").status
          == 200)
      try StudyStore(path: served.day.store.path, for: .reading).copy(to: copy)
    }
    return copy
  }

  private static func different(_ path: String) throws -> EntryDifference? {
    try StudyStore.day(path, for: .reading).verifyChanges().different
  }

  private static let forgeries = [
    // Somebody signs in as the owner.
    """
    INSERT INTO tokens (hash, account_id, kind, made_ms, expires_ms)
    SELECT zeroblob(32), id, 'session', made_ms, made_ms + 1000000000 FROM accounts WHERE name = 'olga'
    """,
    "UPDATE tokens SET hash = zeroblob(32) WHERE id = 1",
    "UPDATE tokens SET expires_ms = expires_ms + 1 WHERE id = 2",
    "UPDATE tokens SET account_id = 1 WHERE account_id = 3",
    "UPDATE tokens SET used_ms = NULL WHERE kind = 'invitation'",
    "UPDATE tokens SET kind = 'station' WHERE kind = 'invitation'",
    "UPDATE tokens SET label = 'other' WHERE label = 'bench'",
    "UPDATE tokens SET revoked_ms = NULL", "UPDATE tokens SET revoked_ms = 1 WHERE id = 1",
    "DELETE FROM tokens WHERE id = 1",
    "UPDATE accounts SET subject_id = (SELECT id FROM subjects WHERE name = 'p02') WHERE name = 'p01'",
    "UPDATE accounts SET subject_id = 1 WHERE name = 'vera'",
    "UPDATE accounts SET name = 'olga2' WHERE name = 'olga'",
    "UPDATE accounts SET made_ms = 1", "DELETE FROM accounts WHERE name = 'vera'",
    // Vital signs, and other settings.
    "UPDATE vital_kinds SET above = 200 WHERE kind = 'HeartRate'",
    "UPDATE vital_kinds SET above = NULL WHERE kind = 'BodyTemperature'",
    "UPDATE vital_kinds SET importance = 1 WHERE kind = 'HeartRate'",
    "UPDATE vital_kinds SET most = 999 WHERE kind = 'HeartRate'",
    "DELETE FROM vital_kinds WHERE kind = 'StepCount'",
    "DELETE FROM settings WHERE name = 'no_show_cost'",
    "UPDATE settings SET value = 30 WHERE name = 'span_days'",
    // Places.
    "UPDATE bookings SET state = 'cancelled' WHERE state = 'booked'",
    "UPDATE bookings SET state = 'released' WHERE state = 'checked-in'",
    "UPDATE bookings SET subject_id = (SELECT id FROM subjects WHERE name = 'p03') WHERE state = 'booked' AND subject_id = (SELECT id FROM subjects WHERE name = 'p02')",
    "UPDATE bookings SET series_id = NULL", "UPDATE bookings SET made_ms = 1",
    "DELETE FROM bookings WHERE state = 'booked'",
    """
    INSERT INTO bookings (uuid, slot_id, subject_id, state, made_ms, changed_ms)
    SELECT randomblob(16), slot_id, 1, 'cancelled', 0, 0 FROM bookings LIMIT 1
    """,
    "DELETE FROM waiting",
    "INSERT INTO waiting (slot_id, subject_id, since_ms) SELECT min(slot_id), 3, 0 FROM bookings",
    // Consent.
    "UPDATE people SET consent_ms = consent_ms - 1", "DELETE FROM people WHERE subject_id = 2",
    "UPDATE people SET no_shows = 3",
    """
    INSERT INTO people (subject_id, name, contact, consent_ms)
    SELECT id, 'x', 'y', 0 FROM subjects WHERE name = 'p03'
    """,
  ]

  @Test func forgedAccountsAreDetected() async throws {
    let folder = try TemporaryFolder()
    let sound = try await Self.copy(folder)
    #expect(try Self.different(sound) == nil)
    for (index, sql) in Self.forgeries.enumerated() {
      let forged = folder("\(index).sqlite")
      try FileManager.default.copyItem(atPath: sound, toPath: forged)
      let queue = try DatabaseQueue(path: forged)
      try await queue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)")
        #expect(db.changesCount > 0, "\(sql)")
      }
      try queue.close()
      // Rows whose owner is gone are damage.
      let isFound: Bool
      do { isFound = try Self.different(forged) != nil } catch let error as StoreError {
        isFound = error.code == .corrupt
      }
      #expect(isFound, "\(sql)")
    }
  }

  /// Tokens of earlier versions are known by their account, their kind and when they were made.
  @Test func tokensOfEarlierVersionsAreVerified() async throws {
    let day = try TestDay()
    func make(_ kind: String, _ action: String, _ new: EventValue?, isLogged: Bool = true)
      async throws
    {
      try await day.day.store.change { change in
        try change.db.execute(
          sql: """
            INSERT INTO accounts (name, role, made_ms) VALUES ('old', 'viewer', ?) ON CONFLICT DO NOTHING
            """, arguments: [change.now])
        try change.db.execute(
          sql: """
            INSERT INTO tokens (hash, account_id, kind, made_ms, expires_ms)
            SELECT randomblob(32), id, ?, ?, ? FROM accounts WHERE name = 'old'
            """, arguments: [kind, change.now, change.now + 1])
        if isLogged { try change.log(Event(actor: "old", action: action, new: new)) }
      }
    }
    let new: EventValue = ["account": "old", "role": "viewer", "kind": "invitation"]
    try await make("invitation", "account.invite", new)
    try await make("session", "account.sign-in", nil)
    #expect(try Self.different(day.path) == nil)
    try await make("session", "account.sign-in", nil, isLogged: false)
    #expect(try Self.different(day.path)?.what == "token")
  }

  /// Every page of the file that holds anything.
  @Test func randomBytesInAnyPageAreFound() async throws {
    let folder = try TemporaryFolder()
    let sound = try await Self.copy(folder)
    let file = folder("whole.sqlite")
    let queue = try DatabaseQueue(path: sound)
    try await queue.writeWithoutTransaction {
      try $0.execute(sql: "VACUUM INTO ?", arguments: [file])
    }
    try queue.close()
    let bytes = try Data(contentsOf: URL(filePath: file))
    let size = 4096
    var numbers = SystemRandomNumberGenerator()
    for page in 1..<(bytes.count / size) {
      var damaged = bytes
      for place in 0..<size { damaged[page * size + place] = .random(in: 0...255, using: &numbers) }
      try damaged.write(to: URL(filePath: file))
      let result = Result { try StudyStore.day(file, for: .reading).verifyChanges() }
      switch result {
      case .success(let chain): #expect(chain.broken != nil, "page \(page)")
      case .failure(let error): #expect((error as? StoreError)?.code == .corrupt, "page \(page)")
      }
    }
  }
}

extension ServedDay {
  /// 2026-05-02 16:30 UTC, in the slots of the tests.
  static let afternoon: Int64 = 1_777_739_400_000
}
