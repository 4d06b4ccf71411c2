internal import CGSL

extension LeastSquaresSolver {
  /// The relative change of parameters by a Gauss-Newton step below which polishing ends: certified
  /// values rarely have more digits.
  private static let negligibleStep = 1e-11

  /// The relative change of the sum of squares below which polishing ends. If residuals are near rounding, so are standard
  /// errors, and changes that are small relative to the parameters may be large relative to these.
  private static let negligibleFall = 1e-10

  /// The largest ratio of a Gauss-Newton step to the one before; larger steps do not converge.
  private static let shrinkage = 0.9

  /// The relative growth of the sum of squares that counts as rounding: that of Lanczos2, whose
  /// residuals are a millionth of its responses, is off by 2e-10.
  private static let negligibleRise = 1e-9

  /// The largest number of steps; the NIST problems need at most three.
  private static let polishingLimit = 20

  /// Polishes a converged fit to full precision, and adds its covariance.
  ///
  /// Near the minimum the sum of squares is flat: it does not distinguish parameters that agree in about eight digits,
  /// where ``solve(_:from:covariance:)`` ends. The gradient still does. Therefore plain Gauss-Newton steps by QR
  /// factorisation follow, each shorter than the one before, until they are negligible or limited by rounding. Each takes
  /// one evaluation of residuals and Jacobian, and two usually suffice. With large residuals such steps shrink slowly, so
  /// they are extrapolated from the second one on (Anderson, J. ACM 12 (1965) 547-560, with a memory of one step).
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
      update(&fit, steps: steps)
      fit.isUnsettled = !isSettled
    }
    attachInverse(to: &fit, isRegular: isRegular)
  }

  /// Makes Gauss-Newton steps from the current point, whose Jacobian is factorised, as long as they shrink. Returns their
  /// number, and whether the next step is within the solver's step tolerance. The Jacobian at the final point is
  /// factorised.
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
          restore(start)
          break
        }
        inverse.gaussNewtonStep(f, into: next)
        let length = inverse.scaledProduct(step, step)
        guard inverse.scaledProduct(next, next) <= Self.shrinkage * Self.shrinkage * length else {
          restore(start)
          break
        }
        extrapolate(next, after: step, move)
        swap(&step, &next)
        count += 1
      }
      return (count, isWithin(options.stepTolerance, step))
    }
  }

  /// Replaces `move` by the extrapolated limit of steps that shrink as the last two did (Anderson acceleration).
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
      // With rounding errors the extrapolation may be arbitrarily long; a longer step than the last one is rejected.
      let isCredible = inverse.scaledProduct(result, result) <= inverse.scaledProduct(move, move)
      move.update(from: isCredible ? UnsafePointer(result) : step, count: p)
    }
  }

  private func isNegligible(_ step: UnsafePointer<Double>) -> Bool {
    isWithin(Self.negligibleStep, step)
      && inverse.scaledProduct(step, step) <= Self.negligibleFall * rss
  }

  /// Returns true if a step changes no parameter by more than a tolerance, as in GSL's convergence test.
  private func isWithin(_ tolerance: Double, _ step: UnsafePointer<Double>) -> Bool {
    guard let point else { return false }
    return (0..<parameterCount).allSatisfy { j in
      abs(step[j]) <= tolerance * (abs(point[j]) + tolerance)
    }
  }

  private func restore(_ start: UnsafePointer<Double>) {
    point?.update(from: start, count: parameterCount)
    _ = evaluate() && inverse.factorise(workspace.pointee.J)
  }
}
