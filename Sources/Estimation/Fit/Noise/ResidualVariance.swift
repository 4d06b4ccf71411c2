/// The variance of residuals in the unit of the objective.
struct ResidualVariance {
  /// What (J^T J)^-1 is multiplied with to be the covariance.
  let forCovariance: Double
  /// What differences of the objective are divided by to be compared with quantiles.
  let forProfile: Double

  private init(forCovariance: Double, forProfile: Double) {
    self.forCovariance = forCovariance
    self.forProfile = forProfile
  }

  /// The variances at a solution; nil if there are too few readings.
  init?(_ problem: SeriesProblem, _ solution: Solution) {
    guard let noise = solution.noise else { return nil }
    guard problem.loss == .linear else {
      self.init(robust: problem, solution, noise)
      return
    }
    // Plain least squares keeps the sum of squares in (g/kg)^2; everything else has it in variances.
    let isPlain = noise.isScaleEstimated && !problem.noiseModel.needsPredictions
    let variance = isPlain ? noise.scale * noise.scale : 1
    self.init(forCovariance: variance, forProfile: variance)
  }

  /// For a loss: K^2 E(psi^2) / E(psi')^2 and E(psi^2) / E(psi'), psi being the pull of a residual.
  ///
  /// Source: Huber (1981), section 7.6, with his correction K = 1 + p var(psi') / (n E(psi')^2);
  /// differences of the objective after Heritier & Ronchetti (1994).
  private init?(robust problem: SeriesProblem, _ solution: Solution, _ noise: Noise) {
    let residuals = problem.observations.all.indices
      .filter { !problem.observations.all[$0].isCensored }
      .map { index in
        (solution.predictions[index] - problem.observations.all[index].level)
          / (noise.shape[index] * noise.scale)
      }
    let count = Double(residuals.count)
    let parameters = Double(problem.layout.count)
    guard count > parameters else { return nil }
    var pullSquares = 0.0
    var slopes: [Double] = []
    for u in residuals {
      let z = (u / problem.tuning) * (u / problem.tuning)
      let pull = u * problem.loss.weight(z)
      pullSquares += pull * pull
      slopes.append(problem.loss.pullSlope(z))
    }
    let meanSlope = slopes.reduce(0, +) / count
    guard meanSlope > 0 else { return nil }
    let slopeVariance =
      slopes.reduce(0) { $0 + ($1 - meanSlope) * ($1 - meanSlope) } / (count - 1)
    let correction = 1 + parameters / count * slopeVariance / (meanSlope * meanSlope)
    let pullVariance = pullSquares / (count - parameters)
    self.init(
      forCovariance: correction * correction * pullVariance / (meanSlope * meanSlope),
      forProfile: pullVariance / meanSlope)
  }
}
