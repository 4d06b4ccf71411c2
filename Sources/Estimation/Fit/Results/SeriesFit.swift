public import AlcoholKinetics
import GSL

/// The parameters of one series as estimated from its readings, and how far they can be believed.
public struct SeriesFit: Hashable, Sendable {
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
  public let starts: [StartOutcome]
  /// Whether the search ended in a minimum.
  public let isConverged: Bool
  /// Iterations from the best start to the end.
  public let iterations: Int
  /// How many quantified readings are above the largest concentration the whole dose could give,
  /// gain x dose / (r x weight).
  public let readingsAboveDose: Int
  /// What its reader should know.
  public let warnings: [FitWarning]

  /// The model with its values.
  public var parameters: ModelParameters { ModelParameters(model, known: values) }

  /// How many readings were put to a use.
  public func count(_ use: ReadingUse) -> Int {
    readings.count { $0.use == use }
  }

  /// Number of readings that were fitted.
  public var usedCount: Int { readings.count(where: \.use.isUsed) }

  /// How many starts ended at the best minimum of the search.
  public var startsAtBest: Int { starts.count(where: \.foundBest) }

  /// The residual standard deviation in g/kg where the error is additive; sqrt(RSS / (n - p)) without
  /// censoring. Nil for other error models and where n = p.
  public var residualSD: Double? {
    noise?.model == "additive" ? noise?.sd : nil
  }
}
