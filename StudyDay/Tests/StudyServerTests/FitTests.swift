import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import Synchronization
import Testing

@testable import StudyServer

/// Fits of many people.
@Suite struct FitTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  /// So many people with a weight and, in a session of today, what is entered of each.
  private func fill(
    _ count: Int, _ entries: @Sendable (String) -> [EventValue]
  ) async throws -> Token {
    let token = try await day.token(.operator)
    try await day.day.store.change { change in
      for number in 1...count {
        let id = try Sessions.subject("p\(number)", in: change.db)
        try change.db.execute(
          sql: "UPDATE subjects SET sex = 'male', weight_kg = ? WHERE id = ?",
          arguments: [60 + number % 40, id])
      }
    }
    day.clock.advance(by: 3 * 3_600_000)
    let all = (1...count).flatMap { entries("p\($0)") }
    try await day.serve { client in
      for start in stride(from: 0, to: all.count, by: 500) {
        let part = EventValue.array(Array(all[start..<min(start + 500, all.count)]))
        let answer = try await client.send(.post, "/entries", token, ["entries": part])
        #expect(answer.status == 200, "\(answer.json)")
      }
    }
    return token
  }

  @Test func theLeastRecentlyUsedAreForgotten() {
    var cache = RecentlyUsed<Int, Int>(limit: 8)
    for number in 0..<8 { cache[number] = number }
    for number in [0, 1] { #expect(cache[number] == number) }
    cache[8] = 8
    #expect((0...8).map { cache[$0] } == [0, 1, nil, nil, 4, 5, 6, 7, 8])
    cache.makeRoom(for: 100)
    for number in 0..<200 { cache[number] = number }
    #expect((0..<200).allSatisfy { cache[$0] == $0 })
  }

  /// More people than caches used to hold.
  @Test func everybodyIsFittedOnce() async throws {
    _ = try await fill(600) { [entry("note", of: $0, ["text": "x"])] }
    for _ in 0..<3 {
      let people = try await day.day.people(within: nil) { try Sessions.running(since: 0, in: $0) }
      #expect(people.count == 600 && people.allSatisfy { $0.pending == nil })
    }
    #expect(day.day.forecaster.fitCount == 600)
  }

  @Test func aDayOfManyIsShownAtOnceAndFillsIn() async throws {
    let token = try await fill(500) { subject in
      [
        entry("drink", of: subject, ["ethanol_g": 40]),
        entry("reading", of: subject, reading(0.3), minute: 40),
        entry("reading", of: subject, reading(0.25), minute: 80),
        entry("reading", of: subject, reading(0.2), minute: 120),
      ]
    }
    let again = try TestDay(again: day)
    try await again.serve { client in
      let first = try await client.send(.get, "/day", token)
      #expect(first.status == 200 && first.json["people"]?.items.count == 500)
      let pending = first.json["people"]?.items.count { $0["pending"] == true } ?? 0
      #expect(pending > 250, "\(pending) of 500 pending")
      let shown = first.json["people"]?.items.first { $0["pending"] == true }
      #expect(shown?["readings"]?.items.count == 3 && shown?["forecast"] == nil)
      // Who is looked at comes before all the others.
      let onePerson = try await client.send(.get, "/people/p499", token)
      #expect(
        onePerson.json["forecast"] != nil && onePerson.json["pending"] == nil, "\(onePerson.json)")
      #expect(again.day.forecaster.fitCount < 400)
    }
  }

  private final class Log: Sendable {
    let lines = Mutex<[String]>([])
    func append(_ line: String) { lines.withLock { $0.append(line) } }
  }

  /// One at a time of a person, first those who are waited for, and nothing that is outdated.
  @Test func fitQueueRunsWaitedFitsFirst() async throws {
    let queue = FitQueue()
    let log = Log()
    let gate = DispatchSemaphore(value: 0)
    let started = DispatchSemaphore(value: 0)
    let cores = Int64(ProcessInfo.processInfo.activeProcessorCount)
    for series in 0..<cores {
      queue.enqueue(series, upTo: 1) { isOutdated in
        started.signal()
        gate.wait()
        log.append(series == 0 && isOutdated() ? "outdated" : "ready")
        return isOutdated() ? nil : PersonForecast()
      }
    }
    for _ in 0..<cores { started.wait() }
    queue.enqueue(1000, upTo: 1) { _ in
      log.append("background")
      return PersonForecast()
    }
    queue.enqueue(0, upTo: 2) { _ in
      log.append("never: newer")
      return PersonForecast()
    }
    async let waited = queue.value(of: 0, upTo: 3) { _ in
      log.append("waited")
      return PersonForecast(because: "newest")
    }
    async let joined = queue.value(of: 0, upTo: 2) { _ in
      log.append("never: older")
      return PersonForecast()
    }
    let late = Task { try await queue.value(of: 1000, upTo: 1) { _ in PersonForecast() } }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    try await Task.sleep(for: .milliseconds(100))
    for _ in 0..<cores { gate.signal() }
    #expect(try await waited.because == "newest")
    #expect(try await joined.because == "newest")
    while log.lines.withLock({ $0.count }) < Int(cores) + 2 {
      try await Task.sleep(for: .milliseconds(5))
    }
    let lines = log.lines.withLock { $0 }
    #expect(lines.filter { $0 == "outdated" }.count == 1, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("never") }, "\(lines)")
  }
}
