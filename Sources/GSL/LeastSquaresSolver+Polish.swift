internal import CGSL

extension LeastSquaresSolver {
  /// Polishing ends where a Gauss-Newton step would change no parameter by more than this
  /// fraction: certified values rarely have more digits.
  private static let negligibleStep = 1e-11

  /// And the sum of squares by no more than this part of it: where the residuals are rounding, so are standard errors,
  /// and digits that are small beside the parameters are not small beside those.
  private static let negligibleFall = 1e-10

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
  package func polish(
    _ fit: inout LeastSquaresFit,
    of problem: LeastSquaresProblem
  ) throws(GSLError) {
    guard try beginEvaluating(problem, at: fit.parameters) else { return }
    let isRegular = inverse.factorise(workspace.pointee.J)
    if isRegular, fit.exit.isConverged {
      let (steps, isSettled) = takeGaussNewtonSteps()
      adoptPoint(by: &fit, steps: steps)
      fit.isUnsettled = !isSettled
    }
    attachInverse(to: &fit, isRegular: isRegular)
  }

  /// Steps from the present point, whose Jacobian is factorised, as long as that helps; how often, and whether
  /// the next step is within the solver's step tolerance. The Jacobian of the point where it ends is factorised,
  /// too.
  private func takeGaussNewtonSteps() -> (count: Int, isSettled: Bool) {
    let p = parameterCount
    let x = point
    let f = workspace.pointee.f.pointee.data
    guard let x, let f else { return (0, false) }
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: 4 * p) { memory in
      guard let start = memory.baseAddress else { return (0, false) }
      memory.initialize(repeating: 0)
      var step = start + p
      var next = start + 2 * p
      let move = start + 3 * p
      inverse.gaussNewtonStep(f, into: step)
      move.update(from: step, count: p)
      var count = 0
      while count < Self.polishingLimit, !isNegligible(step) {
        start.update(from: x, count: p)
        let limit = (1 + Self.negligibleRise) * rss
        for j in 0..<p { x[j] += move[j] }
        guard evaluate(), rss <= limit, inverse.factorise(workspace.pointee.J) else {
          goBack(to: start)
          break
        }
        inverse.gaussNewtonStep(f, into: next)
        let length = inverse.scaledProduct(step, step)
        guard inverse.scaledProduct(next, next) <= Self.shrinkage * Self.shrinkage * length else {
          goBack(to: start)
          break
        }
        extrapolate(next, after: step, move)
        swap(&step, &next)
        count += 1
      }
      return (count, isWithin(options.stepTolerance, step))
    }
  }

  /// Where steps that shrink as the last two did would lead, as a move from the present point.
  private func extrapolate(
    _ step: UnsafePointer<Double>, after previous: UnsafePointer<Double>,
    _ move: UnsafeMutablePointer<Double>
  ) {
    let p = parameterCount
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 * p) { memory in
      guard let change = memory.baseAddress else { return }
      let result = change + p
      memory.initialize(repeating: 0)
      for j in 0..<p { change[j] = step[j] - previous[j] }
      let factor = inverse.scaledProduct(change, step) / inverse.scaledProduct(change, change)
      for j in 0..<p { result[j] = step[j] - factor * (move[j] + change[j]) }
      // With rounding, any decrease may be expected; a longer step than the last one is not credible.
      let isCredible = inverse.scaledProduct(result, result) <= inverse.scaledProduct(move, move)
      move.update(from: isCredible ? UnsafePointer(result) : step, count: p)
    }
  }

  private func isNegligible(_ step: UnsafePointer<Double>) -> Bool {
    isWithin(Self.negligibleStep, step)
      && inverse.scaledProduct(step, step) <= Self.negligibleFall * rss
  }

  /// Whether a step would change no parameter by more than a tolerance, as GSL's test has it.
  private func isWithin(_ tolerance: Double, _ step: UnsafePointer<Double>) -> Bool {
    guard let point else { return false }
    return (0..<parameterCount).allSatisfy { j in
      abs(step[j]) <= tolerance * (abs(point[j]) + tolerance)
    }
  }

  private func goBack(to start: UnsafePointer<Double>) {
    point?.update(from: start, count: parameterCount)
    _ = evaluate() && inverse.factorise(workspace.pointee.J)
  }
}
