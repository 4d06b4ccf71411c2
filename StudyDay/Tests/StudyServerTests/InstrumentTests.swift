import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
import NIOCore
import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// Calibration checks, and readings of instruments that are overdue or failed.
@Suite struct InstrumentTests {
  private let day: TestDay

  init() throws { day = try TestDay() }

  private static func check(
    _ measured: Double, due: String = "2026-05-08T00:00:00Z", serial: EventValue = "AL-1",
    at minute: Double? = nil
  ) -> EventValue {
    var members: [String: EventValue] = [
      "serial": serial, "standard": 0.35, "measured": .number(measured), "tolerance": 0.02,
      "unit": "brac_mg_per_l", "standard_name": "lot 7", "due": .text(due),
    ]
    members["at"] = minute.map { .text(ISOTime.text(TestDay.start + Int64($0 * 60_000))) }
    return .object(members)
  }

  private static func reading(_ value: Double, by serial: EventValue = "AL-1") -> EventValue {
    ["concentration": .number(value), "unit": "brac_mg_per_l", "instrument": serial]
  }

  /// 0.35 - 0.33 is more than 0.02 to a computer.
  @Test(arguments: [(0.33, true), (0.37, true), (0.35, true), (0.3299, false), (0.371, false)])
  func aCheckPassesWithinItsTolerance(_ measured: Double, _ passes: Bool) async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let made = try await client.send(.post, "/instruments", token, Self.check(measured))
      #expect(made.status == 201 && made.json["passed"] == .bool(passes), "\(made.json)")
      let list = try await client.send(.get, "/instruments", token).json["items"]?.items ?? []
      #expect(list.map { $0["state"] } == [passes ? "ok" : "failed"])
      #expect(list[0]["by"] == "operator" && list[0]["standard_name"] == "lot 7")
    }
  }

  @Test func impossibleChecksAreRefused() async throws {
    let token = try await day.token(.operator)
    let viewer = try await day.token(.viewer)
    try await day.serve { client in
      for bad in [
        Self.check(-0.1), Self.check(0.35, due: "2026-05-01T17:00:00Z"),
        Self.check(0.35, due: "2036-05-01T17:00:00Z"), Self.check(0.35, due: "tomorrow"),
        Self.check(0.35, serial: " AL-1"), Self.check(0.35, serial: ""), [:],
      ] as [EventValue] {
        let answer = try await client.send(.post, "/instruments", token, bad)
        #expect(answer.status == 422, "\(bad)")
      }
      #expect(try await client.send(.post, "/instruments", viewer, Self.check(0.35)).status == 403)
      #expect(try await client.send(.get, "/instruments", viewer).json["items"]?.items == [])
    }
  }

  @Test func aReadingOfAnInstrumentInDoubtSaysSo() async throws {
    let token = try await day.token(.operator)
    try await day.addPerson("ann")
    try await day.serve { client in
      func doubts() async throws -> [String?] {
        let person = try await client.send(.get, "/people/ann", token).json
        return (person["readings"]?.items ?? []).map { $0["instrument_doubt"]?.string }
      }
      func enter(_ minute: Double, by serial: EventValue = "AL-1") async throws {
        let answer = try await client.enter(
          token, entry("reading", of: "ann", Self.reading(0.3, by: serial), minute: minute))
        #expect(answer[0]["status"] == "stored", "\(answer)")
      }
      func check(_ minute: Double, _ measured: Double, due: String) async throws {
        day.clock.advance(by: TestDay.start + Int64(minute * 60_000) - day.clock.now)
        let made = try await client.send(
          .post, "/instruments", token, Self.check(measured, due: due))
        #expect(made.status == 201)
      }
      let checked = "the calibration check of instrument AL-1 was due 2026-05-01"
      try await enter(1)
      try await check(10, 0.35, due: "2026-05-01T18:20:00Z")
      try await enter(11)
      try await check(19, 0.35, due: "2026-05-01T18:30:00Z")
      day.clock.advance(by: 30 * 60_000)
      try await enter(31)
      // What was measured before it was due arrives late.
      try await enter(25)
      #expect(
        try await doubts() == ["instrument AL-1 had no calibration check", nil, nil, checked])
      try await check(50, 0.5, due: "2026-05-08T00:00:00Z")
      try await enter(51)
      try await enter(52, by: "AL-2")
      let failed = "instrument AL-1 failed its calibration check of 2026-05-01"
      let failsNext = "instrument AL-1 failed its next calibration check, of 2026-05-01"
      #expect(
        try await doubts() == [
          "instrument AL-1 had no calibration check", nil, failsNext, failsNext, failed,
          "instrument AL-2 had no calibration check",
        ])
      let report = try await client.send(
        .get, "/reports/2026-05-01", try await day.token(.owner)
      ).json
      let reported = report["people"]?.items.first?["readings"]?.items ?? []
      #expect(reported.filter { $0["instrument_doubt"] != nil }.count == 5)
      // A reading whose instrument nobody names says nothing.
      let plain = try await client.enter(
        token,
        entry("reading", of: "ann", ["concentration": 0.2, "unit": "brac_mg_per_l"], minute: 53))
      #expect(plain[0]["status"] == "stored")
      #expect(try await doubts().last == .some(nil))
    }
    // In the record, and in the data that leaves.
    let events = try StudyStore.day(day.path, for: .reading).changes()
    let said = events.filter { $0.action == "reading.enter" }.map { $0.newValue["doubt"] != nil }
    #expect(said == [true, false, true, false, true, true, false])
    let copy = day.folder("export.sqlite")
    try StudyStore(path: day.path, for: .reading).exportStudy(to: copy)
    let rows = try await DatabaseQueue(path: copy).read { db in
      try Row.fetchAll(
        db, sql: "SELECT instrument, source FROM reading_list ORDER BY time_min"
      ).map { "\($0["instrument"] as String? ?? "-"): \($0["source"] as String? ?? "")" }
    }
    #expect(
      rows == [
        "AL-1: instrument AL-1 had no calibration check", "AL-1: ",
        "AL-1: instrument AL-1 failed its next calibration check, of 2026-05-01",
        "AL-1: instrument AL-1 failed its next calibration check, of 2026-05-01",
        "AL-1: instrument AL-1 failed its calibration check of 2026-05-01",
        "AL-2: instrument AL-2 had no calibration check", "-: ",
      ])
    // `promille export` writes it in each of its forms.
    let sources = try StudyStore(path: copy, for: .reading).study().series[0].sources
    #expect(sources.keys.sorted() == [0, 2, 3, 4, 5])
    #expect(sources[5] == "instrument AL-2 had no calibration check")
    func chain() throws -> ChangeChain {
      try StudyStore.day(day.path, for: .reading).verifyChanges()
    }
    #expect(try chain().broken == nil && chain().different == nil)
    // Who hides it in the table is found out.
    try await DatabaseQueue(path: day.path).write {
      try $0.execute(sql: "UPDATE readings SET source = NULL WHERE source LIKE '%failed%'")
    }
    #expect(try chain().different?.what == "entry")
  }

  @Test func aCheckThatFailsMarksTheReadingsSinceTheLastThatPassed() async throws {
    let token = try await day.token(.operator)
    let owner = try await day.token(.owner)
    try await day.addPerson("ann")
    day.clock.advance(by: 60 * 60_000)
    try await day.serve { client in
      func person() async throws -> EventValue {
        let answer = try await client.send(.get, "/people/ann", token)
        return answer.json
      }
      func doubted() async throws -> [Double] {
        let readings = try await person()["readings"]?.items ?? []
        return readings.filter { $0["instrument_doubt"] != nil }
          .compactMap { $0["value"]?["concentration"]?.double }
      }
      func enter(_ minute: Double, by serial: EventValue = "AL-1") async throws -> UUID {
        let id = UUID()
        let answer = try await client.enter(
          token,
          entry(
            "reading", of: "ann", Self.reading(minute / 100, by: serial), minute: minute, id: id))
        #expect(answer[0]["status"] == "stored", "\(answer)")
        return id
      }
      func check(
        _ minute: Double, _ measured: Double, of serial: EventValue = "AL-1"
      ) async throws {
        let made = try await client.send(
          .post, "/instruments", owner, Self.check(measured, serial: serial, at: minute))
        #expect(made.status == 201, "\(made.json)")
      }
      for minute in [10, 20] as [Double] { try await check(minute, 0.35) }
      try await check(10, 0.35, of: "AL-2")
      for minute in [11, 20, 22] as [Double] { _ = try await enter(minute) }
      _ = try await enter(23, by: "AL-2")
      let voided = try await enter(24)
      let voiding = entry(
        "reading", of: "ann", nil, action: "void", record: voided,
        base: try await person().seq, reason: "spilled")
      #expect(try await client.enter(token, voiding)[0]["status"] == "stored")
      let before = try await person().seq ?? 0
      let version = try await day.day.person("ann")?.readings
        .first { $0.value["concentration"] == 0.22 }?.version
      #expect(try await doubted() == [])
      try await check(30, 0.5)
      #expect(try await doubted() == [0.2, 0.22])
      // Pages that know the earlier state are sent what was marked, as entered by whom it was.
      let marked = try await day.day.person("ann")?.changes(since: before).readings ?? []
      #expect(marked.map(\.by) == ["operator", "operator"])
      #expect(marked.allSatisfy { $0.asEntered == nil })
      // What arrives late is judged in the same way, and who corrects need not have seen the mark.
      for minute in [19, 25, 31] as [Double] { _ = try await enter(minute) }
      #expect(try await doubted() == [0.2, 0.22, 0.25, 0.31])
      let again = try await client.enter(
        token,
        entry(
          "reading", of: "ann", Self.reading(0.23), action: "correct",
          record: UUID(uuidString: marked[1].uuid), base: version, reason: "typo"))
      #expect(again[0]["status"] == "stored", "\(again)")
      #expect(try await doubted() == [0.2, 0.23, 0.25, 0.31])
      // A check that was mistyped is entered again with its time.
      try await check(30, 0.35)
      #expect(try await doubted() == [])
    }
    let store = try StudyStore.day(day.path, for: .reading)
    let chain = try store.verifyChanges()
    #expect(chain.broken == nil && chain.different == nil, "\(chain)")
    let events = try store.changes().filter { $0.action == "reading.doubt" }
    #expect(events.count == 6 && events.allSatisfy { $0.actor == "owner" })
  }

  @Test func aCorrectionKeepsWhatIsSaidOfTheInstrument() async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      let id = UUID()
      let stored = try await client.enter(
        token, entry("reading", of: "ann", Self.reading(0.3), minute: 1, id: id))
      let corrected = try await client.enter(
        token,
        entry(
          "reading", of: "ann", Self.reading(0.31), action: "correct", record: id,
          base: stored[0].seq, reason: "typo"))
      #expect(corrected[0]["status"] == "stored")
      let person = try await client.send(.get, "/people/ann", token).json
      let reading = person["readings"]?.items.first
      #expect(reading?["instrument_doubt"] == "instrument AL-1 had no calibration check")
      // Sent twice it is one, whatever was checked meanwhile.
      _ = try await client.send(.post, "/instruments", token, Self.check(0.35))
      let again = try await client.enter(
        token, entry("reading", of: "ann", Self.reading(0.3), minute: 1, id: id))
      #expect(again[0]["status"] == "duplicate", "\(again)")
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }
}
