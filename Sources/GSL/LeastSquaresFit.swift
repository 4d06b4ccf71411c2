/// The outcome of one solve.
public struct LeastSquaresFit: Equatable, Sendable {
  /// The p parameters at the last accepted point; the start if there is none.
  public internal(set) var parameters: [Double]

  /// The sum of squared weighted residuals Σ wᵢ rᵢ²; NaN if the start could not be evaluated.
  public internal(set) var rss: Double

  /// The largest |gᵢ| of g = JᵀWr, the gradient of ½ rss; NaN if the start could not be evaluated.
  public internal(set) var gradientNorm: Double

  /// The number of residuals with a weight above zero, minus p.
  public let degreesOfFreedom: Int

  /// The number of iterations, each of them one accepted step except perhaps the last.
  public internal(set) var iterations: Int

  /// How often the residuals were evaluated.
  public internal(set) var residualEvaluations: Int

  /// How often the Jacobian was evaluated.
  public internal(set) var jacobianEvaluations: Int

  /// How many of the residual evaluations failed, or were refused for parameters not finite.
  public internal(set) var failedEvaluations: Int

  /// Why the solve ended.
  public let exit: LeastSquaresExit

  /// The Gauss-Newton steps by which ``LeastSquaresSolver/polish(_:of:weights:)`` improved the
  /// parameters afterwards.
  public internal(set) var polishingSteps = 0

  /// The rung of a ``LeastSquaresLadder`` that this fit comes from, 0 for the first one.
  public internal(set) var rung = 0

  /// The unscaled covariance (JᵀWJ)⁻¹, row-major p × p.
  ///
  /// It is the covariance of the parameters if the weights are 1/σᵢ² with known σᵢ; otherwise use
  /// ``scaledCovariance``. Nil if it was not asked for, if the Jacobian at the solution is unknown,
  /// or if it is rank deficient: ``reciprocalCondition`` tells the last case.
  public internal(set) var covariance: [Double]?

  /// The reciprocal condition number of the weighted Jacobian with columns scaled to length 1.
  ///
  /// Scaling makes it independent of the units of the parameters: 1 for parameters that do not
  /// interact, 0 for ones that the data cannot tell apart. An estimate in the 1-norm. Nil if no
  /// covariance was asked for or the Jacobian at the solution is unknown.
  public internal(set) var reciprocalCondition: Double?

  /// The residual variance rss / (n − p); nil without degrees of freedom.
  public var residualVariance: Double? {
    degreesOfFreedom > 0 ? rss / Double(degreesOfFreedom) : nil
  }

  /// The covariance scaled by the residual variance, row-major p × p.
  ///
  /// It is the covariance of the parameters if the weights are right up to a common factor. Nil
  /// without ``covariance`` or without degrees of freedom.
  public var scaledCovariance: [Double]? {
    guard let covariance, let residualVariance else { return nil }
    return covariance.map { $0 * residualVariance }
  }

  /// The p standard errors, square roots of the diagonal of ``scaledCovariance``.
  public var standardErrors: [Double]? {
    guard let scaledCovariance else { return nil }
    let p = parameters.count
    return (0..<p).map { scaledCovariance[$0 * p + $0].squareRoot() }
  }
}
