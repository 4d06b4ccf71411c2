import Validation

/// Says how fast promille's solver fits beside C with GSL, in interleaved rounds of one run.
@main struct FitRatio {
  /// The share of C's speed that is to be reached.
  private static let target = 0.9

  static func main() throws {
    let series = try BenchmarkSeries.madeUp(200)
    guard let reference = try CFits(series) else { return print("there is no memory for C") }
    let work = try BenchmarkWork.fitKernel(
      of: series,
      reference: .init(name: "c_fit", count: series.count, run: reference.run),
      target: .ratio(target))
    for result in BenchmarkRunner(rounds: 15, shortestSeconds: 0.1).results(of: [work]) {
      print("fits a second: promille \(Int(result.rate)), C \(Int(result.referenceRate ?? 0))")
      print("ratio \(result.ratio ?? 0), to be reached \(target)")
    }
    print("mean ln beta: promille \(work.task.run() / 200), C \(reference.run() / 200)")
  }
}
