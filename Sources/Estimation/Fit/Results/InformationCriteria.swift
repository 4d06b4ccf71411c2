import RealModule

/// How well a model fits for the number of its parameters.
///
/// Differences between models fitted to the same readings count, not the values.
public struct InformationCriteria: Hashable, Sendable {
  /// -2 ln L, the likelihood L at its maximum, in concentrations of 1 g/kg.
  public let deviance: Double
  /// Number k of estimated parameters, those of the error model included.
  public let parameters: Int
  /// Number n of readings that are fitted, censored ones included.
  public let readings: Int

  /// Akaike's criterion with the correction for few readings, -2 ln L + 2k + 2k(k + 1)/(n - k - 1);
  /// nil for n <= k + 1 (Hurvich & Tsai 1989).
  public var aicc: Double? {
    let spare = readings - parameters - 1
    guard spare > 0 else { return nil }
    let k = Double(parameters)
    return deviance + 2 * k + 2 * k * (k + 1) / Double(spare)
  }

  /// The Bayesian criterion -2 ln L + k ln n (Schwarz 1978).
  public var bic: Double {
    deviance + Double(parameters) * .log(Double(readings))
  }
}

extension InformationCriteria {
  /// The criteria at a solution; nil where there is no likelihood: for losses and one-sided residuals,
  /// and for a perfect fit.
  init?(_ problem: SeriesProblem, _ solution: Solution) {
    let noiseModel = problem.noiseModel
    guard problem.loss == .linear, noiseModel.hasLikelihood || !problem.observations.hasCensored,
      solution.minimum.objective > 0,
      let noise =
        noiseModel.chain == nil
        ? noiseModel.noise(for: solution.predictions, lost: 0)
        : noiseModel.correlatedNoise(for: solution.predictions, lost: 0, jacobian: ([], 0))
    else { return nil }
    let quantified = Double(problem.observations.quantifiedCount)
    deviance =
      noiseModel.deviance(of: solution.predictions, noise, lost: 0)
      + quantified * .log(2 * .pi)
    parameters =
      problem.layout.count + noiseModel.error.estimatedCount + problem.correlation.estimatedCount
    readings = problem.observations.count
  }
}
