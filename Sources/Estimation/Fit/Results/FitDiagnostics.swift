public import AlcoholKinetics
import RealModule

/// Diagnostics of a fit, from its residuals and Jacobian.
public struct FitDiagnostics: Codable, Hashable, Sendable {
  /// The 2-norm condition number of the Jacobian with columns of length 1; infinite if the data
  /// cannot distinguish parameters.
  public let conditionNumber: Double
  /// The estimated parameters, in the order of ``correlation``.
  public let parameters: [FitParameter]
  /// The correlation of the estimates, row-major; nil if the covariance does not exist.
  public let correlation: [Double]?
  /// The test for runs of residuals of equal sign; nil if all have one sign.
  public let runs: RunsTest?
  /// The correlation of each residual with the one before; nil for fewer than 3.
  public let autocorrelation: Autocorrelation?
  /// The test for normality of standardised residuals other than zero; nil for fewer than 3.
  public let normality: ShapiroWilk?
  /// The sums of residuals to be pooled over the study; nil if no reading is eligible.
  package var sums: ResidualSums?

  /// The largest absolute correlation, with its two parameters; nil with one parameter.
  public var strongestCorrelation: (first: FitParameter, second: FitParameter, value: Double)? {
    guard let correlation else { return nil }
    var strongest: (first: FitParameter, second: FitParameter, value: Double)?
    for row in parameters.indices {
      for column in 0..<row {
        let value = correlation[row * parameters.count + column]
        if strongest.map({ abs(value) > abs($0.value) }) ?? true {
          strongest = (parameters[column], parameters[row], value)
        }
      }
    }
    return strongest
  }
}

/// Information criteria for comparing models.
///
/// Only differences between models fitted to the same readings are meaningful.
public struct InformationCriteria: Codable, Hashable, Sendable {
  /// -2 ln L at the maximum of the likelihood L, for concentrations in g/kg.
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
  /// The criteria at a solution; nil where there is no maximum of a likelihood: for losses, priors and
  /// one-sided residuals, and for a perfect fit.
  init?(_ problem: FitProblem, _ solution: borrowing Solution) {
    let noiseModel = problem.noiseModel
    guard problem.loss == .linear, problem.prior == nil,
      noiseModel.hasLikelihood || !problem.observations.hasCensored,
      solution.minimum.objective > 0,
      let noise =
        noiseModel.chain == nil
        ? noiseModel.noise(for: solution.predictions, parameterCount: 0)
        : noiseModel.correlatedNoise(
          for: solution.predictions, parameterCount: 0, jacobian: ([], 0))
    else { return nil }
    let quantified = Double(problem.observations.quantifiedCount)
    deviance =
      noiseModel.deviance(of: solution.predictions, noise, parameterCount: 0)
      + quantified * .log(2 * .pi)
    parameters =
      problem.layout.count + noiseModel.error.estimatedCount + problem.correlation.estimatedCount
    readings = problem.observations.count
  }
}

/// A reading with its prediction and residual.
public struct FittedReading: Codable, Hashable, Sendable {
  /// The time of the reading, on the clock of its series.
  public let time: Hours
  /// The measured concentration, converted to blood.
  public let observed: GramsPerKilogram
  /// The limit of detection in blood, if the reading is censored.
  public let limit: GramsPerKilogram?
  /// The use of the reading in the fit.
  public let use: ReadingUse
  /// The prediction by the fitted model, gain included.
  public let predicted: GramsPerKilogram
  /// The standard deviation by the error model, in g/kg; nil if it was not fitted.
  public let standardDeviation: Double?
  /// Observed minus predicted over its standard error, sigma sqrt(1 - leverage); nil unless
  /// quantified. With correlated errors it is whitened.
  public let standardisedResidual: Double?
  /// The leverage, the diagonal of the hat matrix, from 0 to 1; nil if it was not fitted.
  public let leverage: Double?
  /// Cook's distance, the influence of the reading on the estimates (Cook 1977); nil unless quantified.
  public let cookDistance: Double?

  /// Observed minus predicted.
  public var residual: GramsPerKilogram { observed - predicted }
}
