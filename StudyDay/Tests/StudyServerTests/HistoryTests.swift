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
}
