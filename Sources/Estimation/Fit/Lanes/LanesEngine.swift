import AlcoholKinetics

/// Minima found eight at a time, and finished and judged by GSL.
///
/// Lanes are parameter vectors on the same series: starts of a search, ends of profiles, replicates of a
/// bootstrap. What they find is where GSL begins, so that what is reported is GSL's. A sum of squares
/// that cannot be evaluated in lanes is left to GSL, and so is a descent that does not arrive.
package final class LanesEngine: LeastSquaresEngine {
  private let judge: GSLEngine
  private var descents: [Int: LaneDescent] = [:]

  /// Prepares to descend.
  package init(judge: GSLEngine = GSLEngine()) {
    self.judge = judge
  }

  package func minimum(
    of problem: any SumOfSquares, from start: [Double], holding held: CoordinateSet, reach: Reach
  ) throws(SeriesFailure) -> Minimum {
    try judge.minimum(of: problem, from: start, holding: held, reach: reach)
  }

  package func minima(
    of problem: any SumOfSquares, _ requests: [DescentRequest], reach: Reach
  ) throws(SeriesFailure) -> [Minimum] {
    guard let laned = problem as? any LanedSumOfSquares, laned.hasLanes, !requests.isEmpty else {
      return try judge.minima(of: problem, requests, reach: reach)
    }
    let clamped = requests.map {
      DescentRequest(start: problem.clamped($0.start), held: $0.held)
    }
    var minima = try descent(of: laned).minima(of: laned, clamped, reach: reach)
    for index in minima.indices where !minima[index].exit.isConverged {
      let request = requests[index]
      minima[index] = try judge.minimum(
        of: problem, from: request.start, holding: request.held, reach: reach)
    }
    return minima
  }

  package func minima(
    of problem: any LanedSumOfSquares, each requests: [DescentRequest], reach: Reach
  ) throws(SeriesFailure) -> [Minimum]? {
    guard problem.hasLanes else { return nil }
    return try descent(of: problem).minima(of: problem, requests, reach: reach)
  }

  private func descent(of problem: any LanedSumOfSquares) -> LaneDescent {
    let count = problem.lowest.count
    let descent = descents[count] ?? LaneDescent(count)
    descents[count] = descent
    return descent
  }

  package func finish(
    _ minimum: Minimum, of problem: any SumOfSquares
  ) throws(SeriesFailure) -> Minimum {
    try judge.finish(minimum, of: problem)
  }
}
