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
    /// Up to which change.
    var seq: Int64
    var fit: Fit
    var waiters: [UUID: Waiter] = [:]
    var isRunning = false
    var isOutdated = false
  }

  private struct State {
    /// By when they came.
    var jobs: [Int: Job] = [:]
    var running = 0
    var next = 0
  }

  private let state = Mutex(State())
  private let most = ProcessInfo.processInfo.activeProcessorCount
  private let threads = DispatchQueue(
    label: "promille.forecast", qos: .userInitiated, attributes: .concurrent)

  /// Computes what nobody waits for, unless that or something newer of the session is under way.
  func ask(_ series: Int64, upTo seq: Int64, _ fit: @escaping Fit) {
    state.withLock { _ = Self.job(of: series, seq, fit, in: &$0) }
    start()
  }

  /// Computes and waits. Something newer of the session, if that is under way, answers, too.
  ///
  /// - Throws: `CancellationError` if who waits is cancelled; the fit goes on.
  func value(
    of series: Int64? = nil, upTo seq: Int64 = 0, _ fit: @escaping Fit
  ) async throws -> PersonForecast {
    let name = UUID()
    let outlook = await withTaskCancellationHandler {
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
            // A question without anybody who waits for the answer is none.
            if let known = state.jobs[job], known.series == nil, !known.isRunning {
              state.jobs[job] = nil
            }
            return waiter
          }
        }
        return nil
      }
      waiter?.resume(returning: nil)
    }
    guard let outlook else { throw CancellationError() }
    return outlook
  }

  /// The job that answers: one that is there, or a new one, by which older ones of the session are outdated.
  private static func job(
    of series: Int64?, _ seq: Int64, _ fit: @escaping Fit, in state: inout State
  ) -> Int {
    let own = series.map { series in state.jobs.keys.filter { state.jobs[$0]?.series == series } }
    let known = own?.first { state.jobs[$0].map { $0.seq >= seq && !$0.isOutdated } ?? false }
    if let known { return known }
    var job = Job(series: series, seq: seq, fit: fit)
    for old in own ?? [] {
      guard let known = state.jobs[old] else { continue }
      if known.isRunning {
        // Who waits for it already has it soonest that way, however often something changes.
        state.jobs[old]?.isOutdated = known.waiters.isEmpty
      } else {
        job.waiters.merge(known.waiters) { $1 }
        state.jobs[old] = nil
      }
    }
    state.next += 1
    state.jobs[state.next] = job
    return state.next
  }

  /// Starts what can be started.
  private func start() {
    while let (key, fit) = state.withLock({ next(in: &$0) }) {
      threads.async { [self] in
        let outlook = fit { state.withLock { $0.jobs[key]?.isOutdated ?? true } }
        let job = state.withLock { state in
          state.running -= 1
          return state.jobs.removeValue(forKey: key)
        }
        for waiter in (job?.waiters ?? [:]).values { waiter.resume(returning: outlook) }
        start()
      }
    }
  }

  /// Takes the job that is next: the first that somebody waits for, or else the first.
  private func next(in state: inout State) -> (key: Int, fit: Fit)? {
    guard state.running < most else { return nil }
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

/// Values by key, of which the least recently used are forgotten when there are more than the limit.
struct RecentlyUsed<Key: Hashable, Value> {
  private var values: [Key: (value: Value, used: Int)] = [:]
  private var uses = 0
  private(set) var limit: Int

  init(limit: Int) { self.limit = limit }

  /// Never keeps fewer than are looked at in one go, which would forget each before it is looked at again.
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
      // A quarter at once, so that it is not sorted each time.
      let oldest = values.sorted { $0.value.used < $1.value.used }.prefix(max(1, values.count / 4))
      for (key, _) in oldest { values[key] = nil }
    }
  }
}
