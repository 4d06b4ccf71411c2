/// Fits parameters by the first of several solvers that converges.
///
/// No method of nonlinear least squares converges from every start, but methods fail at different
/// ones. A sequence tries its stages one after the other, each from the same start, and takes the
/// first fit that has converged; it then polishes it (``LeastSquaresSolver/polish(_:of:)``).
/// The memory of a stage is allocated when the stage is first needed.
///
/// Where the Jacobian is rank deficient, convergence proves little: the fit may have run onto a flat
/// plain, far from any minimum. So the other stages are tried then, too, and of the converged fits
/// that of the smallest sum of squares is taken.
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

  /// How each stage solves, in the order in which they are tried; never empty.
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
  /// Iterations and evaluations are counted over all stages that were tried. If none has converged,
  /// the fit of the smallest sum of squares is the answer.
  package func solve(
    _ problem: LeastSquaresProblem,
    from start: [Double],
    finish: Bool = true
  ) throws(GSLError) -> LeastSquaresFit {
    var best = try attempt(problem, from: start, stage: 0)
    var tried = [best.fit]
    for stage in stages.indices.dropFirst() {
      // Where the start itself fails, it fails for every stage.
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

  /// Polishes a point that was found before, and computes its covariance.
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
  /// What one stage has found.
  private struct Attempt {
    let fit: LeastSquaresFit

    /// Whether it has converged where the data determine all parameters.
    let isCertain: Bool

    /// Whether to prefer it: a converged fit to another one, and then the smaller sum of squares.
    func isBetter(than other: Attempt) -> Bool {
      guard fit.exit.isConverged == other.fit.exit.isConverged else {
        return fit.exit.isConverged
      }
      return fit.rss < other.fit.rss
    }
  }
}
