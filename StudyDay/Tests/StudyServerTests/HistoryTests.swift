import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// A person over sessions.
@Suite struct HistoryTests {
  private let day: TestDay

  init() throws { day = try TestDay() }

  /// Friday, 1 May 2026, 18:00 UTC, and the Monday after it.
  @Test func weeksBeginOnMondayAndAreJudgedBySex() async throws {
    let token = try await day.token(.operator)
    try await day.addPerson("ann", sex: "female")
    try await day.addPerson("bob", sex: "male")
    try await day.serve { client in
      for subject in ["ann", "bob"] {
        for (days, grams) in [(0.0, 300.0), (2.0, 0), (3.5, 100)] {
          day.clock.advance(by: Int64(days * 86_400_000))
          _ = try await client.enter(
            token, entry("drink", of: subject, ["ethanol_g": .number(grams)], minute: days * 1440),
            entry("reading", of: subject, reading(0.2), minute: days * 1440 + 1))
          day.clock.advance(by: -Int64(days * 86_400_000))
        }
        // It counts no more.
        let slip = UUID()
        let first = try await client.enter(
          token, entry("drink", of: subject, ["ethanol_g": 50], minute: 2, id: slip))
        _ = try await client.enter(
          token,
          entry(
            "drink", of: subject, nil, action: "void", record: slip, base: first[0].seq,
            reason: "slip"))
      }
      func weeks(_ subject: String, _ zone: String = "UTC") async throws -> [EventValue] {
        let answer = try await client.send(.get, "/people/\(subject)/history?zone=\(zone)", token)
        return answer.json["weeks"]?.items ?? []
      }
      let annsWeeks = try await weeks("ann")
      #expect(annsWeeks.map { $0["starts"] } == ["2026-05-04", "2026-04-27"])
      #expect(annsWeeks.map { $0["ethanol_g"]?.double } == [100, 300])
      #expect(annsWeeks.map { $0["standard_drinks"]?.double } == [10, 30])
      #expect(annsWeeks.map { $0["risk"] } == ["low", "high"])
      #expect(try await weeks("bob").map { $0["risk"] } == ["low", "increasing"])
      // 18:00 on Monday in UTC is Tuesday in Auckland, and still that week.
      #expect(try await weeks("ann", "Pacific/Auckland").count == 2)
      let sessions = try await client.send(.get, "/people/ann/history", token).json["sessions"]?
        .items
      #expect(sessions?.map { $0["ethanol_g"]?.double } == [100, 0, 300])
      #expect(sessions?.compactMap { $0["highest_g_per_kg"]?.double }.count == 3)
    }
  }

  @Test func vitalSignsAreByDayOfAZone() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      for (value, minute) in [(70.0, 0.0), (90, -20), (140, -24 * 60)] {
        _ = try await client.enter(
          token,
          entry("vital", of: "ann", ["kind": "HeartRate", "value": .number(value)], minute: minute))
      }
      let answer = try await client.send(.get, "/people/ann/history?zone=Europe/Berlin", token).json
      let days = try #require(answer["days"]?.items)
      #expect(days.map { $0["date"] } == ["2026-04-30", "2026-05-01"])
      #expect(days.map { $0["mean"]?.double } == [140, 80])
      #expect(days.map { $0["beyond"] } == [true, false])
      #expect(days[1]["least"]?.double == 70 && days[1]["most"]?.double == 90)
      #expect(answer["kinds"]?.items.map { $0["above"]?.double } == [130])
      #expect(try await client.send(.get, "/people/nobody/history", token).status == 404)
      let annsToken = try await day.token(.participant, "ann")
      let bobsToken = try await day.token(.participant, "bob")
      #expect(try await client.send(.get, "/people/ann/history", annsToken).status == 200)
      #expect(try await client.send(.get, "/people/ann/history", bobsToken).status == 403)
    }
  }

  /// 18:00 on 1 May 2026 in UTC. What was drunk at home is no part of the study: neither of forecasts nor of its tables.
  @Test func ownDrinksStayOutOfTheStudy() async throws {
    let staff = try await day.token(.operator)
    let (ann, bob) = (
      try await day.token(.participant, "ann"), try await day.token(.participant, "bob")
    )
    try await day.addPerson("ann", sex: "female")
    try await day.serve { client in
      func own(_ grams: Double, minute: Double = 0, id: UUID = UUID()) -> EventValue {
        entry(
          "drink", of: "ann", ["ethanol_g": .number(grams), "own": true], minute: minute, id: id)
      }
      func history(_ token: Token) async throws -> EventValue {
        try await client.send(.get, "/people/ann/history?zone=UTC", token).json
      }
      let slip = UUID()
      let stored = try await client.enter(ann, own(20, minute: -60), own(30, id: slip))
      #expect(stored.map { $0["status"] } == ["stored", "stored"], "\(stored)")
      #expect(try await client.enter(bob, own(20))[0]["code"] == "E_DAY_NOT_ALLOWED")
      #expect(try await client.enter(staff, own(20))[0]["status"] == "refused")
      #expect(try await day.count("drinks") == 0)
      let void = entry(
        "drink", of: "ann", nil, action: "void", record: slip, base: stored[1].seq, reason: "slip")
      #expect(try await client.enter(ann, void)[0]["status"] == "stored")
      let person = try await client.send(.get, "/people/ann", staff).json
      #expect(person["drinks"] == [] && person["next_reading_due"] == nil, "\(person)")
      day.clock.advance(by: 3 * 86_400_000)
      let study = UUID()
      let given = try await client.enter(
        staff, entry("drink", of: "ann", ["ethanol_g": 100], minute: 3 * 1440, id: study),
        entry("reading", of: "ann", reading(0.2), minute: 3 * 1440 + 1))
      // It counts there, so that staff have to know.
      let refused = try await client.enter(ann, own(10, minute: 3 * 1440 + 2))
      #expect(refused[0]["problem"]?["code"] == "E_DAY_CLOSED", "\(refused)")
      let staffs = entry(
        "drink", of: "ann", nil, action: "void", record: study, base: given[0].seq, reason: "mine")
      #expect(try await client.enter(ann, staffs)[0]["problem"]?["code"] == "E_DAY_NOT_ALLOWED")
      let shown = try await history(ann)
      #expect(shown["weeks"]?.items.map { $0["ethanol_g"]?.double } == [100, 20])
      #expect(shown["weeks"]?.items.map { $0["own_g"]?.double } == [0, 20])
      #expect(shown["drinking_days"]?.items.map { $0["starts"] } == ["2026-05-04", "2026-05-01"])
      #expect(shown["own_drinks"]?.items.map { $0["value"]?["ethanol_g"] } == [20])
      let session = try #require(shown["sessions"]?.items.first)
      #expect(session["ethanol_g"] == 100 && session["curve"]?["time_min"] == [1])
      #expect(shown["sessions"]?.items.last?["ethanol_g"] == 0)
      // After the session, at home, it is theirs again, and opens nothing.
      day.clock.advance(by: 13 * 3_600_000)
      let home = try await client.enter(ann, own(12, minute: 3 * 1440 + 13 * 60))
      #expect(home[0]["status"] == "stored", "\(home)")
      #expect(try await client.send(.get, "/people/ann", staff).json["drinks"]?.items.count == 1)
      #expect(try await day.count("drinks") == 1)
      // Blinded of doses, people see their own.
      _ = try await client.send(
        .put, "/protocol", try await day.token(.owner),
        [
          "design": "parallel", "arms": [["name": "A", "g_per_kg": 1]], "stock_abv_percent": 40,
          "total_ml": 300, "hidden": ["doses"],
        ])
      _ = try await client.send(
        .patch, "/settings", try await day.token(.investigator), ["blind_participants": true])
      let blind = try await history(ann)
      #expect(blind["weeks"]?.items.map { $0["ethanol_g"]?.double } == [12, 20], "\(blind)")
      #expect(blind["sessions"]?.items.allSatisfy { $0["ethanol_g"] == nil } == true)
      #expect(blind["hidden"] == ["readings", "doses"])
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.different == nil, "\(String(describing: chain.different))")
  }
}
