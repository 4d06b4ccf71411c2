/// The standard deviations of the readings that are fitted: scale x shape.
struct Noise: Sendable {
  /// The standard deviation of each reading, up to the scale.
  let shape: [Double]
  /// The common factor; 1 if it is not estimated.
  var scale: Double
  /// True if the scale was estimated from residuals.
  let isScaleEstimated: Bool
  /// The standard deviation at zero, in g/kg; nil if the error model has none.
  var sd: Double?
  /// The coefficient of variation; nil if the error model has none.
  var cv: Double?
  /// The correlation of errors; nil if they are independent.
  var correlation: NoiseCorrelation?

  var standardDeviations: [Double] { scale == 1 ? shape : shape.map { $0 * scale } }

  /// Returns the largest relative difference from another noise, of standard deviations and correlation times.
  func relativeChange(from other: Noise) -> Double {
    let time = correlation?.time ?? 0
    let before = other.correlation?.time ?? 0
    let start = time == before ? 0 : abs(time - before) / max(time, before)
    return shape.indices.reduce(start) { largest, index in
      max(largest, abs((shape[index] * scale) / (other.shape[index] * other.scale) - 1))
    }
  }
}

/// The variance of residuals in the unit of the objective.
struct ResidualVariance {
  /// The factor of (J^T J)^-1 in the covariance.
  let forCovariance: Double
  /// The divisor of differences of the objective for comparison with squared quantiles.
  let forProfile: Double

  private init(forCovariance: Double, forProfile: Double) {
    self.forCovariance = forCovariance
    self.forProfile = forProfile
  }

  /// The variances at a solution; nil if there are too few readings.
  init?(_ problem: FitProblem, _ solution: borrowing Solution) {
    guard let noise = solution.noise else { return nil }
    guard problem.loss == .linear else {
      self.init(robust: problem, solution, noise)
      return
    }
    // The objective of plain least squares is in (g/kg)^2; all others are in units of the variance.
    let isPlain = noise.isScaleEstimated && !problem.needsPredictions
    let variance = isPlain ? noise.scale * noise.scale : 1
    self.init(forCovariance: variance, forProfile: variance)
  }

  /// For a loss: K^2 E(psi^2) / E(psi')^2 and E(psi^2) / E(psi'), psi being the score of a residual.
  ///
  /// Source: Huber (1981), section 7.6, with his correction K = 1 + p var(psi') / (n E(psi')^2);
  /// differences of the objective after Heritier & Ronchetti (1994).
  private init?(robust problem: FitProblem, _ solution: borrowing Solution, _ noise: Noise) {
    let predictions = solution.predictions
    let residuals = problem.observations.all.indices
      .filter { !problem.observations.all[$0].isCensored }
      .map { index in
        (predictions[index] - problem.observations.all[index].level)
          / (noise.shape[index] * noise.scale)
      }
    let count = Double(residuals.count)
    let parameters = Double(problem.layout.count)
    guard count > parameters else { return nil }
    var scoreSquares = 0.0
    var slopes: [Double] = []
    for u in residuals {
      let z = (u / problem.noiseModel.tuning) * (u / problem.noiseModel.tuning)
      let score = u * problem.loss.weight(z)
      scoreSquares += score * score
      slopes.append(problem.loss.scoreSlope(z))
    }
    let meanSlope = slopes.reduce(0, +) / count
    guard meanSlope > 0 else { return nil }
    let slopeVariance =
      slopes.reduce(0) { $0 + ($1 - meanSlope) * ($1 - meanSlope) } / (count - 1)
    let correction = 1 + parameters / count * slopeVariance / (meanSlope * meanSlope)
    let scoreVariance = scoreSquares / (count - parameters)
    self.init(
      forCovariance: correction * correction * scoreVariance / (meanSlope * meanSlope),
      forProfile: scoreVariance / meanSlope)
  }
}
