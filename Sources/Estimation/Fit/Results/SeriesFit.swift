public import AlcoholKinetics

/// The parameters of one series as estimated from its readings, and how far they can be believed.
public struct SeriesFit: Codable, Hashable, Sendable {
  /// The model that was fitted.
  public let model: EliminationModel
  /// All parameters of the model at the minimum, estimated and fixed ones.
  public let values: ParameterValues
  /// What the fit says about each parameter that was estimated.
  public let estimates: [FitParameter: ParameterEstimate]
  /// The error model with its parameters; nil where there are too few readings to estimate them.
  public let noise: NoiseEstimate?
  /// Every reading of the series beside its prediction, those left out included.
  public let readings: [FittedReading]
  /// The sum of squared differences between quantified readings and predictions, in (g/kg)^2.
  public let rss: Double
  /// What was minimised, in the end: the sum of squares in the unit that the error model gives it,
  /// with the loss and the censored likelihood in it.
  public let objective: Double
  /// AICc and BIC; nil where there is no likelihood.
  public let criteria: InformationCriteria?
  /// What residuals and Jacobian say; nil if the Jacobian cannot be evaluated.
  public let diagnostics: FitDiagnostics?
  /// What became of each start, in the order they were tried.
  package let starts: [StartOutcome]
  /// Whether the search ended in a minimum.
  public let isConverged: Bool
  /// Iterations from the best start to the end.
  public let iterations: Int
  /// How many quantified readings are above the largest concentration the whole dose could give,
  /// gain x dose / (r x weight).
  public let readingsAboveDose: Int
  /// The covariance of the estimates; nil where there is none.
  public let covariance: EstimateCovariance?
  /// The profiles of the estimated parameters, in their order; none unless
  /// ``FitOptions/keepsProfiles`` asked for them, and none of a perfect fit.
  public let profiles: [ParameterProfile]
  /// The fitted curve.
  public let curve: FittedCurve
  /// What its reader should know.
  public let warnings: [FitWarning]
  /// What follows from the curve beside its parameters; none unless ``FitOptions/derived`` asked for it.
  public var derived: [DerivedEstimate] = []

  /// The model with its values.
  public var parameters: ModelParameters {
    ModelParameters(
      model, known: values,
      atLimit: Set(estimates.filter { $0.value.isAtBound || $0.value.isInValley }.map(\.key)))
  }

  // Tables take parts of a fit, not these: to ask a function of a fit, its dozens of parts are copied.

  /// How many readings were put to a use.
  public func count(_ use: ReadingUse) -> Int { readings.count(use) }

  /// Number of readings that were fitted.
  public var usedCount: Int { readings.count(where: \.use.isUsed) }

  /// How many starts ended at the best minimum of the search.
  public var startsAtBest: Int { starts.count(where: \.foundBest) }

  /// The residual standard deviation in g/kg where the error is additive; sqrt(RSS / (n - p)) without
  /// censoring. Nil for other error models and where n = p.
  public var residualSD: Double? { noise?.additiveSD }
}

extension [FittedReading] {
  /// How many were put to a use.
  @inlinable
  package func count(_ use: ReadingUse) -> Int { count { $0.use == use } }
}

/// What a fit says about one parameter.
public struct ParameterEstimate: Codable, Hashable, Sendable {
  /// The estimate, in the parameter's unit.
  public let value: Double
  /// Its standard error, in the same unit; nil if there is none.
  ///
  /// From the covariance (J^T J)^-1 times the residual variance, by the delta method where the
  /// logarithm was estimated.
  public let standardError: Double?
  /// The low end of the interval; nil if the data set none, or if none was asked for.
  public let low: Double?
  /// The high end of the interval; nil if the data set none, or if none was asked for.
  public let high: Double?
  /// Whether the data determine the parameter from both sides; nil if this was not examined.
  ///
  /// A covariance tells what happens next to the estimate only. Profiles and bootstraps examine it.
  public let isIdentifiable: Bool?
  /// What the readings left of the prior's uncertainty: the posterior's standard deviation over the
  /// prior's, of the coordinate in which the fit works; nil without a prior.
  public var priorRatio: Double? = nil
  /// Whether it stands at a bound, where a lower sum of squares lies beyond.
  public let isAtBound: Bool
  /// Whether the minimum is a valley along which the parameter changes: fewer readings than parameters lie where the
  /// curve is above zero. Which of its values was found is chance.
  public var isInValley = false
}

extension ParameterEstimate {
  /// Above this the readings told less of the parameter than the prior did: their part of the precision
  /// 1 / SD^2 is less than half.
  public static let largestPriorRatio = 0.5.squareRoot()

  /// Whether the prior says more of the parameter than the readings do; nil without a prior.
  public var isPriorDominated: Bool? { priorRatio.map { $0 > Self.largestPriorRatio } }
}

/// The covariance of estimates that do not stand at a bound, in the coordinates in which a fit works:
/// natural logarithms of all parameters but the lag.
public struct EstimateCovariance: Codable, Hashable, Sendable {
  /// The parameters, in the order of the rows.
  public let parameters: [FitParameter]
  /// Row-major; squares of standard errors in the diagonal.
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
  /// The smallest standard deviation at zero that could be estimated, in g/kg: what rounding to the
  /// instrument's last digit leaves, or ``ErrorModel/smallestSD``. Nil where nothing depends on it.
  public var smallestSD: Double? = nil
  /// The time constant tau of errors that go together, whose correlation is exp(-dt / tau); 0 if the
  /// residuals show none, nil if errors were taken as independent.
  public var correlationTime: Hours?
  /// What the two were estimated with, n - p, and so Student's distribution of all intervals and bands;
  /// nil where they were known. n counts quantified readings, those censored by their likelihood, and
  /// those censored on one side whose prediction is above the limit.
  public let degreesOfFreedom: Int?
  /// How often predictions and standard deviations were brought into line; 0 if they do not depend
  /// on each other.
  public let rounds: Int
  /// Whether they were brought into line.
  public let isSettled: Bool

  /// Whether the two were estimated from the residuals.
  public var isEstimated: Bool { degreesOfFreedom != nil }

  /// ``sd`` where it is that of every reading.
  package var additiveSD: Double? { model == "additive" ? sd : nil }
}
