import Estimation

/// Measures tasks and their references in interleaved rounds.
///
/// A temporary slowdown of the machine affects both, so that ratios are more reproducible than times.
package struct BenchmarkRunner: Hashable, Sendable {
  /// The number of rounds; the median counts.
  package let rounds: Int
  /// The shortest duration of a measurement, in seconds.
  package let shortestSeconds: Double

  package init(rounds: Int = 7, shortestSeconds: Double = 0.05) {
    self.rounds = max(1, rounds)
    self.shortestSeconds = shortestSeconds
  }

  package func results(of works: [BenchmarkWork]) -> [BenchmarkResult] {
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

  /// A task, with the repeats that make a measurement long enough.
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
      // A clock that has not advanced gives no rate. Using the checksum keeps the work from being optimised away.
      return checksum.isNaN ? .infinity : max(seconds, 1e-9)
    }

    /// Units a second.
    func rate() -> Double {
      Double(task.count) * Double(repeats) / seconds()
    }
  }

  /// Doubles the repeats until a measurement is long enough, which also warms up caches and memory.
  private func calibrated(_ task: BenchmarkWork.Task) -> Calibrated {
    var calibrated = Calibrated(task: task)
    while calibrated.seconds() < shortestSeconds, calibrated.repeats < 1 << 30 {
      calibrated.repeats *= 2
    }
    return calibrated
  }
}

/// The measured speed of a task.
package struct BenchmarkResult: Codable, Hashable, Sendable {
  package let name: String
  package let unit: String
  package let rate: Double
  package private(set) var reference: String?
  package private(set) var referenceRate: Double?
  /// The median ratio over the rounds of the rate to that of the reference.
  package private(set) var ratio: Double?
  package private(set) var target: BenchmarkTarget?

  /// Whether the target was reached; nil if there is none.
  package var isTargetMet: Bool? {
    switch target {
    case .ratio(let target): ratio.map { $0 >= target } ?? false
    case .rate(let target): rate >= target
    case nil: nil
    }
  }
}

enum Stopwatch {
  /// Seconds on a clock that never goes back.
  static func seconds(_ work: () -> Void) -> Double {
    let duration = ContinuousClock().measure(work)
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
