internal import CGSL

/// Fits parameters by nonlinear least squares, with the trust-region solvers of GSL.
///
/// A solver owns the memory for problems of one size and is reused for each fit; a reused solver
/// gives bit-identical results. It is not `Sendable`: use one per task.
///
/// ```swift
/// let solver = try LeastSquaresSolver(residualCount: 25, parameterCount: 2)
/// let fit = try solver.solve(problem, from: [1, 0.1])
/// guard fit.exit.isConverged else { print(fit.exit.rawValue); return }
/// ```
///
/// Source: GSL reference manual, "Nonlinear Least-Squares Fitting" (`gsl_multifit_nlinear`).
package final class LeastSquaresSolver {
  /// The number n of residuals of the problems this solver takes.
  package let residualCount: Int

  /// The number p of parameters of the problems this solver takes.
  package let parameterCount: Int

  /// The method and the stopping criteria.
  package let options: LeastSquaresOptions

  let workspace: UnsafeMutablePointer<gsl_multifit_nlinear_workspace>
  let inverse: JacobianInverse

  // GSL keeps pointers to these two during a solve, so they need an address that stays.
  let system: UnsafeMutablePointer<gsl_multifit_nlinear_fdf>
  private let call: UnsafeMutablePointer<LeastSquaresCall>

  /// Creates a solver for problems of one size.
  package init(
    residualCount: Int,
    parameterCount: Int,
    options: LeastSquaresOptions = LeastSquaresOptions()
  ) throws(GSLError) {
    ErrorHandler.disable()
    try options.validate()
    try Self.checkSize(residualCount, parameterCount)
    var parameters = options.gslParameters
    guard
      let workspace = gsl_multifit_nlinear_alloc(
        cgsl_nlinear_trust(), &parameters, residualCount, parameterCount)
    else { throw .outOfMemory("\(residualCount) residuals, \(parameterCount) parameters") }
    self.residualCount = residualCount
    self.parameterCount = parameterCount
    self.options = options
    self.workspace = workspace
    inverse = JacobianInverse(n: residualCount, p: parameterCount)
    system = .allocate(capacity: 1)
    call = .allocate(capacity: 1)
  }

  deinit {
    gsl_multifit_nlinear_free(workspace)
    system.deallocate()
    call.deallocate()
  }

  /// Minimises Σ rᵢ² from a start.
  ///
  /// Failure to converge, or to evaluate the model, is not thrown but reported in ``LeastSquaresFit/exit``.
  ///
  /// - Throws: ``GSLError`` for a problem or a start that does not fit this solver.
  package func solve(
    _ problem: LeastSquaresProblem, from start: [Double], covariance: Bool = true
  ) throws(GSLError) -> LeastSquaresFit {
    let status = try begin(problem, at: start)
    defer { workspace.pointee.fdf = nil }
    var exit = status == GSL_SUCCESS ? iterate() : Self.exit(after: status)
    let isStalled = exit == .noProgress
    // After a failed evaluation the Jacobian in the workspace is incomplete.
    let needsInverse = isStalled || (covariance && exit != .evaluationFailed)
    let isRegular = needsInverse && inverse.factorise(workspace.pointee.J)
    if isStalled, isRegular, isDecreaseNegligible { exit = .roundingLimit }

    var fit = summary(exit)
    if covariance, needsInverse { attachInverse(to: &fit, isRegular: isRegular) }
    return fit
  }
}

// MARK: - Steps of a solve

extension LeastSquaresSolver {
  /// The fraction of rss below which an expected decrease is rounding (``LeastSquaresExit``).
  static let negligibleGain = 1e-10

  /// Checks the arguments, evaluates the problem at a point, and returns GSL's status.
  func begin(_ problem: LeastSquaresProblem, at start: [Double]) throws(GSLError) -> Int32 {
    try prepare(problem, start)
    let status = start.withUnsafeBufferPointer { start in
      var x = gsl_vector_const_view_array(start.baseAddress, parameterCount).vector
      return gsl_multifit_nlinear_init(&x, system, workspace)
    }
    call.pointee.isUnderWay = status == GSL_SUCCESS
    return status
  }

  /// Checks the arguments and evaluates the problem at a point, without initialising GSL's iteration; false if that fails.
  func beginEvaluating(
    _ problem: LeastSquaresProblem, at start: [Double]
  ) throws(GSLError) -> Bool {
    try prepare(problem, start)
    point?.update(from: start, count: parameterCount)
    call.pointee.isUnderWay = evaluate()
    return call.pointee.isUnderWay
  }

  private func prepare(_ problem: LeastSquaresProblem, _ start: [Double]) throws(GSLError) {
    try check(problem, start)
    call.initialize(to: LeastSquaresCall(problem: problem))
    system.initialize(
      to: gsl_multifit_nlinear_fdf(
        f: evaluateResiduals, df: evaluateJacobian, fvv: nil, n: residualCount, p: parameterCount,
        params: call, nevalf: 0, nevaldf: 0, nevalfvv: 0))
  }

  /// Evaluates residuals and Jacobian at the current point; false if that fails.
  func evaluate() -> Bool {
    let w = workspace.pointee
    system.pointee.nevalf += 1
    guard evaluateResiduals(at: w.x, call: call, into: w.f) == GSL_SUCCESS else { return false }
    system.pointee.nevaldf += 1
    return evaluateJacobian(at: w.x, call: call, into: w.J) == GSL_SUCCESS
  }

  /// Iterates until convergence, failure, cancellation or the iteration limit.
  private func iterate() -> LeastSquaresExit {
    // The convergence test reads the last step. There is none yet, but the workspace still has that of the previous
    // solve, or zero, which would count as convergence at the start.
    gsl_vector_set_all(workspace.pointee.dx, .infinity)
    if let exit = convergence() { return exit }
    for _ in 0..<options.iterationLimit {
      guard !Task.isCancelled else { return .cancelled }
      let status = gsl_multifit_nlinear_iterate(workspace)
      guard status == GSL_SUCCESS else { return Self.exit(after: status) }
      if let exit = convergence() { return exit }
    }
    return .iterationLimit
  }

  /// Returns the exit by GSL's convergence test; nil if it has not converged.
  private func convergence() -> LeastSquaresExit? {
    var criterion: Int32 = 0
    let status = gsl_multifit_nlinear_test(
      options.stepTolerance, options.gradientTolerance, 0, &criterion, workspace)
    guard status == GSL_SUCCESS else { return nil }
    return criterion == 1 ? .smallStep : .smallGradient
  }

  /// True if the expected decrease of the linearised problem is rounding; needs the factorised Jacobian.
  private var isDecreaseNegligible: Bool {
    inverse.quadraticForm(workspace.pointee.g.pointee.data) <= Self.negligibleGain * rss
  }

  /// Returns the exit for a GSL status other than success.
  private static func exit(after status: Int32) -> LeastSquaresExit {
    switch Int(status) {
    case GSL_ENOPROG: .noProgress
    case GSL_EBADFUNC: .evaluationFailed
    default: .linearSolverFailed
    }
  }
}

// MARK: - Results of a solve

extension LeastSquaresSolver {
  /// The sum of squared residuals at the current point.
  var rss: Double {
    UnsafeBufferPointer(start: workspace.pointee.f.pointee.data, count: residualCount)
      .reduce(0) { $0 + $1 * $1 }
  }

  /// The parameters at the current point.
  var point: UnsafeMutablePointer<Double>? { workspace.pointee.x.pointee.data }

  private var parameters: [Double] {
    Array(UnsafeBufferPointer(start: point, count: parameterCount))
  }

  /// The largest element of the gradient at the current point.
  private var gradientNorm: Double {
    UnsafeBufferPointer(start: workspace.pointee.g.pointee.data, count: parameterCount)
      .reduce(0) { max($0, abs($1)) }
  }

  /// Returns the current point as a fit without covariance.
  private func summary(_ exit: LeastSquaresExit) -> LeastSquaresFit {
    let hasStarted = call.pointee.isUnderWay
    return LeastSquaresFit(
      parameters: parameters,
      rss: hasStarted ? rss : .nan,
      gradientNorm: hasStarted ? gradientNorm : .nan,
      degreesOfFreedom: residualCount - parameterCount,
      iterations: workspace.pointee.niter,
      residualEvaluations: system.pointee.nevalf,
      jacobianEvaluations: system.pointee.nevaldf,
      failedEvaluations: call.pointee.failedEvaluations,
      exit: exit)
  }

  /// Updates a converged fit to the current point, which was reached by `steps` polishing steps.
  func update(_ fit: inout LeastSquaresFit, steps: Int) {
    let w = workspace.pointee
    if let f = w.f.pointee.data, let jacobian = w.J.pointee.data, let g = w.g.pointee.data {
      for j in 0..<parameterCount {
        g[j] = (0..<residualCount).reduce(0) { $0 + jacobian[$1 * parameterCount + j] * f[$1] }
      }
    }
    fit.parameters = parameters
    fit.rss = rss
    fit.gradientNorm = gradientNorm
    fit.polishingSteps += steps
    fit.residualEvaluations += system.pointee.nevalf
    fit.jacobianEvaluations += system.pointee.nevaldf
    fit.failedEvaluations += call.pointee.failedEvaluations
  }

  /// True if the Jacobian at the end of the last solve, which must have converged, has full rank.
  var hasFullRank: Bool {
    inverse.factorise(workspace.pointee.J)
  }

  /// Adds covariance and condition number to a fit.
  func attachInverse(to fit: inout LeastSquaresFit, isRegular: Bool) {
    fit.covariance = isRegular ? inverse.values : nil
    fit.reciprocalCondition = inverse.reciprocalCondition
  }
}

// MARK: - Checks

extension LeastSquaresSolver {
  /// Throws if no workspace of this size is possible.
  private static func checkSize(_ n: Int, _ p: Int) throws(GSLError) {
    guard p >= 1 else { throw .invalid("\(p) parameters leave nothing to fit") }
    guard n >= p else { throw .invalid("\(n) residuals cannot determine \(p) parameters") }
    // GSL multiplies sizes without a check for overflow.
    let (elements, overflows) = n.multipliedReportingOverflow(by: p)
    guard !overflows, elements <= Int.max / 64 else {
      throw .outOfMemory("\(n) residuals, \(p) parameters")
    }
  }

  /// Throws if a problem or a start does not fit this solver.
  private func check(_ problem: LeastSquaresProblem, _ start: [Double]) throws(GSLError) {
    guard problem.residualCount == residualCount, problem.parameterCount == parameterCount else {
      throw .badLength(
        "a problem of \(problem.residualCount) residuals and \(problem.parameterCount) parameters"
          + " in a solver for \(residualCount) and \(parameterCount)")
    }
    guard start.count == parameterCount else {
      throw .badLength("a start of \(start.count) values for \(parameterCount) parameters")
    }
    guard start.allSatisfy(\.isFinite) else { throw .invalid("a start that is not finite") }
  }
}
