import AlcoholKinetics
import Benchmark
import CReference
import Certification

/// What `promille bench` measures, and the same in C, for whoever works on the engine.
///
/// Throughput is in curves, or what else a work counts, scaled by the count of one run.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], maxDuration: .seconds(2),
    maxIterations: 1_000_000)

  var seen: Set<String> = []
  for work in (try? BenchmarkWork.all()) ?? [] {
    for task in [work.task, work.reference].compactMap(\.self) {
      guard seen.insert(task.name).inserted else { continue }
      Benchmark("promille/\(task.name) (\(task.count) \(work.unit))") { _ in
        blackHole(task.run())
      }
    }
  }
  for reference in CWork.all {
    Benchmark("C/\(reference.name) (\(reference.count) minutes)") { _ in
      reference.run()
    }
  }
}
