import DayDatabase
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// An instrument that measures 50 times a second, beside people who enter by hand.
@Suite struct HighRateTests {
  /// Breath concentration some minutes after a drink of 40 g, in mg/l.
  private static func breath(_ minute: Double) -> Double { 0.3 - 0.08 * minute / 60 }

  @Test func highRateReadingsAreStoredWholeAndShownThinned() async throws {
    let day = try TestDay()
    try await day.addPerson("ann")
    let token = try await day.token(.operator)
    day.clock.advance(by: 2 * 3_600_000)
    try await day.serve { client in
      _ = try await client.enter(token, entry("drink", of: "ann", ["ethanol_g": 40]))
      let stored = try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask {
          var stored = 0
          for second in 0..<60 {
            let readings = (0..<50).map { index -> EventValue in
              let minute = 60 + (Double(second) + Double(index) / 50) / 60
              return entry("reading", of: "ann", reading(Self.breath(minute)), minute: minute)
            }
            let answer = try await client.send(
              .post, "/entries", token, ["entries": .array(readings)])
            stored += answer.json["results"]?.items.count { $0["status"] == "stored" } ?? 0
          }
          return stored
        }
        for writer in 0..<16 {
          group.addTask {
            var stored = 0
            for number in 0..<20 {
              let note = entry("note", of: "writer \(writer)", ["text": .text("\(number)")])
              stored += try await client.enter(token, note).count { $0["status"] == "stored" }
            }
            return stored
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(stored == 3000 + 16 * 20)
      let person = try await client.send(.get, "/people/ann", token).json
      let shown = person["readings"]?.items ?? []
      #expect((500...1000).contains(shown.count))
      #expect(person["reading_count"] == 3000)
      #expect(shown.last?["at"] == .text(ISOTime.text(TestDay.start + 60 * 60_000 + 59_980)))
      // A correction is never left out.
      let record = try await day.day.store.read { db in
        try EventLog.events(after: 0, limit: .max, subject: "ann", in: db)
      }.first {
        $0.action == "reading.enter"
          && !shown.map { $0["uuid"] }.contains(.text($0.record?.text ?? ""))
      }
      let hidden = try #require(record)
      let corrected = try await client.enter(
        token,
        entry(
          "reading", of: "ann", reading(0.2), action: "correct", record: hidden.record,
          base: hidden.seq, reason: "blown twice",
          at: hidden.measured.map { Double($0 - TestDay.start) / 60_000 }))
      #expect(corrected.first?["status"] == "stored", "\(corrected)")
      let later = try await client.send(.get, "/people/ann", token).json
      #expect(later["readings"]?.items.contains { $0["value"]?["concentration"] == 0.2 } == true)
      #expect(later["reading_count"] == 3000)
      // Nor is one that is taken out, which is counted no more.
      let afresh = try await day.day.store.read { db in
        try EventLog.events(after: 0, limit: .max, subject: "ann", in: db)
      }.last { event in
        event.action == "reading.enter"
          && !(later["readings"]?.items ?? []).contains { $0["uuid"]?.string == event.record?.text }
      }
      let taken = try #require(afresh)
      _ = try await client.enter(
        token,
        entry(
          "reading", of: "ann", nil, action: "void", record: taken.record, base: taken.seq,
          reason: "of somebody else"))
      let last = try await client.send(.get, "/people/ann", token).json
      #expect(last["reading_count"] == 2999)
      #expect(last["readings"]?.items.count { $0["state"] == "void" } == 1)
    }
    #expect(try await day.count("readings") == 2999)
    // Memory has a part of them, whether it was there from the beginning or is new.
    for day in [day, try TestDay(again: day)] {
      let record = try await day.day.store.read { [records = day.day.forecaster.records] db in
        let session = try #require(try Sessions.latest(of: "ann", in: db))
        return try records.record(of: session, in: db)
      }
      #expect((500...1200).contains(record.entries.count), "\(record.entries.count)")
      #expect(record.entries.last?.at == ISOTime.text(TestDay.start + 60 * 60_000 + 59_980))
      let gaps = zip(record.entries, record.entries.dropFirst()).compactMap { one, next in
        ISOTime.milliseconds(one.at).flatMap { start in
          ISOTime.milliseconds(next.at).map { $0 - start }
        }
      }
      #expect(gaps.dropFirst().allSatisfy { $0 <= 500 }, "evenly: \(gaps.max() ?? 0) ms")
      let person = try #require(try await day.day.person("ann"))
      #expect(person.readingCount == 2999)
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }
}
