import Dispatch
import Foundation
import Synchronization

/// Runs fits in threads of its own, so that nobody's connection waits: as many at once as there are cores, one at a time
/// of each person, and first those that somebody waits for.
final class FitQueue: Sendable {
  /// Computes something of a person; nil once the second says that it is outdated.
  typealias Fit = @Sendable (_ isOutdated: () -> Bool) -> PersonForecast?
  private typealias Waiter = CheckedContinuation<PersonForecast?, Never>

  private struct Job {
    /// The session that is fitted; nil for a question that nobody else asks.
    var series: Int64?
    /// Number of the last change that it includes.
    var seq: Int64
    var fit: Fit
    var waiters: [UUID: Waiter] = [:]
    var isRunning = false
    var isOutdated = false
  }

  private struct State {
    /// Jobs in order of arrival.
    var jobs: [Int: Job] = [:]
    var running = 0
    var next = 0
  }

  private let state = Mutex(State())
  private let capacity = ProcessInfo.processInfo.activeProcessorCount
  private let threads = DispatchQueue(
    label: "promille.forecast", qos: .userInitiated, attributes: .concurrent)

  /// Enqueues a fit that nobody waits for, unless an equal or newer one of the session is queued.
  func enqueue(_ series: Int64, upTo seq: Int64, _ fit: @escaping Fit) {
    state.withLock { _ = Self.job(of: series, seq, fit, in: &$0) }
    start()
  }

  /// Computes and waits; a newer fit of the session that is already queued answers, too.
  ///
  /// - Throws: `CancellationError` if the waiting task is cancelled; the fit goes on.
  func value(
    of series: Int64? = nil, upTo seq: Int64 = 0, _ fit: @escaping Fit
  ) async throws -> PersonForecast {
    let name = UUID()
    let forecast = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter) in
        let isLate = state.withLock { state in
          guard !Task.isCancelled else { return true }
          let job = Self.job(of: series, seq, fit, in: &state)
          state.jobs[job]?.waiters[name] = waiter
          return false
        }
        if isLate { waiter.resume(returning: nil) } else { start() }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        for job in state.jobs.keys {
          if let waiter = state.jobs[job]?.waiters.removeValue(forKey: name) {
            // A question is dropped once nobody waits for its answer.
            if let question = state.jobs[job], question.series == nil, !question.isRunning {
              state.jobs[job] = nil
            }
            return waiter
          }
        }
        return nil
      }
      waiter?.resume(returning: nil)
    }
    guard let forecast else { throw CancellationError() }
    return forecast
  }

  /// Returns a queued job that answers, or adds one that supersedes older jobs of the session.
  private static func job(
    of series: Int64?, _ seq: Int64, _ fit: @escaping Fit, in state: inout State
  ) -> Int {
    let sameSession = series.map { series in
      state.jobs.keys.filter { state.jobs[$0]?.series == series }
    }
    let current = sameSession?.first {
      state.jobs[$0].map { $0.seq >= seq && !$0.isOutdated } ?? false
    }
    if let current { return current }
    var job = Job(series: series, seq: seq, fit: fit)
    for old in sameSession ?? [] {
      guard let previous = state.jobs[old] else { continue }
      if previous.isRunning {
        // Letting it finish serves its waiters soonest, however often something changes.
        state.jobs[old]?.isOutdated = previous.waiters.isEmpty
      } else {
        job.waiters.merge(previous.waiters) { $1 }
        state.jobs[old] = nil
      }
    }
    state.next += 1
    state.jobs[state.next] = job
    return state.next
  }

  /// Starts jobs up to the capacity.
  private func start() {
    while let (key, fit) = state.withLock({ next(in: &$0) }) {
      threads.async { [self] in
        let forecast = fit { state.withLock { $0.jobs[key]?.isOutdated ?? true } }
        let job = state.withLock { state in
          state.running -= 1
          return state.jobs.removeValue(forKey: key)
        }
        for waiter in (job?.waiters ?? [:]).values { waiter.resume(returning: forecast) }
        start()
      }
    }
  }

  /// Takes the next job: the oldest that somebody waits for, or else the oldest.
  private func next(in state: inout State) -> (key: Int, fit: Fit)? {
    guard state.running < capacity else { return nil }
    let busy = Set(state.jobs.values.compactMap { $0.isRunning ? $0.series : nil })
    let ready = state.jobs.filter { _, job in
      !job.isRunning && !(job.series.map(busy.contains) ?? false)
    }
    let key = ready.filter { !$0.value.waiters.isEmpty }.keys.min() ?? ready.keys.min()
    guard let key, let job = state.jobs[key] else { return nil }
    state.jobs[key]?.isRunning = true
    state.running += 1
    return (key, job.fit)
  }
}

/// Cache that evicts the least recently used values beyond its limit.
struct RecentlyUsed<Key: Hashable, Value> {
  private var values: [Key: (value: Value, used: Int)] = [:]
  private var uses = 0
  private(set) var limit: Int

  init(limit: Int) { self.limit = limit }

  /// Raises the limit for a loop over more values, which would else evict each before its next use.
  mutating func makeRoom(for count: Int) { limit = max(limit, 2 * count) }

  subscript(key: Key) -> Value? {
    mutating get {
      uses += 1
      values[key]?.used = uses
      return values[key]?.value
    }
    set {
      uses += 1
      values[key] = newValue.map { ($0, uses) }
      guard values.count > limit else { return }
      // Evicts a quarter at once to amortise the sort.
      let oldest = values.sorted { $0.value.used < $1.value.used }.prefix(max(1, values.count / 4))
      for (key, _) in oldest { values[key] = nil }
    }
  }
}
