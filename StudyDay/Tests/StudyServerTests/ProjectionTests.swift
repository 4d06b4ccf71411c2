@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
@_spi(StudyDay) import Estimation
import Foundation
import GRDB
import HTTPTypes
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// The database of a day is a study: commands see what is current, and nothing else.
@Suite struct ProjectionTests {
  /// An entry that a test knows the truth of.
  private struct Known {
    var id: UUID
    var kind: String
    var subject: String
    var minute: Double
    var value: Double
    var base: Int64
    var state = "current"
  }

  /// After any sequence of entries, corrections, voids and conflicts, the study in the database equals that of a folder
  /// with the current values.
  @Test(arguments: 1...6)
  func studyOfDayEqualsStudyOfFolder(_ seed: UInt64) async throws {
    let day = try TestDay()
    day.clock.advance(by: 20 * 3_600_000)
    for name in ["ann", "bob"] { try await day.addPerson(name, weight: 70) }
    let token = try await day.token(.operator)
    try await day.serve { client in
      var random = SeededGenerator(seed: seed)
      var records: [Known] = []
      // The first entry of each begins the session.
      for name in ["ann", "bob"] {
        records.append(try await Self.add(client, token, "drink", name, 0, 40))
      }
      for _ in 0..<60 {
        let index = Int.random(in: 0..<records.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where records[index].state == "current" && records[index].minute > 0:
          records[index] = try await Self.change(client, token, records[index], "void", &random)
        case 1 where records[index].state == "current":
          records[index] = try await Self.change(client, token, records[index], "correct", &random)
        case 2 where records[index].state == "current" && records[index].minute > 0:
          let stale = records[index]
          _ = try await Self.change(client, token, stale, "correct", &random)
          records[index] = try await Self.change(client, token, stale, "correct", &random)
          records[index].state = "conflict"
        default:
          let minute = Double(Int.random(in: 1...6000, using: &random)) / 10
          let isDrink = minute < 60 && Bool.random(using: &random)
          records.append(
            try await Self.add(
              client, token, isDrink ? "drink" : "reading",
              ["ann", "bob"].randomElement(using: &random) ?? "ann",
              minute, Double(Int.random(in: 1...400, using: &random)) / (isDrink ? 10 : 1000)))
        }
      }
      let folder = try Self.folder(of: records)
      let stored = try StudyStore.day(day.path, for: .reading).study()
      let read = try StudyReader.read(folder.path)
      #expect(stored.series.map(\.subject.id) == read.series.map(\.subject.id))
      for (one, other) in zip(stored.series, read.series) {
        #expect(one.drinks == other.drinks)
        #expect(one.readings == other.readings)
        #expect(one.firstError == nil && other.firstError == nil)
      }
      let fits = [stored, read].map { study in
        study.series.map {
          try? SeriesFitter(options: FitOptions(interval: nil)).fit($0, instrument: nil).values
        }
      }
      #expect(fits[0] == fits[1])
    }
  }

  private static func add(
    _ client: TestClientOfDay, _ token: Token, _ kind: String, _ subject: String, _ minute: Double,
    _ value: Double
  ) async throws -> Known {
    let id = UUID()
    let result = try await client.enter(
      token, entry(kind, of: subject, json(kind, value), minute: minute, id: id))
    return Known(
      id: id, kind: kind, subject: subject, minute: minute, value: value,
      base: try #require(result[0].seq))
  }

  private static func change(
    _ client: TestClientOfDay, _ token: Token, _ records: Known, _ action: String,
    _ random: inout SeededGenerator
  ) async throws -> Known {
    var changed = records
    changed.value = records.value * Double(Int.random(in: 50...150, using: &random)) / 101
    let result = try await client.enter(
      token,
      entry(
        records.kind, of: records.subject,
        action == "void" ? nil : json(records.kind, changed.value),
        minute: 1,
        action: action, record: records.id, base: records.base, reason: "test"))
    changed.base = try #require(result[0].seq, "\(result)")
    if action == "void" { changed.state = "void" }
    return changed
  }

  private static func json(_ kind: String, _ value: Double) -> EventValue {
    kind == "drink" ? ["ethanol_g": .number(value), "duration_min": 5] : reading(value)
  }

  private static func folder(of records: [Known]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("subject,sex,weight_kg\nann,male,70\nbob,male,70\n", to: "subjects.csv")
    let current = records.filter { $0.state == "current" }.sorted {
      ($0.minute, $0.value) < ($1.minute, $1.value)
    }
    func rows(_ kind: String, _ row: (Known) -> String) -> String {
      current.filter { $0.kind == kind }.map { row($0) + "\n" }.joined()
    }
    try folder.write(
      "subject,occasion,time_min,duration_min,ethanol_g\n"
        + rows("drink") { "\($0.subject),2026-05-01,\($0.minute),5,\($0.value)" }, to: "drinks.csv")
    try folder.write(
      "subject,occasion,time_min,brac_mg_per_l\n"
        + rows("reading") { "\($0.subject),2026-05-01,\($0.minute),\($0.value)" },
      to: "readings.csv")
    return folder
  }

  @Test func vitalSignsAreWhereHealthDataLooks() async throws {
    let day = try TestDay()
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let value: EventValue = [
        "kind": "BodyTemperature", "value": 98.6, "unit": "degF", "importance": 4,
      ]
      let base = try await client.enter(token, entry("vital", of: "ann", value, id: id))[0].seq
      let stored = try await day.day.store.read {
        try Double.fetchOne($0, sql: "SELECT value FROM vitals")
      }
      #expect(abs(try #require(stored) - 37) < 1e-9)
      _ = try await client.enter(
        token,
        entry("vital", of: "ann", nil, action: "void", record: id, base: base, reason: "test"))
      #expect(try await day.count("vitals") == 0)
    }
  }
}
