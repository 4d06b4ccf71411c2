import Estimation

/// Measures works, each beside its reference, in interleaved rounds.
///
/// A machine that slows down for a while slows down both, so that ratios hold where seconds do not.
///
/// ```swift
/// for result in BenchmarkRunner(rounds: 7).results(of: try BenchmarkWork.all()) {
///   print(result.name, result.rate, result.ratio ?? .nan)
/// }
/// ```
public struct BenchmarkRunner: Hashable, Sendable {
  /// How often each work is measured; the median counts.
  public let rounds: Int
  /// For how long a work is done at least, in seconds, each time it is measured.
  public let shortestSeconds: Double

  /// Chooses how to measure; fewer rounds than one are one.
  public init(rounds: Int = 7, shortestSeconds: Double = 0.05) {
    self.rounds = max(1, rounds)
    self.shortestSeconds = shortestSeconds
  }

  /// Measures works on this thread.
  public func results(of works: [BenchmarkWork]) -> [BenchmarkResult] {
    let entries = works.map { work in
      (work, calibrated(work.task), work.reference.map(calibrated))
    }
    var rates = [[Double]](repeating: [], count: works.count)
    var referenceRates = rates
    for _ in 0..<rounds {
      for (index, (_, task, reference)) in entries.enumerated() {
        rates[index].append(task.rate())
        if let reference {
          referenceRates[index].append(reference.rate())
        }
      }
    }
    return works.indices.map { result(of: works[$0], rates[$0], referenceRates[$0]) }
  }

  private func result(
    of work: BenchmarkWork, _ rates: [Double], _ referenceRates: [Double]
  ) -> BenchmarkResult {
    BenchmarkResult(
      name: work.task.name, unit: work.unit, rate: median(rates), reference: work.reference?.name,
      referenceRate: work.reference.map { _ in median(referenceRates) },
      ratio: work.reference.map { _ in median(zip(rates, referenceRates).map { $0 / $1 }) },
      target: work.target)
  }

  private func median(_ rates: [Double]) -> Double {
    Sample(rates)?.median ?? .nan
  }

  /// A task, and how often it is to be done to take long enough.
  private struct Calibrated {
    let task: BenchmarkWork.Task
    var repeats = 1

    func seconds() -> Double {
      var checksum = 0.0
      let seconds = Stopwatch.seconds {
        for _ in 0..<repeats {
          checksum += task.run()
        }
      }
      // A clock that has not moved makes no rate; and the sum must be used.
      return checksum.isNaN ? .infinity : max(seconds, 1e-9)
    }

    /// Units a second.
    func rate() -> Double {
      Double(task.count) * Double(repeats) / seconds()
    }
  }

  /// Doubles the repeats until they take long enough, which warms up caches and memory, too.
  private func calibrated(_ task: BenchmarkWork.Task) -> Calibrated {
    var calibrated = Calibrated(task: task)
    while calibrated.seconds() < shortestSeconds, calibrated.repeats < 1 << 30 {
      calibrated.repeats *= 2
    }
    return calibrated
  }
}

/// How fast a work was.
public struct BenchmarkResult: Codable, Hashable, Sendable {
  /// The work's name.
  public let name: String
  /// What was counted.
  public let unit: String
  /// Units a second, the median over the rounds.
  public let rate: Double
  /// What it was compared with, if anything.
  public private(set) var reference: String?
  /// The same of the reference.
  public private(set) var referenceRate: Double?
  /// The median over the rounds of rate by rate of the reference.
  public private(set) var ratio: Double?
  /// What was to be reached.
  public private(set) var target: BenchmarkTarget?

  /// Whether the target was reached; nil if there is none.
  public var isTargetMet: Bool? {
    switch target {
    case .ratio(let wanted): ratio.map { $0 >= wanted } ?? false
    case .rate(let wanted): rate >= wanted
    case nil: nil
    }
  }
}

/// Measures how long something takes.
enum Stopwatch {
  /// Seconds on a clock that never goes back.
  static func seconds(_ work: () -> Void) -> Double {
    let duration = ContinuousClock().measure(work)
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
