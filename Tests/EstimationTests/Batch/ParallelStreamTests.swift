import AlcoholKinetics
import StudyData
import Synchronization
import Testing

@testable import Estimation

/// Series that are worked on at once come out in order, and only so many are under way.
@Suite struct ParallelStreamTests {
  private struct Enough: Error {}

  private static func study(_ count: Int) -> Study {
    Study(
      name: "",
      series: (0..<count).map { Series(subject: Subject(id: "\($0)"), drinks: [], readings: []) })
  }

  @Test(arguments: [1, 2, 5])
  func resultsKeepTheOrderOfSeries(jobs: Int) throws {
    let ids = Mutex<[String]>([])
    _ = try ParallelStream.map(StudyStream(Self.study(1000)), jobs: jobs) {
    } _: { _, series in
      series.subject.id
    } consume: { id in
      ids.withLock { $0.append(id) }
    }
    #expect(ids.withLock { $0 } == (0..<1000).map(String.init))
  }

  @Test(arguments: [1, 3])
  func streamStopsWhenTheConsumerThrows(jobs: Int) throws {
    let count = Mutex(0)
    let made = Mutex(0)
    #expect(throws: Enough.self) {
      _ = try ParallelStream.map(StudyStream(Self.study(100_000)), jobs: jobs) {
      } _: { _, series in
        made.withLock { $0 += 1 }
        return series.subject.id
      } consume: { _ in
        let isEnough = count.withLock { count in
          count += 1
          return count == 50
        }
        if isEnough { throw Enough() }
      }
    }
    #expect(count.withLock { $0 } == 50)
    // What was under way when it stopped: 8 chunks of 16 for each thread.
    #expect(made.withLock { $0 } <= 50 + 16 + jobs * 8 * 16)
  }

  /// Fewer long series than short ones are under way at once, so that memory does not grow with their length.
  @Test func longSeriesLimitReadAhead() throws {
    var study = Self.study(1000)
    let reading = Reading(time: 0, value: 0, unit: .bloodGramsPerKilogram)
    for index in study.series.indices {
      study.series[index].readings = [Reading](repeating: reading, count: 1000)
    }
    let made = Mutex(0)
    #expect(throws: Enough.self) {
      _ = try ParallelStream.map(StudyStream(study), jobs: 2) {
      } _: { _, series in
        made.withLock { $0 += 1 }
      } consume: { _ in
        throw Enough()
      }
    }
    #expect(made.withLock { $0 } <= 1 + 2 * 8)
  }

  @Test func emptyStudyGivesNoResults() throws {
    let findings = try ParallelStream.map(StudyStream(Self.study(0)), jobs: 4) {
    } _: { _, series in
      series
    } consume: { _ in
      Issue.record("there is nobody")
    }
    #expect(findings.isEmpty)
  }

  /// A cancelled stream begins no further series, and its earlier results are in order.
  @Test(arguments: [1, 3])
  func aCancelledStreamEnds(jobs: Int) async throws {
    let ids = Mutex<[String]>([])
    let made = Mutex(0)
    let running = Mutex<Task<Void, any Error>?>(nil)
    let task = Task {
      _ = try ParallelStream.map(StudyStream(Self.study(100_000)), jobs: jobs) {
      } _: { _, series in
        Self.countUp(made, cancelling: running)
        return series.subject.id
      } consume: { id in
        ids.withLock { $0.append(id) }
      }
    }
    running.withLock { $0 = task }
    await #expect(throws: SeriesFailure.cancelled) { try await task.value }
    let written = ids.withLock { $0 }
    #expect(written == (0..<written.count).map(String.init))
    #expect(made.withLock { $0 } < 200 + jobs)
  }

  @Test(arguments: [1, 3])
  func aCancelledMapEnds(jobs: Int) async throws {
    let made = Mutex(0)
    let running = Mutex<Task<Void, any Error>?>(nil)
    let task = Task {
      _ = try ParallelMap.map(Array(0..<100_000), jobs: jobs) {
      } _: { _, _ in
        Self.countUp(made, cancelling: running)
      }
    }
    running.withLock { $0 = task }
    await #expect(throws: SeriesFailure.cancelled) { try await task.value }
    #expect(made.withLock { $0 } < 200 + jobs)
  }

  /// Counts, and cancels the task at the 200th, which waits until the task is known.
  private static func countUp(
    _ made: borrowing Mutex<Int>, cancelling running: borrowing Mutex<Task<Void, any Error>?>
  ) {
    let count = made.withLock { count in
      count += 1
      return count
    }
    while count >= 200 {
      if let task = running.withLock({ $0 }) {
        task.cancel()
        return
      }
    }
  }
}
