@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// Entries, their corrections and conflicts.
@Suite struct EntryTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  @Test func theSameBatchTwiceChangesNothing() async throws {
    day.clock.advance(by: 3_600_000)
    let token = try await day.token(.operator)
    try await day.serve { client in
      let batch = [
        entry("drink", of: "ann", ["ethanol_g": 20]),
        entry("reading", of: "ann", reading(0.2), minute: 30),
      ]
      let first = try await client.enter(token, batch[0], batch[1])
      #expect(first.map { $0["status"] } == ["stored", "stored"])
      let events = try await day.count("events")
      let again = try await client.enter(token, batch[0], batch[1])
      #expect(again.map { $0["status"] } == ["duplicate", "duplicate"])
      #expect(again.map(\.seq) == first.map(\.seq))
      #expect(try await day.count("events") == events)
      #expect(try await day.count("readings") == 1)
      #expect(try await day.count("drinks") == 1)
    }
  }

  @Test(arguments: [Int64.min, -1, 0, Int64.max])
  func numbersAtTheirLimitsAreRefused(number: Int64) async throws {
    let token = try await day.token(.owner)
    // Beyond 2^53 a number of JSON is no whole number: the request is refused, not the entry.
    let refusal: EventValue = -1...0 ~= number ? "refused" : .integer(422)
    try await day.serve { client in
      let id = UUID()
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "one"], id: id))
      let change = entry(
        "note", of: "ann", ["text": "two"], action: "correct", record: id, base: number, reason: "x"
      )
      #expect(try await client.enter(token, change)[0]["status"] == refusal)
      guard case .object(var members) = entry("note", of: "ann", ["text": "three"]) else { return }
      members["clock_offset_ms"] = .integer(number)
      let status = try await client.enter(token, .object(members))[0]["status"]
      #expect(status == (-1...0 ~= number ? "stored" : refusal))
      #expect(try await client.send(.get, "/accounts/\(number)", token).status == 404)
    }
  }

  @Test func anIdIsNotUsedForAnotherThing() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      _ = try await client.enter(token, entry("reading", of: "ann", reading(0.2), id: id))
      let repeated = try await client.enter(
        token, entry("reading", of: "bob", reading(0.2), id: id))
      #expect(repeated[0]["status"] == "refused")
      #expect(repeated[0]["problem"]?["code"] == "E_DAY_CONFLICT")
    }
  }

  /// A device that sends another value under an id must not be told that its value is stored.
  @Test func theSameIdWithAnotherValueIsNoDuplicate() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let change = UUID()
      let first = try await client.enter(token, entry("reading", of: "ann", reading(0.2), id: id))
      func correct(to value: Double) async throws -> EventValue {
        try await client.enter(
          token,
          entry(
            "reading", of: "ann", reading(value), id: change, action: "correct", record: id,
            base: first[0].seq, reason: "typo"))[0]
      }
      #expect(try await correct(to: 0.3)["status"] == "stored")
      #expect(try await correct(to: 0.3)["status"] == "duplicate")
      // A clock that was measured anew makes no other entry.
      let late = entry("reading", of: "ann", reading(0.2), id: id, offset: 5000)
      #expect(try await client.enter(token, late)[0]["status"] == "duplicate")
      for answer in [
        try await correct(to: 0.4),
        try await client.enter(token, entry("reading", of: "ann", reading(0.9), id: id))[0],
      ] {
        #expect(answer["status"] == "refused" && answer["problem"]?["code"] == "E_DAY_CONFLICT")
      }
    }
  }

  /// The answer was lost: the device must hear of the conflict, as long as there is one.
  @Test func aContradictionThatComesAgainIsStillOne() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let change = UUID()
      let first = try await client.enter(token, entry("reading", of: "ann", reading(0.2), id: id))
      func correct(
        to value: Double, _ change: UUID = UUID(), _ action: String = "correct", base: Int64?
      ) async throws -> EventValue {
        try await client.enter(
          token,
          entry(
            "reading", of: "ann", reading(value), id: change, action: action, record: id,
            base: base, reason: "typo"))[0]
      }
      _ = try await correct(to: 0.3, base: first[0].seq)
      let late = try await correct(to: 0.4, change, base: first[0].seq)
      #expect(late["status"] == "conflict")
      #expect(try await correct(to: 0.4, change, base: first[0].seq) == late)
      _ = try await correct(to: 0.4, UUID(), "resolve", base: late.seq)
      #expect(try await correct(to: 0.4, change, base: first[0].seq)["status"] == "duplicate")
    }
  }

  @Test func discardedEntriesAreLogged() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      // Refused, and made by somebody who never came back.
      let id = UUID()
      let refused = reading(70.5)
      #expect(
        try await client.enter(token, entry("reading", of: "ann", refused, id: id))[0]["status"]
          == "refused")
      func discard(_ record: UUID?, reason: String?, id: UUID = UUID()) async throws -> EventValue {
        try await client.enter(
          token,
          entry(
            "reading", of: "ann", refused, minute: -5, id: id, action: "discard", record: record,
            reason: reason))[0]
      }
      #expect(try await discard(id, reason: " ")["problem"]?["code"] == "E_DAY_REASON")
      #expect(try await discard(nil, reason: "typo")["problem"]?["code"] == "E_DAY_REQUEST")
      let given = UUID()
      #expect(try await discard(id, reason: "made by Bea: typo", id: given)["status"] == "stored")
      #expect(
        try await discard(id, reason: "made by Bea: typo", id: given)["status"] == "duplicate")
      let event = try #require(try StudyStore.day(day.path, for: .reading).changes().last)
      #expect(event.action == "reading.discard" && event.reason == "made by Bea: typo")
      #expect(event.actor == "operator" && event.record == id && event.new == "null")
      let old = EventValue(event.old ?? "")
      #expect(old?["value"] == refused && old?["at"] == "2026-05-01T17:55:00.000Z")
      #expect(try await day.count("entries") == 0)
      // What was given up does not come in by another page.
      let late = try await client.enter(token, entry("reading", of: "ann", reading(0.2), id: id))
      #expect(late[0]["problem"]?["code"] == "E_DAY_CLOSED")
      let report = try await client.send(.get, "/reports/2026-05-01", token).json
      #expect(report["corrections"]?.items.map { $0["action"] } == ["reading.discard"])
      let check = try StudyStore.day(day.path, for: .reading).verifyChanges()
      #expect(check.broken == nil && check.different == nil)
    }
  }

  @Test func storedEntryCannotBeDiscarded() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      _ = try await client.enter(token, entry("reading", of: "ann", reading(0.2), id: id))
      let discarded = try await client.enter(
        token,
        entry(
          "reading", of: "ann", reading(0.2), action: "discard", record: id, reason: "not needed"))
      #expect(discarded[0]["problem"]?["code"] == "E_DAY_CLOSED")
      let person = try await client.send(.get, "/people/ann", token).json
      #expect(person["readings"]?.items.map { $0["state"] } == ["current"])
    }
  }

  @Test func correctionsNeedReasonAndSeenVersion() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let first = try await client.enter(token, entry("reading", of: "ann", reading(0.9), id: id))
      let base = try #require(first[0].seq)
      func correct(_ value: Double, base: Int64?, reason: String?) async throws -> EventValue {
        try await client.enter(
          token,
          entry(
            "reading", of: "ann", reading(value), action: "correct", record: id, base: base,
            reason: reason))[0]
      }
      #expect(try await correct(0.5, base: base, reason: nil)["problem"]?["code"] == "E_DAY_REASON")
      #expect(
        try await correct(0.5, base: nil, reason: "typo")["problem"]?["code"] == "E_DAY_REQUEST")
      #expect(
        try await correct(0.5, base: base + 99, reason: "typo")["problem"]?["code"]
          == "E_DAY_REQUEST")
      #expect(try await correct(0.4, base: base, reason: "typo")["status"] == "stored")
      let person = try await client.send(.get, "/people/ann", token).json
      let shown = try #require(person["readings"]?.items.first)
      #expect(shown["value"]?["concentration"] == 0.4)
      #expect(shown["as_entered"]?["concentration"] == 0.9)
      let log = try await client.send(.get, "/changes", token).json["items"]?.items ?? []
      #expect(log.last?["action"] == "reading.correct")
    }
  }

  @Test func twoCorrectionsOfOneValueAreShownBoth() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let base = try await client.enter(token, entry("reading", of: "ann", reading(0.9), id: id))[0]
        .seq
      func change(_ action: String, _ value: EventValue?, base: Int64?) async throws -> EventValue {
        try await client.enter(
          token,
          entry("reading", of: "ann", value, action: action, record: id, base: base, reason: "typo")
        )[0]
      }
      let first = try await change("correct", reading(0.4), base: base)
      let second = try await change("correct", reading(0.5), base: base)
      #expect(first["status"] == "stored" && second["status"] == "conflict")
      #expect(try await day.count("readings") == 0, "a value that is in doubt is in no fit")
      var person = try await client.send(.get, "/people/ann", token).json
      let values = person["conflicts"]?.items.first?["values"]?.items ?? []
      #expect(values.map { $0["value"]?["concentration"] } == [0.4, 0.5])
      #expect(person["forecast"] == nil || person["forecast"] == .null)
      #expect(person["why_not"]?.string?.contains("two values") == true)
      // Whoever voids now has not seen the conflict, and a resolution is of what was seen.
      #expect(try await change("void", nil, base: first.seq)["status"] == "conflict")
      #expect(
        try await change("resolve", reading(0.5), base: second.seq)["problem"]?["code"]
          == "E_DAY_CONFLICT")
      person = try await client.send(.get, "/people/ann", token).json
      let version = try #require(person["readings"]?.items.first?["version"])
      guard case .integer(let seen) = version else { return }
      #expect(try await change("resolve", reading(0.5), base: seen)["status"] == "stored")
      #expect(try await day.count("readings") == 1)
      person = try await client.send(.get, "/people/ann", token).json
      #expect(person["conflicts"]?.items.isEmpty == true)
      #expect(person["readings"]?.items.first?["state"] == "current")
    }
  }

  @Test func equalChangesAreNoConflict() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let base = try await client.enter(token, entry("reading", of: "ann", reading(0.9), id: id))[0]
        .seq
      for _ in 0..<2 {
        let result = try await client.enter(
          token,
          entry(
            "reading", of: "ann", reading(0.4), action: "correct", record: id, base: base,
            reason: "typo"))
        #expect(result[0]["status"] == "stored")
      }
      #expect(try await day.count("conflicts") == 0)
    }
  }

  @Test func voidedEntryHasNoRow() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let base = try await client.enter(
        token, entry("drink", of: "ann", ["ethanol_g": 20], id: id))[0].seq
      let void = entry(
        "drink", of: "ann", nil, action: "void", record: id, base: base, reason: "spilt")
      #expect(try await client.enter(token, void)[0]["status"] == "stored")
      #expect(try await day.count("drinks") == 0)
      #expect(try await client.enter(token, void)[0]["status"] == "duplicate")
      let person = try await client.send(.get, "/people/ann", token).json
      #expect(person["drinks"]?.items.first?["state"] == "void")
    }
  }

  static let impossible: [(String, EventValue)] = [
    ("reading", ["concentration": -1, "unit": "brac_mg_per_l"]),
    ("reading", ["concentration": 0.2]),
    ("reading", ["concentration": 0.2, "unit": "mg/l"]),
    ("reading", ["concentration": "0.2", "unit": "brac_mg_per_l"]),
    ("reading", ["concentration": 90, "unit": "brac_mg_per_l"]),
    ("reading", ["concentration": 0.2, "unit": "brac_mg_per_l", "odd": 1]),
    ("drink", [:]), ("drink", ["ethanol_g": -1]), ("drink", ["ethanol_g": 900]),
    ("drink", ["volume_ml": 500]),
    ("drink", ["volume_ml": 500, "abv_percent": 500]),
    ("drink", ["ethanol_g": 20, "volume_ml": 500, "abv_percent": 5]),
    ("vital", ["kind": "Mood", "value": 1]), ("vital", ["kind": "HeartRate", "value": 9000]),
    ("vital", ["kind": "HeartRate", "value": 60, "unit": "kg"]),
    ("vital", ["kind": "HeartRate", "value": 60, "importance": 9]),
    ("note", ["text": ""]), ("note", [:]), ("note", "text"),
  ]

  @Test(arguments: impossible)
  func impossibleEntriesLeaveNoTrace(_ kind: String, _ value: EventValue) async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let before = try await day.count("events")
      let results = try await client.enter(
        token, entry(kind, of: "ann", value), entry("note", of: "ann", ["text": "fine"]))
      #expect(results.map { $0["status"] } == ["refused", "stored"], "\(results)")
      #expect(results[0]["problem"]?["code"] == "E_DAY_VALUE")
      #expect(try await day.count("events") == before + 1)
      #expect(try await day.count("entries") == 1)
    }
  }

  @Test func timesAreCorrectedByTheDevicesClock() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      _ = try await client.enter(
        token, entry("reading", of: "ann", reading(0.2), minute: 3, offset: 86_400_000 * 400))
      let person = try await client.send(.get, "/people/ann", token).json
      #expect(person["readings"]?.items.first?["at"] == "2026-05-01T18:03:00.000Z")
      let future = try await client.enter(
        token, entry("reading", of: "ann", reading(0.2), minute: 30))
      #expect(future[0]["problem"]?["code"] == "E_DAY_VALUE")
    }
  }

  @Test func volumesAndMassesBecomeEthanol() throws {
    func grams(_ value: EventValue) throws -> Double {
      try #require(EnteredDrink.grams(value))
    }
    #expect(abs(try grams(["volume_ml": 500, "abv_percent": 5]) - 19.725) < 1e-9)
    // 100 g of spirit of 40 % are 105.48 ml (OIML R 22: 0.94805 g/ml).
    #expect(
      abs(try grams(["mass_g": 100, "abv_percent": 40]) - 100 / 0.94805 * 0.4 * 0.789) < 1e-9)
    #expect(try grams(["ethanol_g": 12.5]) == 12.5)
  }

  /// Stores a value of an entry as an earlier version might have.
  private static func store(
    _ value: EventValue, of kind: String, _ id: UUID, _ change: DayChange
  ) throws {
    let event = Event(
      actor: "owner", action: "\(kind).correct", subject: "ann", record: id,
      new: ["at": .text(ISOTime.text(TestDay.start)), "value": value])
    try change.db.execute(
      sql: "UPDATE entries SET version = ? WHERE uuid = ?",
      arguments: [try change.log(event).seq, id])
  }

  /// Neither what comes nor what is stored already, by whichever version, takes the day down.
  @Test func excludedReadingMustBeDisplayable() async throws {
    let token = try await day.token(.owner)
    try await day.serve { client in
      @Sendable func value(_ number: Double) -> EventValue {
        ["concentration": .number(number), "unit": "brac_mg_per_l", "excluded": "mouthpiece"]
      }
      let id = UUID()
      let results = try await client.enter(
        token, entry("reading", of: "ann", value(1e308)),
        entry("reading", of: "ann", value(40), id: id))
      #expect(results.map { $0["status"] } == ["refused", "stored"])
      try await day.day.store.change { change in
        try Self.store(value(1e308), of: "reading", id, change)
        try change.db.execute(
          sql: """
            UPDATE readings SET value = 1e308;
            INSERT INTO imports (source) VALUES ('x');
            INSERT INTO vitals SELECT subject_id, 'HeartRate', starts_utc, starts_utc, 'x', 0, day, 9e999,
              1, 'x', zeroblob(16), 1, 0 FROM series
            """)
      }
      for path in ["/day", "/people/ann", "/reports/2026-05-01", "/notices"] {
        let answer = try await client.send(.get, path, token)
        #expect(answer.status == 200, "\(path): \(answer.json)")
      }
    }
  }

  @Test(
    arguments: [
      ("reading", ["concentration": 0.2, "unit": "brac_mg_per_l", "excluded": true]),
      ("reading", ["concentration": 0.2, "unit": "brac_mg_per_l", "excluded": ""]),
      ("reading", ["concentration": 0.2, "unit": "brac_mg_per_l", "excluded": "  "]),
      ("drink", ["ethanol_g": 10, "name": ["a": 1]]), ("drink", ["ethanol_g": 10, "name": ""]),
      ("drink", ["ethanol_g": 10, "name": .text(String(repeating: "x", count: 200_000))]),
    ] as [(String, EventValue)])
  func textsSaySomething(_ kind: String, _ value: EventValue) async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let result = try await client.enter(token, entry(kind, of: "ann", value))
      #expect(result[0]["problem"]?["code"] == "E_DAY_VALUE", "\(result)")
    }
  }

  /// A drink that an earlier version took with a name of any length counts like another.
  @Test func entriesOfEarlierVersionsCount() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      _ = try await client.enter(token, entry("drink", of: "ann", ["ethanol_g": 10], id: id))
      try await day.day.store.change {
        try Self.store(["ethanol_g": 10, "name": ["a": 1]], of: "drink", id, $0)
      }
      let record = try await day.day.store.read { db in
        try PersonRecord(try #require(try Sessions.latest(of: "ann", in: db)), in: db)
      }
      #expect(record.series.drinks.count == 1)
    }
  }

  @Test func conflictsOfTimesShowThemAndAChoiceIsTaken() async throws {
    day.clock.advance(by: 3_600_000)
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let base = try await client.enter(
        token, entry("reading", of: "ann", reading(0.5), minute: 50, id: id))[0].seq
      func change(
        _ action: String, _ value: EventValue?, base: Int64?, at: Double? = nil,
        choice: Int64? = nil, reason: String? = "clock"
      ) async throws -> EventValue {
        try await client.enter(
          token,
          entry(
            "reading", of: "ann", value, minute: 60, action: action, record: id, base: base,
            reason: reason, at: at, choice: choice))[0]
      }
      let first = try await change("correct", reading(0.5), base: base, at: 40)
      let second = try await change("correct", reading(0.5), base: base, at: 30)
      #expect(first["status"] == "stored" && second["status"] == "conflict")
      let shown = try await client.send(.get, "/people/ann", token).json["conflicts"]?.items.first
      #expect(
        shown?["values"]?.items.map { $0["measured_at"] } == [
          "2026-05-01T18:40:00.000Z", "2026-05-01T18:30:00.000Z",
        ])
      let vague = try await change("resolve", reading(0.5), base: second.seq)
      #expect(vague["problem"]?["code"] == "E_DAY_VALUE", "\(vague)")
      let third = try await change("resolve", reading(0.6), base: second.seq, reason: nil)
      #expect(third["problem"]?["code"] == "E_DAY_REASON", "\(third)")
      let none = try await change("resolve", nil, base: second.seq, choice: base, reason: nil)
      #expect(none["problem"]?["code"] == "E_DAY_VALUE", "\(none)")
      let done = try await change(
        "resolve", nil, base: second.seq, choice: first.seq, reason: nil)
      #expect(done["status"] == "stored", "\(done)")
      let kept = try await client.send(.get, "/people/ann", token).json["readings"]?.items.first
      #expect(kept?["at"] == "2026-05-01T18:40:00.000Z" && kept?["state"] == "current")
      #expect(try StudyStore.day(day.path, for: .reading).verifyChanges().different == nil)
    }
  }

  /// The page sends the value that was chosen: its time comes with it.
  @Test func aChosenValueBringsItsTime() async throws {
    day.clock.advance(by: 3_600_000)
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let base = try await client.enter(token, entry("reading", of: "ann", reading(0.5), id: id))[0]
        .seq
      var last: Int64?
      for (value, minute) in [(0.4, 20.0), (0.3, 30)] {
        last = try await client.enter(
          token,
          entry(
            "reading", of: "ann", reading(value), minute: 60, action: "correct", record: id,
            base: base, reason: "typo", at: minute))[0].seq
      }
      let done = try await client.enter(
        token,
        entry(
          "reading", of: "ann", reading(0.3), minute: 61, action: "resolve", record: id, base: last)
      )
      #expect(done[0]["status"] == "stored", "\(done)")
      let kept = try await client.send(.get, "/people/ann", token).json["readings"]?.items.first
      #expect(kept?["at"] == "2026-05-01T18:30:00.000Z")
    }
  }

  @Test func aCorrectionStaysInItsSessionAndSaysWhy() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let base = try await client.enter(token, entry("reading", of: "ann", reading(0.5), id: id))[0]
        .seq
      func correct(at minute: Double?, _ reason: String) async throws -> EventValue {
        try await client.enter(
          token,
          entry(
            "reading", of: "ann", reading(0.5), action: "correct", record: id, base: base,
            reason: reason, at: minute))[0]
      }
      let far = try await correct(at: -20 * 1440, "clock")
      #expect(far["problem"]?["code"] == "E_DAY_VALUE", "\(far)")
      for blank in ["", "  ", "\t\n"] {
        #expect(try await correct(at: nil, blank)["problem"]?["code"] == "E_DAY_REASON")
      }
      #expect(try await correct(at: -30, "clock")["status"] == "stored")
    }
  }
}
