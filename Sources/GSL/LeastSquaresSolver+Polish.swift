internal import CGSL

extension LeastSquaresSolver {
  /// Polishing ends where a Gauss-Newton step would change no parameter by more than this
  /// fraction: certified values rarely have more digits.
  private static let negligibleStep = 1e-11

  /// A Gauss-Newton step must shrink to this part of the one before, or it leads nowhere.
  private static let shrinkage = 0.9

  /// A sum of squares may grow by this part of itself, which is rounding: that of Lanczos2, whose
  /// residuals are a millionth of its responses, is off by 2e-10.
  private static let negligibleRise = 1e-9

  /// Polishing ends after this many steps; on the NIST problems three are the most.
  private static let polishingLimit = 20

  /// Gives a converged fit its last digits, and its covariance.
  ///
  /// Near the minimum the sum of squares is flat: it cannot tell parameters apart that agree in the
  /// first eight digits or so, and there ``solve(_:from:covariance:)``
  /// ends. The gradient still can. So this takes plain Gauss-Newton steps by QR factorisation, each
  /// of which must be shorter than the one before, until they are negligible or rounding stops
  /// them. They cost one evaluation of residuals and Jacobian each, and two of them usually do.
  /// Where the residuals are large such steps shrink slowly, so from the second one on they are
  /// extrapolated (Anderson, J. ACM 12 (1965) 547-560, with a memory of one step).
  ///
  /// On the NIST problems the digits of the parameters rise from 6.3 to 10.3 in the worst case, and
  /// from 9.1 to 10.7 in the mean. The sum of squares may grow by rounding, at most by 1e-9 of
  /// itself. A fit that has not converged only gets its covariance, and so does one
  /// whose Jacobian is rank deficient.
  ///
  /// - Parameters:
  ///   - fit: a fit of `problem`.
  ///   - problem: of this solver's size.
  /// - Throws: ``GSLError`` `GSL_EBADLEN` for a wrong size.
  public func polish(
    _ fit: inout LeastSquaresFit,
    of problem: LeastSquaresProblem
  ) throws(GSLError) {
    let status = try begin(problem, at: fit.parameters)
    defer { workspace.pointee.fdf = nil }
    guard status == GSL_SUCCESS else { return }
    let isRegular = inverse.factorise(workspace.pointee.J)
    if isRegular, fit.exit.isConverged {
      let (steps, isSettled) = takeGaussNewtonSteps()
      adoptPoint(by: &fit, steps: steps)
      fit.isUnsettled = !isSettled
    }
    if isRegular { inverse.invert() }
    attachInverse(to: &fit, isRegular: isRegular)
  }

  /// Steps from the present point, whose Jacobian is factorised, as long as that helps; how often, and whether
  /// the next step is within the solver's step tolerance. The Jacobian of the point where it ends is factorised,
  /// too.
  private func takeGaussNewtonSteps() -> (count: Int, isSettled: Bool) {
    var step = gaussNewtonStep()
    var move = step
    var count = 0
    while count < Self.polishingLimit, !isWithin(Self.negligibleStep, step) {
      let start = point
      let limit = (1 + Self.negligibleRise) * rss
      moveTo { start[$0] + move[$0] }
      guard evaluate(), rss <= limit, inverse.factorise(workspace.pointee.J) else {
        goBack(to: start)
        break
      }
      let next = gaussNewtonStep()
      let length = inverse.scaledProduct(step, step)
      guard inverse.scaledProduct(next, next) <= Self.shrinkage * Self.shrinkage * length else {
        goBack(to: start)
        break
      }
      move = extrapolated(next, after: step, move)
      step = next
      count += 1
    }
    return (count, isWithin(options.stepTolerance, step))
  }

  /// The Gauss-Newton step from the present point.
  private func gaussNewtonStep() -> [Double] {
    let step = inverse.gaussNewtonStep(workspace.pointee.f)
    return Array(UnsafeBufferPointer(start: step, count: parameterCount))
  }

  /// Where steps that shrink as the last two did would lead, as a move from the present point.
  private func extrapolated(
    _ step: [Double], after previous: [Double], _ move: [Double]
  ) -> [Double] {
    let change = zip(step, previous).map { $0 - $1 }
    let factor = inverse.scaledProduct(change, step) / inverse.scaledProduct(change, change)
    let result = step.indices.map { step[$0] - factor * (move[$0] + change[$0]) }
    // With rounding, any decrease may be expected; a longer step than the last one is not credible.
    guard inverse.scaledProduct(result, result) <= inverse.scaledProduct(move, move) else {
      return step
    }
    return result
  }

  /// Whether a step would change no parameter by more than a tolerance, as GSL's test has it.
  private func isWithin(_ tolerance: Double, _ step: [Double]) -> Bool {
    zip(step, point).allSatisfy { step, value in
      abs(step) <= tolerance * (abs(value) + tolerance)
    }
  }

  private func goBack(to start: [Double]) {
    moveTo { start[$0] }
    _ = evaluate() && inverse.factorise(workspace.pointee.J)
  }

  private func moveTo(_ parameter: (Int) -> Double) {
    for j in 0..<parameterCount {
      gsl_vector_set(workspace.pointee.x, j, parameter(j))
    }
  }

  /// Evaluates residuals, Jacobian and gradient at the present point; false if that fails.
  private func evaluate() -> Bool {
    let w = workspace.pointee
    return gsl_multifit_nlinear_eval_f(system, w.x, w.sqrt_wts, w.f) == GSL_SUCCESS
      && gsl_multifit_nlinear_eval_df(
        w.x, w.f, w.sqrt_wts, 0, GSL_MULTIFIT_NLINEAR_FWDIFF, system, w.J, nil) == GSL_SUCCESS
      && gsl_blas_dgemv(CblasTrans, 1, w.J, w.f, 0, w.g) == GSL_SUCCESS
  }
}
