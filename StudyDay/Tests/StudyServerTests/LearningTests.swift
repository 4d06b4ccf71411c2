@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
@_spi(StudyDay) import Estimation
import Foundation
import GRDB
import HTTPTypes
@_spi(StudyDay) import Population
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import Synchronization
import TestSupport
import Testing

@testable import StudyServer

/// Forecasts learn from completed sessions of the study.
@Suite struct LearningTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  /// 40 g in 80 kg, with another beta for each.
  private static func evening(_ name: String, beta: Double, until last: Double) -> [EventValue] {
    let readings = stride(from: 40, through: last, by: 20).map { minute in
      let blood = max(0, 40 / (80 * 0.68) - beta * minute / 60)
      return entry(
        "reading", of: name, ["concentration": .number(blood), "unit": "bac_g_per_kg"],
        minute: minute)
    }
    return [entry("drink", of: name, ["ethanol_g": 40, "duration_min": 10])] + readings
  }

  private func enter(_ client: TestClientOfDay, _ entries: [EventValue]) async throws {
    let token = try await day.token(.operator, "operator \(UUID())")
    let answer = try await client.send(.post, "/entries", token, ["entries": .array(entries)])
    #expect(answer.json["results"]?.items.allSatisfy { $0["status"] == "stored" } == true)
  }

  /// Somebody who is measured to 0.1 g/kg and released.
  private func complete(_ client: TestClientOfDay, _ name: String, beta: Double) async throws {
    try await day.addPerson(name)
    try await enter(client, Self.evening(name, beta: beta, until: 280))
    let owner = try await day.token(.owner, "owner \(name)")
    let seq = try await client.send(.get, "/people/\(name)", owner).json["seq"]
    let decision: EventValue = [
      "decision": "released", "advice_seq": seq ?? .null, "signed": true, "reason": "x",
      "token": .text(owner.text),
    ]
    let answer = try await client.send(.post, "/people/\(name)/release", owner, decision)
    #expect(answer.json["state"] == "released", "\(answer.json)")
  }

  private static let betas = [0.155, 0.16, 0.165, 0.17, 0.175]

  @Test func theCardLearnsFromCompletedSessions() async throws {
    day.clock.advance(by: 12 * 3_600_000)
    let viewer = try await day.token(.viewer)
    try await day.serve { client in
      for (number, beta) in Self.betas.enumerated() {
        try await complete(client, "p\(number)", beta: beta)
      }
      // One goes on, and one left before the concentration had fallen.
      try await day.addPerson("running")
      try await enter(client, Self.evening("running", beta: 0.1, until: 280))
      try await day.addPerson("eve")
      try await enter(client, Self.evening("eve", beta: 0.16, until: 100))
      let eve = try await client.send(.get, "/people/eve", viewer).json
      #expect(eve["forecast"]?["learned_from"] == 5, "\(eve)")
      let because = try #require(eve["forecast"]?["because"]?.string)
      #expect(because.contains("learned from 5 people"), "\(because)")
      // The same as the library's, from the same sessions.
      let study = try StudyStore.day(day.path, for: .reading).study()
      let prior = try PopulationPrior(
        PopulationFile(Data(try #require(PopulationPrior.shippedText("fasted")).utf8)))
      let options = Posterior.Options(draws: 400)
      let completed = try study.series.filter { $0.subject.id.hasPrefix("p") }.map {
        try CompletedSeries($0, prior: prior, options: options)
      }
      let own = try #require(study.series.first { $0.subject.id == "eve" })
      let learned = try Forecast(
        Posterior(of: own, prior: prior.learned(from: completed), options: options))
      let draws = try learned.minutesToThreshold(
        0.2, after: own.readings.last.map { ($0.time, GramsPerKilogram($0.value)) })
      let said = try #require(eve["forecast"]?["median"]?.string.flatMap(ISOTime.milliseconds))
      #expect(abs(Double(said - TestDay.start) / 60_000 - draws.median) < 0.01)
      // They are people of the study, of whom nobody learns from himself.
      let first = try await client.send(.get, "/people/p0", viewer).json
      #expect(first["forecast"]?["learned_from"] == nil, "p0 was released before the others")
      let last = try await client.send(.get, "/people/p4", viewer).json
      #expect(last["forecast"]?["learned_from"] == 4)
    }
  }

  /// Sessions are looked at once, and so is each set of them, whoever asks and how often.
  @Test func aSetOfSessionsIsLearnedOnce() async throws {
    day.clock.advance(by: 12 * 3_600_000)
    let viewer = try await day.token(.viewer)
    let forecaster = day.day.forecaster
    try await day.serve { client in
      for (number, beta) in Self.betas.prefix(2).enumerated() {
        try await complete(client, "p\(number)", beta: beta)
      }
      let before = forecaster.learningCount
      for name in ["eve", "joe", "kim"] {
        try await day.addPerson(name)
        try await enter(client, Self.evening(name, beta: 0.16, until: 100))
        for _ in 0..<3 {
          let person = try await client.send(.get, "/people/\(name)", viewer).json
          #expect(person["forecast"]?["learned_from"] == 2)
        }
      }
      #expect(forecaster.learningCount <= before + 3, "a session that was not known, and the set")
      let known = forecaster.learningCount
      _ = try await client.send(.get, "/day", viewer)
      #expect(forecaster.learningCount == known)
    }
  }

  /// A session that goes on after its release is a running one.
  @Test func aSessionThatGoesOnTeachesNobody() async throws {
    day.clock.advance(by: 12 * 3_600_000)
    let viewer = try await day.token(.viewer)
    try await day.serve { client in
      for (number, beta) in Self.betas.prefix(2).enumerated() {
        try await complete(client, "p\(number)", beta: beta)
      }
      try await enter(
        client, [entry("drink", of: "p0", ["ethanol_g": 20, "duration_min": 10], minute: 300)])
      try await day.addPerson("eve")
      try await enter(client, Self.evening("eve", beta: 0.16, until: 100))
      let eve = try await client.send(.get, "/people/eve", viewer).json
      #expect(eve["forecast"]?["learned_from"] == 1, "\(eve)")
      #expect(eve["forecast"]?["because"]?.string?.contains("learned from 1 person") == true)
    }
  }

  private final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func increment() { number.withLock { $0 += 1 } }
  }

  /// Reading somebody's record anew takes as many statements after five sessions that are over as after two.
  @Test func sessionsThatAreOverAreNotReadAgain() async throws {
    day.clock.advance(by: 12 * 3_600_000)
    let records = PersonRecords()
    try await day.serve { client in
      func complete(_ names: [String]) async throws {
        for name in names { try await self.complete(client, name, beta: 0.16) }
      }
      /// The sessions that teach eve after an entry, and the statements that it takes to know.
      func afterAnEntry() async throws -> (taught: Int, statements: Int) {
        try await enter(client, [entry("note", of: "eve", ["text": "x"])])
        let count = Count()
        let record = try await day.day.store.read { db in
          db.trace { _ in count.increment() }
          defer { db.trace(options: []) }
          return try records.latest(of: "eve", in: db)
        }
        return (try #require(record).completed.count, count.value)
      }
      try await day.addPerson("eve")
      try await enter(client, Self.evening("eve", beta: 0.16, until: 100))
      try await complete(["p0", "p1"])
      let new = try await afterAnEntry()
      let known = try await afterAnEntry()
      #expect(new.taught == 2 && known.taught == 2 && known.statements < new.statements)
      try await complete(["p2", "p3", "p4"])
      let more = try await afterAnEntry()
      #expect(more.taught == 5)
      let again = try await afterAnEntry()
      #expect(again.taught == 5 && again.statements == known.statements)
      // One of them goes on.
      try await enter(
        client, [entry("drink", of: "p0", ["ethanol_g": 20, "duration_min": 10], minute: 300)])
      let fewer = try await afterAnEntry()
      #expect(fewer.taught == 4)
      let last = try await afterAnEntry()
      #expect(last.taught == 4 && last.statements == known.statements)
    }
  }
}
