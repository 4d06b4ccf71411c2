public import AlcoholKinetics

/// The fit of one series: estimates with intervals, diagnostics and warnings.
public struct SeriesFit: Codable, Hashable, Sendable {
  /// The model that was fitted.
  public let model: EliminationModel
  /// All parameters of the model at the minimum, estimated and fixed ones.
  public let values: ParameterValues
  /// The estimates of the free parameters.
  public let estimates: [FitParameter: ParameterEstimate]
  /// The error model with its parameters; nil where there are too few readings to estimate them.
  public let noise: NoiseEstimate?
  /// Every reading of the series beside its prediction, those left out included.
  public let readings: [FittedReading]
  /// The sum of squared differences between quantified readings and predictions, in (g/kg)^2.
  public let rss: Double
  /// The objective at the estimate: a sum of squares, including robust loss and censored likelihood, in (g/kg)^2 for
  /// additive errors and otherwise without unit.
  public let objective: Double
  /// AICc and BIC; nil where there is no likelihood.
  public let criteria: InformationCriteria?
  /// Diagnostics from residuals and Jacobian; nil if the Jacobian cannot be evaluated.
  public let diagnostics: FitDiagnostics?
  /// The outcome of each start, in order.
  package let starts: [StartOutcome]
  /// True if the search converged.
  public let isConverged: Bool
  /// The number of iterations from the best start to the end.
  public let iterations: Int
  /// The number of quantified readings above the largest concentration that the whole dose could give,
  /// gain x dose / (r x weight).
  public let readingsAboveDose: Int
  /// The covariance of the estimates; nil where there is none.
  public let covariance: EstimateCovariance?
  /// The profiles of the estimated parameters, in their order; empty unless requested by ``FitOptions/keepsProfiles``, and
  /// for a perfect fit.
  public let profiles: [ParameterProfile]
  /// The fitted curve.
  public let curve: FittedCurve
  /// The warnings.
  public let warnings: [FitWarning]
  /// The derived quantities; empty unless requested by ``FitOptions/derived``.
  public var derived: [DerivedEstimate] = []

  /// The model with its values.
  public var parameters: ModelParameters {
    ModelParameters(
      model, known: values,
      atLimit: Set(estimates.filter { $0.value.isAtBound || $0.value.isInValley }.map(\.key)))
  }

  // Tables read stored parts instead of these: calling a method of a fit copies its dozens of parts.

  /// Returns the number of readings with a use.
  public func count(_ use: ReadingUse) -> Int { readings.count(use) }

  /// The number of readings that were fitted.
  public var usedCount: Int { readings.count(where: \.use.isUsed) }

  /// The number of starts that ended at the best minimum of the search.
  public var startsAtBest: Int { starts.count(where: \.foundBest) }

  /// The residual standard deviation in g/kg where the error is additive; sqrt(RSS / (n - p)) without
  /// censoring. Nil for other error models and where n = p.
  public var residualSD: Double? { noise?.additiveSD }
}

extension [FittedReading] {
  /// Returns the number of readings with a use.
  @inlinable
  package func count(_ use: ReadingUse) -> Int { count { $0.use == use } }
}

/// The estimate of one parameter.
public struct ParameterEstimate: Codable, Hashable, Sendable {
  /// The estimate, in the parameter's unit.
  public let value: Double
  /// Its standard error, in the same unit; nil if there is none.
  ///
  /// From the covariance (J^T J)^-1 times the residual variance, by the delta method where the
  /// logarithm was estimated.
  public let standardError: Double?
  /// The lower end of the interval; nil if it is open, or if none was requested.
  public let low: Double?
  /// The upper end of the interval; nil if it is open, or if none was requested.
  public let high: Double?
  /// True if the data limit the parameter on both sides; nil if this was not examined.
  ///
  /// Profiles and bootstraps examine it; a covariance is valid only next to the estimate.
  public let isIdentifiable: Bool?
  /// The posterior's standard deviation over the prior's, of the coordinate in which the fit works; nil without a
  /// prior.
  public var priorRatio: Double? = nil
  /// True if it hit its search limit.
  public let isAtBound: Bool
  /// True if the minimum is a flat valley along which the parameter changes, because fewer readings than parameters are
  /// where the curve is above zero. The reported value is then arbitrary.
  public var isInValley = false
}

extension ParameterEstimate {
  /// The ratio above which the prior contributes more than half of the precision 1 / SD^2.
  public static let largestPriorRatio = 0.5.squareRoot()

  /// True if the prior determines the parameter more than the readings do; nil without a prior.
  public var isPriorDominated: Bool? { priorRatio.map { $0 > Self.largestPriorRatio } }
}

/// The covariance of the estimates that are not at a bound, in the coordinates in which a fit works:
/// natural logarithms of all parameters but the lag.
public struct EstimateCovariance: Codable, Hashable, Sendable {
  /// The parameters, in the order of the rows.
  public let parameters: [FitParameter]
  /// The covariance, row-major; squares of standard errors on the diagonal.
  public let values: [Double]
}

/// The error model with its parameters.
public struct NoiseEstimate: Codable, Hashable, Sendable {
  /// The name of the error model.
  public let model: String
  /// The standard deviation at zero, in g/kg; nil if the error model has none.
  public let sd: Double?
  /// The coefficient of variation; nil if the error model has none.
  public let cv: Double?
  /// The lower bound of an estimated standard deviation at zero, in g/kg: that of rounding to the instrument's last digit,
  /// or ``ErrorModel/smallestSD``. Nil for error models without one.
  public var smallestSD: Double? = nil
  /// The time constant tau of correlated errors, whose correlation is exp(-dt / tau); 0 if the residuals show none, nil if
  /// errors were assumed independent.
  public var correlationTime: Hours?
  /// The degrees of freedom n - p of SD and CV, which are also those of Student's distribution of all intervals and bands;
  /// nil if SD and CV were given. n counts quantified readings, those censored by their likelihood, and
  /// those censored on one side whose prediction is above the limit.
  public let degreesOfFreedom: Int?
  /// The number of reweighting rounds; 0 if standard deviations do not depend on predictions.
  public let rounds: Int
  /// True if the reweighting converged.
  public let isSettled: Bool

  /// True if SD and CV were estimated from the residuals.
  public var isEstimated: Bool { degreesOfFreedom != nil }

  /// The standard deviation of every reading, in g/kg; nil unless errors are additive.
  package var additiveSD: Double? { model == "additive" ? sd : nil }
}
