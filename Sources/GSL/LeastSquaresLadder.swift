/// Fits parameters by the first of several solvers that converges.
///
/// No method of nonlinear least squares converges from every start, but methods fail at different
/// ones. A ladder tries its rungs one after the other, each from the same start, and takes the
/// first fit that has converged; it then polishes it (``LeastSquaresSolver/polish(_:of:)``).
/// The memory of a rung is allocated when the rung is first needed.
///
/// Where the Jacobian is rank deficient, convergence proves little: the fit may have run onto a flat
/// plain, far from any minimum. So the other rungs are tried then, too, and of the converged fits
/// that of the smallest sum of squares is taken.
///
/// It is used like a ``LeastSquaresSolver``, and like it is not `Sendable`: one per task.
///
/// ```swift
/// let rungs = [LeastSquaresOptions(), LeastSquaresOptions(method: .geodesicAcceleration)]
/// let ladder = try LeastSquaresLadder(residualCount: 25, parameterCount: 2, rungs: rungs)
/// let fit = try ladder.solve(problem, from: [1, 0.1])
/// let method = ladder.rungs[fit.rung].method
/// ```
///
/// With many starts, solve with `finish: false` and complete the best fit with
/// ``finish(_:of:)``.
public final class LeastSquaresLadder {
  /// The number n of residuals of the problems this ladder takes.
  public let residualCount: Int

  /// The number p of parameters of the problems this ladder takes.
  public let parameterCount: Int

  /// How each rung solves, in the order in which they are tried; never empty.
  public let rungs: [LeastSquaresOptions]

  private var solvers: [LeastSquaresSolver]

  /// Creates a ladder for problems of one size.
  ///
  /// - Parameters:
  ///   - residualCount: the number n of residuals, at least p.
  ///   - parameterCount: the number p of parameters, at least 1.
  ///   - rungs: how to solve, the first choice first; at least one.
  /// - Throws: ``GSLError``: `GSL_EINVAL` for n < p, p < 1, no rung, or options that make no sense,
  ///   `GSL_EBADTOL` for an impossible tolerance, `GSL_ENOMEM` without memory.
  public init(
    residualCount: Int,
    parameterCount: Int,
    rungs: [LeastSquaresOptions]
  ) throws(GSLError) {
    guard let first = rungs.first else { throw .invalid("a ladder without rungs") }
    for options in rungs {
      try options.validate()
    }
    self.residualCount = residualCount
    self.parameterCount = parameterCount
    self.rungs = rungs
    solvers = [
      try LeastSquaresSolver(
        residualCount: residualCount, parameterCount: parameterCount, options: first)
    ]
  }

  /// Minimises Σ rᵢ² from a start.
  ///
  /// Iterations and evaluations are counted over all rungs that were tried. If none has converged,
  /// the fit of the smallest sum of squares is the answer.
  ///
  /// - Parameters:
  ///   - problem: of this ladder's size.
  ///   - start: p finite parameters.
  ///   - finish: whether to polish the fit and compute its covariance.
  /// - Returns: the fit; ``LeastSquaresFit/rung`` tells which rung it comes from.
  /// - Throws: ``GSLError``: `GSL_EBADLEN` for a wrong size, `GSL_EINVAL` for a start that
  ///   cannot be used, `GSL_ENOMEM` without memory.
  public func solve(
    _ problem: LeastSquaresProblem,
    from start: [Double],
    finish: Bool = true
  ) throws(GSLError) -> LeastSquaresFit {
    var best = try attempt(problem, from: start, rung: 0)
    var effort = best.fit
    for rung in rungs.indices.dropFirst() {
      // Where the start itself fails, it fails for every rung.
      guard !best.isCertain, !best.fit.rss.isNaN, best.fit.exit != .cancelled else { break }
      let next = try attempt(problem, from: start, rung: rung)
      effort.addEffort(of: next.fit)
      guard next.fit.exit != .cancelled else { return next.fit }
      if next.isBetter(than: best) { best = next }
    }
    var fit = best.fit
    fit.takeEffort(of: effort)
    if finish { try self.finish(&fit, of: problem) }
    return fit
  }

  /// Polishes a fit that was solved with `finish: false`, and computes its covariance.
  ///
  /// - Parameters:
  ///   - fit: a fit of `problem`.
  ///   - problem: of this ladder's size.
  /// - Throws: ``GSLError`` `GSL_EBADLEN` for a wrong size.
  public func finish(
    _ fit: inout LeastSquaresFit,
    of problem: LeastSquaresProblem
  ) throws(GSLError) {
    try solvers[0].polish(&fit, of: problem)
  }

  /// Polishes a point that was found before, and computes its covariance.
  ///
  /// - Parameters:
  ///   - problem: of this ladder's size.
  ///   - parameters: the point, p finite parameters.
  ///   - rss: the sum of squared residuals there.
  ///   - isConverged: whether it is a minimum; any other point only gets its covariance.
  /// - Returns: the point as a fit, with ``LeastSquaresFit/polishingSteps``.
  /// - Throws: ``GSLError``: `GSL_EBADLEN` for a wrong size, `GSL_EINVAL` for a point that is not finite.
  public func finished(
    _ problem: LeastSquaresProblem, at parameters: [Double], rss: Double, isConverged: Bool
  ) throws(GSLError) -> LeastSquaresFit {
    var fit = LeastSquaresFit(
      parameters: parameters, rss: rss, gradientNorm: .nan,
      degreesOfFreedom: residualCount - parameterCount, iterations: 0, residualEvaluations: 0,
      jacobianEvaluations: 0, failedEvaluations: 0, exit: isConverged ? .smallStep : .noProgress)
    try finish(&fit, of: problem)
    return fit
  }

  private func attempt(
    _ problem: LeastSquaresProblem,
    from start: [Double],
    rung: Int
  ) throws(GSLError) -> Attempt {
    if rung == solvers.count {
      solvers.append(
        try LeastSquaresSolver(
          residualCount: residualCount, parameterCount: parameterCount, options: rungs[rung]))
    }
    var fit = try solvers[rung].solve(problem, from: start, covariance: false)
    fit.rung = rung
    return Attempt(fit: fit, isCertain: fit.exit.isConverged && solvers[rung].hasFullRank)
  }
}

extension LeastSquaresLadder {
  /// What one rung has found.
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

extension LeastSquaresFit {
  /// Adds the iterations and evaluations of another fit.
  fileprivate mutating func addEffort(of other: LeastSquaresFit) {
    iterations += other.iterations
    residualEvaluations += other.residualEvaluations
    jacobianEvaluations += other.jacobianEvaluations
    failedEvaluations += other.failedEvaluations
  }

  /// Takes over the iterations and evaluations of another fit.
  fileprivate mutating func takeEffort(of other: LeastSquaresFit) {
    iterations = other.iterations
    residualEvaluations = other.residualEvaluations
    jacobianEvaluations = other.jacobianEvaluations
    failedEvaluations = other.failedEvaluations
  }
}
