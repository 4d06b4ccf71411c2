import RealModule

/// How much worse a fit may be before a value of a parameter is ruled out.
///
/// Noise keeps its shape along a profile; its scale is profiled out where it was estimated. With n
/// readings, p parameters, nu = n - p and t the quantile of Student's distribution, values are kept
/// while the restricted deviance is above its minimum by no more than nu ln(1 + t^2/nu). For plain
/// least squares that is (S - S_min)/s^2 <= t^2, the t-profile of Bates & Watts (1988), section 6.1.
struct ProfileCriterion {
  /// What is profiled.
  private enum Measure {
    /// nu ln S, S being the sum of squares: the scale is profiled out in closed form.
    case sumOfSquares(degreesOfFreedom: Double)
    /// The deviance, its scale and correlation solved for at each point: with censored readings and
    /// errors that go together.
    case deviance
    /// S over the variance of residuals: known standard deviations, a loss, or beside a prior, whose
    /// residuals have no scale of their own.
    case scaled(variance: Double)
  }

  /// How far the measure may fall below that of the estimate, or rise, by rounding: a deviance is settled to 1e-7.
  static let rounding = 1e-6

  /// The largest rise above the minimum that is not ruled out.
  let threshold: Double
  private let measure: Measure

  private init(_ measure: Measure, threshold: Double) {
    self.measure = measure
    self.threshold = threshold
  }

  /// The criterion of least squares.
  ///
  /// - Parameter quantile: Student's, two-sided.
  init(degreesOfFreedom nu: Double, quantile: Double) {
    self.init(
      .sumOfSquares(degreesOfFreedom: nu), threshold: nu * .log(onePlus: quantile * quantile / nu))
  }

  /// The criterion for a solution at a level; nil if there is none, for want of readings.
  init?(_ problem: FitProblem, _ solution: borrowing Solution, level: Double) {
    guard let quantile = ConfidenceQuantile(problem, solution, level: level),
      let variance = ResidualVariance(problem, solution)
    else { return nil }
    // A scale that is at its floor is as good as known.
    let isAtSmallest = solution.noise.map(problem.noiseModel.isAtSmallest) ?? false
    let isCorrelated = problem.noiseModel.chain != nil
    guard let nu = quantile.degreesOfFreedom, solution.noise?.isScaleEstimated == true,
      problem.loss == .linear, !isAtSmallest,
      problem.prior == nil || isCorrelated || problem.noiseModel.hasLikelihood
    else {
      // The time constant is looked for at each point, whether or not the scale is known.
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

  /// The measure for the sum of squares that is minimised; nil where the deviance is the measure,
  /// which has a scale to solve for.
  func value(of sumOfSquares: Double) -> Double? {
    switch measure {
    case .sumOfSquares(let nu): nu * .log(sumOfSquares)
    case .scaled(let variance): sumOfSquares / variance
    case .deviance: nil
    }
  }

  /// By how much the measure falls if the sum of squares falls by a small part.
  func fall(by part: Double, of sumOfSquares: Double) -> Double {
    switch measure {
    case .sumOfSquares(let nu): nu * part / sumOfSquares
    case .scaled(let variance): part / variance
    case .deviance: part
    }
  }
}
