import Certification

/// Says how fast promille's solver fits beside C with GSL, in interleaved rounds of one run.
@main struct FitRatio {
  private static let count = 200

  static func main() throws {
    let series = try BenchmarkSeries.madeUp(count)
    guard let plain = try CFits(series, followsOnce: false),
      let once = try CFits(series, followsOnce: true)
    else { return print("there is no memory for C") }
    let works = [
      // The share of plain C's speed that is to be reached.
      try BenchmarkWork.fitKernel(
        of: series, isFinished: false,
        reference: .init(name: "plain C", count: count, run: plain.run),
        target: .ratio(0.9)),
      try BenchmarkWork.fitKernel(
        of: series, isFinished: false,
        reference: .init(name: "C that follows a curve once", count: count, run: once.run)),
    ]
    for result in BenchmarkRunner(rounds: 15, shortestSeconds: 0.1).results(of: works) {
      print(
        "\(Int(result.rate)) fits/s, \(result.reference ?? "") \(Int(result.referenceRate ?? 0)),",
        "ratio \(result.ratio ?? 0)", result.isTargetMet.map { "target met: \($0)" } ?? "")
    }
    let means = [works[0].task.run(), plain.run(), once.run()].map { $0 / Double(count) }
    print("mean ln beta: promille \(means[0]), C \(means[1]) and \(means[2])")
  }
}
