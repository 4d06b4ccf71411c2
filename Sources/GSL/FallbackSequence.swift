/// Fits parameters by the first of several solvers that converges.
///
/// No method of nonlinear least squares converges from every start, but methods fail at different
/// ones. A sequence tries its stages in order, each from the same start, until one converges, and polishes that fit
/// (``LeastSquaresSolver/polish(_:of:)``). The memory of a stage is allocated on first use.
///
/// With a rank-deficient Jacobian convergence is not reliable: the fit may be on a plateau, far from any minimum. The other
/// stages are then tried as well, and the converged fit of the smallest sum of squares is returned.
///
/// It is used like a ``LeastSquaresSolver``, and like it is not `Sendable`: one per task.
///
/// ```swift
/// let stages = [LeastSquaresOptions(), LeastSquaresOptions(method: .geodesicAcceleration)]
/// let sequence = try FallbackSequence(residualCount: 25, parameterCount: 2, stages: stages)
/// let fit = try sequence.solve(problem, from: [1, 0.1])
/// let method = sequence.stages[fit.stage].method
/// ```
///
/// With many starts, solve with `finish: false` and complete the best fit with
/// ``finish(_:of:)``.
package final class FallbackSequence {
  /// The number n of residuals of the problems this sequence takes.
  package let residualCount: Int

  /// The number p of parameters of the problems this sequence takes.
  package let parameterCount: Int

  /// The solver options of each stage, in the order in which they are tried; never empty.
  package let stages: [LeastSquaresOptions]

  private var solvers: [LeastSquaresSolver]

  /// Creates a sequence for problems of one size.
  package init(
    residualCount: Int,
    parameterCount: Int,
    stages: [LeastSquaresOptions]
  ) throws(GSLError) {
    guard let first = stages.first else { throw .invalid("a sequence without stages") }
    for options in stages {
      try options.validate()
    }
    self.residualCount = residualCount
    self.parameterCount = parameterCount
    self.stages = stages
    solvers = [
      try LeastSquaresSolver(
        residualCount: residualCount, parameterCount: parameterCount, options: first)
    ]
  }

  /// Minimises Σ rᵢ² from a start.
  ///
  /// Iterations and evaluations are summed over all stages that were tried. If none has converged, the fit of the smallest
  /// sum of squares is returned.
  package func solve(
    _ problem: LeastSquaresProblem,
    from start: [Double],
    finish: Bool = true
  ) throws(GSLError) -> LeastSquaresFit {
    var best = try attempt(problem, from: start, stage: 0)
    var tried = [best.fit]
    for stage in stages.indices.dropFirst() {
      // A start that cannot be evaluated fails for every stage.
      guard !best.isCertain, !best.fit.rss.isNaN, best.fit.exit != .cancelled else { break }
      let next = try attempt(problem, from: start, stage: stage)
      tried.append(next.fit)
      guard next.fit.exit != .cancelled else { return next.fit }
      if next.isBetter(than: best) { best = next }
    }
    var fit = best.fit
    fit.iterations = tried.reduce(0) { $0 + $1.iterations }
    fit.residualEvaluations = tried.reduce(0) { $0 + $1.residualEvaluations }
    fit.jacobianEvaluations = tried.reduce(0) { $0 + $1.jacobianEvaluations }
    fit.failedEvaluations = tried.reduce(0) { $0 + $1.failedEvaluations }
    if finish { try self.finish(&fit, of: problem) }
    return fit
  }

  /// Polishes a fit that was solved with `finish: false`, and computes its covariance.
  package func finish(
    _ fit: inout LeastSquaresFit,
    of problem: LeastSquaresProblem
  ) throws(GSLError) {
    try solvers[0].polish(&fit, of: problem)
  }

  /// Polishes a given point, and computes its covariance.
  package func finished(
    _ problem: LeastSquaresProblem, at parameters: [Double], rss: Double, isConverged: Bool
  ) throws(GSLError) -> LeastSquaresFit {
    var fit = LeastSquaresFit(
      parameters: parameters, rss: rss, degreesOfFreedom: residualCount - parameterCount,
      exit: isConverged ? .smallStep : .noProgress)
    try finish(&fit, of: problem)
    return fit
  }

  private func attempt(
    _ problem: LeastSquaresProblem,
    from start: [Double],
    stage: Int
  ) throws(GSLError) -> Attempt {
    if stage == solvers.count {
      solvers.append(
        try LeastSquaresSolver(
          residualCount: residualCount, parameterCount: parameterCount, options: stages[stage]))
    }
    var fit = try solvers[stage].solve(problem, from: start, covariance: false)
    fit.stage = stage
    return Attempt(fit: fit, isCertain: fit.exit.isConverged && solvers[stage].hasFullRank)
  }
}

extension FallbackSequence {
  /// The fit of one stage.
  private struct Attempt {
    let fit: LeastSquaresFit

    /// True if it has converged with a Jacobian of full rank.
    let isCertain: Bool

    /// Returns true if this fit is better: converged fits come first, then smaller sums of squares.
    func isBetter(than other: Attempt) -> Bool {
      guard fit.exit.isConverged == other.fit.exit.isConverged else {
        return fit.exit.isConverged
      }
      return fit.rss < other.fit.rss
    }
  }
}
