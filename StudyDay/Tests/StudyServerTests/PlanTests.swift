import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// The protocol of a study: its order, its drinks and its readings.
@Suite struct PlanTests {
  private static func form(
    _ arms: [String], crossover: Bool = false, copies: Int64 = 2, seed: Int64 = 7
  ) -> EventValue {
    [
      "design": crossover ? "crossover" : "parallel", "copies": .integer(copies),
      "seed": .integer(seed), "stock_abv_percent": 40, "total_ml": 500, "drink_min": 15,
      "readings_min": [20, 40, 60],
      "arms": .array(arms.map { ["name": .text($0), "g_per_kg": 0.6] }),
    ]
  }

  private static func order(_ plan: StudyProtocol, _ places: Range<Int>) -> [String] {
    places.map { plan.arms(at: $0).map(\.name).joined() }
  }

  /// As Python's hashlib puts the digests of "SEED BLOCK INDEX" in order.
  @Test func orderFollowsSeed() throws {
    let two = try #require(StudyProtocol(Self.form(["A", "B"])))
    #expect(Self.order(two, 0..<12).joined() == "AABBABBAABAB")
    let three = try #require(
      StudyProtocol(Self.form(["A", "B", "C"], crossover: true, copies: 1, seed: 20_260_501)))
    #expect(
      Self.order(three, 0..<12) == [
        "CAB", "ABC", "BCA", "BAC", "ACB", "CBA", "CAB", "ACB", "ABC", "CBA", "BAC", "BCA",
      ])
    let other = try #require(StudyProtocol(Self.form(["A", "B"], seed: 8)))
    #expect(Self.order(other, 0..<24) != Self.order(two, 0..<24))
  }

  /// In a block each arm stands equally often; of sequences, each arm in each visit and after each other arm.
  @Test(arguments: 1...6) func blocksAreBalanced(count: Int) throws {
    let names = (0..<count).map { "\($0)" }
    let parallel = try #require(StudyProtocol(Self.form(names)))
    let sequences = try #require(StudyProtocol(Self.form(names, crossover: true)))
    for block in 0..<5 {
      let size = 2 * count
      let arms = (block * size..<(block + 1) * size).map { parallel.arms(at: $0)[0].name }
      #expect(Dictionary(grouping: arms) { $0 }.values.allSatisfy { $0.count == 2 })
      let rows = count.isMultiple(of: 2) || count == 1 ? size : 2 * size
      let visits = (block * rows..<(block + 1) * rows).map {
        sequences.arms(at: $0).map(\.name)
      }
      for visit in 0..<count {
        let counts = Dictionary(grouping: visits.map { $0[visit] }) { $0 }.mapValues(\.count)
        #expect(counts.count == count && Set(counts.values).count == 1)
      }
      let pairs = visits.flatMap { zip($0, $0.dropFirst()).map { "\($0) \($1)" } }
      let counts = Dictionary(grouping: pairs) { $0 }.mapValues(\.count)
      #expect(counts.count == count * (count - 1) && Set(counts.values).count <= 1)
    }
    #expect(parallel.arms(at: -1).isEmpty)
  }

  /// 48 g in 60.84 ml of ethanol; densities by OIML R 22.
  @Test func recipeFollowsBodyWeight() throws {
    let drink = try #require(MadeDrink(grams: 48, stock: 40, total: 500))
    #expect(abs(drink.stockMillilitres - 152.0913) < 1e-4)
    #expect(abs(drink.stockGrams - 144.1901) < 1e-4)
    #expect(abs(drink.abvPercent - 12.1673) < 1e-4)
    #expect(abs(drink.density - (0.98471 - 0.21673 * 0.01115)) < 1e-6)
    #expect(abs(drink.totalGrams - 500 * drink.density) < 1e-9)
    #expect(MadeDrink(grams: 48, stock: 40, total: 150) == nil, "it does not fit")
    #expect(MadeDrink(grams: 0, stock: 40, total: 300)?.stockMillilitres == 0, "a placebo")
  }

  private static func arm(_ name: String, _ dose: Double) -> EventValue {
    .object(["name": .text(name), "g_per_kg": .number(dose)])
  }

  private static let wrong: [(String, EventValue)] = [
    ("arms", .array([arm("A", 3)])), ("arms", .array([])), ("design", .text("x")),
    ("arms", .array([arm("A", 1), arm("A", 0)])), ("copies", .integer(0)), ("total_ml", .null),
    ("readings_min", .array([.integer(20), .integer(20)])), ("odd", .integer(1)),
    ("readings_min", .array([.integer(-1)])), ("hidden", .array([.text("x")])),
  ]

  @Test func drawsAreLoggedAndUnique() async throws {
    try await ServedDay.run { served in
      func set(_ form: EventValue, as name: String = "ines") async throws -> Int {
        let answer: ServedDay.Answer = try await served.send(.put, "/protocol", as: name, form)
        return answer.status
      }
      func draw(_ subject: String, as name: String = "oskar") async throws -> ServedDay.Answer {
        try await served.send(.post, "/people/\(subject)/draw", as: name, [:])
      }
      #expect(try await draw("p01").code == "E_DAY_CLOSED")
      #expect(try await set(Self.form(["A", "B"]), as: "oskar") == 403)
      for (member, value) in Self.wrong {
        var form = Self.form(["A"]).members
        form[member] = value
        let status = try await set(.object(form))
        #expect(status == 422, "\(member) \(value.text)")
      }
      #expect(try await set(Self.form(["A", "B"])) == 200)
      let first = try await draw("p01")
      #expect(first.status == 201 && first.json["arms"] == ["A"] && first.json["place"] == 0)
      #expect(try await draw("p01").code == "E_DAY_CONFLICT")
      #expect(try await draw("nobody").status == 404)
      #expect(try await draw("p02", as: "p02").status == 403)
      #expect(try await draw("p02").json["arms"] == ["A"])
      #expect(try await draw("p03").json["arms"] == ["B"])
      // Times may change, the order may not.
      var later = Self.form(["A", "B"]).members
      later["readings_min"] = [30]
      #expect(try await set(.object(later)) == 200)
      #expect(try await set(Self.form(["A", "B"], seed: 8)) == 409)
      #expect(try await set(Self.form(["B", "A"])) == 409)
      let changes = try await served.send(.get, "/changes?after=0&limit=1000", as: "ines").json
      let draws = changes["items"]?.list.filter { $0["action"] == "protocol.draw" } ?? []
      #expect(draws.compactMap { $0["subject"]?.string } == ["p01", "p02", "p03"])
      let last: EventValue = ["arms": ["B"], "place": 2]
      #expect(draws.last?["new"] == last)
      let heard = try await served.send(.get, "/changes?after=0&limit=1000", as: "p02").text
      #expect(!heard.contains("\"arms\"") && !heard.contains("p03"))
      let path = served.day.store.path
      #expect(try StudyStore.day(path, for: .reading).verifyChanges().different == nil)
      // Another hand that writes a chain of its own is found by the seed.
      let forged: EventValue = ["arms": ["A"], "place": 3]
      try await served.day.store.change { change in
        _ = try change.log(
          Event(
            actor: "ines", action: "protocol.draw", subject: "p09", record: StudyProtocol.draws,
            new: forged))
      }
      let chain = try StudyStore.day(path, for: .reading).verifyChanges()
      #expect(chain.broken == nil && chain.different?.what == "protocol")
    }
  }

  @Test func lateReadingsAreListedFirst() async throws {
    try await ServedDay.run { served in
      func tasks(_ name: String = "oskar") async throws -> [EventValue] {
        try await served.send(.get, "/tasks", as: name).json["items"]?.list ?? []
      }
      func told(_ name: String = "oskar") async throws -> [String] {
        try await tasks(name).map { task in
          [task["kind"], task["state"]].compactMap { $0?.string }.joined(separator: " ")
            + (task["planned"]?.string.map { " \($0.dropFirst(11).prefix(5))" } ?? "")
        }
      }
      func enter(_ kind: String, _ value: EventValue) async throws {
        let entry = NoticeTests.entry(kind, of: "p01", value, at: served.clock.now)
        let answer = try await served.send(.post, "/entries", as: "oskar", ["entries": [entry]])
        #expect(answer.json["results"]?.list.first?["status"] == "stored", "\(answer.text)")
      }
      let reading: EventValue = ["concentration": 0.2, "unit": "brac_mg_per_l"]
      _ = try await served.send(
        .put, "/protocol", as: "olga", Self.form(["A", "B"], crossover: true))
      let slot = try await served.makeSlot(places: 2, on: 1)
      let booking = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      _ = try await served.send(.post, "/bookings/\(booking)/check-in?sure=1", as: "oskar")
      #expect(try await told() == ["draw open"])
      let order = try await served.send(.post, "/people/p01/draw", as: "oskar", [:]).json["arms"]
      let dose = try #require(try await tasks().first)
      #expect(dose["kind"] == "dose" && dose["visit"] == 1)
      // 60.5 kg.
      #expect(dose["drink"]?["arm"] == order?.list.first && dose["drink"]?["ethanol_g"] == 36.3)
      #expect(dose["drink"]?["stock_ml"] == 115 && dose["drink"]?["total_ml"] == 500)
      // 8:00, and a reading before the drink that stands for none.
      try await enter("reading", reading)
      try await enter("drink", ["ethanol_g": 36.3])
      #expect(
        try await told() == ["reading open 08:20", "reading open 08:40", "reading open 09:00"])
      let due = { try await served.send(.get, "/people/p01", as: "oskar").json["next_reading_due"] }
      #expect(try await due() == "2026-05-01T08:20:00.000Z")
      served.clock.advance(by: 22 * 60_000)
      #expect(try await told().first == "reading late 08:20")
      served.clock.advance(by: 21 * 60_000)
      try await enter("reading", reading)
      #expect(try await told() == ["reading open 09:00", "reading missed 08:20"])
      #expect(try await due() == "2026-05-01T09:00:00.000Z")
      served.clock.advance(by: 20 * 60_000)
      try await enter("reading", reading)
      #expect(try await told() == ["reading missed 08:20"])
      // After the last, an interval after each.
      #expect(try await due() == "2026-05-01T09:13:00.000Z")
      #expect(try await served.send(.get, "/tasks", as: "p01").status == 403)
      // The next visit is of the other arm, and a protocol may hide it.
      served.clock.advance(by: 40 * 3_600_000)
      try await enter("note", ["text": "second visit"])
      let second = try #require(try await tasks().first)
      #expect(second["visit"] == 2 && second["drink"]?["arm"] == order?.list.last)
      var hidden = Self.form(["A", "B"], crossover: true).members
      hidden["hidden"] = ["doses"]
      _ = try await served.send(.put, "/protocol", as: "olga", .object(hidden))
      #expect(try await tasks().first?["drink"] == nil)
      #expect(try await tasks("ines").first?["drink"]?["arm"] == order?.list.last)
    }
  }

  /// A setting of blinding that another hand changed.
  @Test func auditComparesBlindingWithLog() async throws {
    let day = try TestDay()
    let owner = try await day.token(.owner)
    try await day.serve { client in
      let set = try await client.send(.patch, "/settings", owner, ["behaviour": true])
      #expect(set.json["blind_participants"] == true)
      let open = try await client.send(
        .patch, "/settings", owner, ["behaviour": true, "blind_participants": false])
      #expect(open.json["blind_participants"] == false)
    }
    #expect(try StudyStore.day(day.path, for: .reading).verifyChanges().different == nil)
    try await day.day.store.change { change in
      try change.db.execute(sql: "UPDATE settings SET value = 1 WHERE name = 'blind_participants'")
    }
    let different = try StudyStore.day(day.path, for: .reading).verifyChanges().different
    #expect(different?.name == "blind_participants")
  }
}
