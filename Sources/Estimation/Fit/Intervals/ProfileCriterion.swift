import RealModule

/// The profiled objective and the rise at which a value of a parameter is rejected.
///
/// Noise keeps its shape along a profile; its scale is profiled out where it was estimated. With n
/// readings, p parameters, nu = n - p and t the quantile of Student's distribution, values are in the interval
/// while the restricted deviance is above its minimum by no more than nu ln(1 + t^2/nu). For plain
/// least squares that is (S - S_min)/s^2 <= t^2, the t-profile of Bates & Watts (1988), section 6.1.
struct ProfileCriterion {
  /// The profiled objective.
  private enum Measure {
    /// nu ln S, S being the sum of squares: the scale is profiled out in closed form.
    case sumOfSquares(degreesOfFreedom: Double)
    /// The deviance, with scale and correlation re-optimised at each point: for censored readings and correlated
    /// errors.
    case deviance
    /// S over the residual variance: for known standard deviations, a robust loss, or a prior, whose residuals have
    /// no scale of their own.
    case scaled(variance: Double)
  }

  /// Changes of the profiled objective below this are rounding: a deviance converges to 1e-7.
  static let rounding = 1e-6

  /// The rise above the minimum at the ends of the interval.
  let threshold: Double
  private let measure: Measure

  private init(_ measure: Measure, threshold: Double) {
    self.measure = measure
    self.threshold = threshold
  }

  /// The criterion of least squares.
  ///
  /// - Parameter quantile: The two-sided quantile of Student's distribution.
  init(degreesOfFreedom nu: Double, quantile: Double) {
    self.init(
      .sumOfSquares(degreesOfFreedom: nu), threshold: nu * .log(onePlus: quantile * quantile / nu))
  }

  /// The criterion for a solution at a confidence level; nil if there are too few readings.
  init?(_ problem: FitProblem, _ solution: borrowing Solution, level: Double) {
    guard let quantile = ConfidenceQuantile(problem, solution, level: level),
      let variance = ResidualVariance(problem, solution)
    else { return nil }
    // A scale at its floor does not vary along the profile, so it counts as known.
    let isAtSmallest = solution.noise.map(problem.noiseModel.isAtSmallest) ?? false
    // A known correlation is part of the sum of squares, except beside a prior.
    let isCorrelated =
      problem.noiseModel.estimatesCorrelation
      || (problem.prior != nil && problem.noiseModel.chain != nil)
    guard let nu = quantile.degreesOfFreedom, solution.noise?.isScaleEstimated == true,
      problem.loss == .linear, !isAtSmallest,
      problem.prior == nil || isCorrelated || problem.noiseModel.hasLikelihood
    else {
      // The correlation time is re-optimised at each point, whether or not the scale is known.
      guard !isCorrelated else {
        self.init(.deviance, threshold: quantile.value * quantile.value)
        return
      }
      self.init(
        .scaled(variance: variance.forProfile), threshold: quantile.value * quantile.value)
      return
    }
    let leastSquares = Self(degreesOfFreedom: nu, quantile: quantile.value)
    self =
      problem.noiseModel.hasLikelihood || isCorrelated
      ? Self(.deviance, threshold: leastSquares.threshold) : leastSquares
  }

  /// Returns the profiled objective for a sum of squares; nil if it is the deviance, whose scale must be solved for.
  func value(of sumOfSquares: Double) -> Double? {
    switch measure {
    case .sumOfSquares(let nu): nu * .log(sumOfSquares)
    case .scaled(let variance): sumOfSquares / variance
    case .deviance: nil
    }
  }

  /// Returns the fall of the profiled objective for a small fall of the sum of squares, to first order.
  func fall(by part: Double, of sumOfSquares: Double) -> Double {
    switch measure {
    case .sumOfSquares(let nu): nu * part / sumOfSquares
    case .scaled(let variance): part / variance
    case .deviance: part
    }
  }
}
