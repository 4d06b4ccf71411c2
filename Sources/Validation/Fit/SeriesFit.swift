public import AlcoholKinetics
import GSL

/// The parameters of one series as estimated by nonlinear least squares.
public struct SeriesFit: Hashable, Sendable {
  /// Number of readings used.
  public let readings: Int
  /// The parameters at the minimum: estimated and fixed ones together.
  public let parameters: KineticParameters
  /// Standard errors of the estimated parameters, in the unit of the parameter.
  ///
  /// From the covariance of the logarithms, (J^T J)^-1 times the residual variance, by the delta
  /// method. Empty where there are no degrees of freedom.
  public let standardErrors: [FitParameter: Double]
  /// Residual sum of squares, in (g/kg)^2.
  public let rss: Double
  /// Residual standard deviation sqrt(RSS / (n - p)), in g/kg; nil where n = p.
  public let residualSD: Double?
  /// What became of each start, in the order they were tried.
  public let starts: [StartOutcome]
  /// Which of the starts gave the minimum.
  public let best: Int
  /// How many readings are above the largest concentration the whole dose could give,
  /// dose / (r x weight).
  public let readingsAboveDose: Int
  /// What its reader should know.
  public let warnings: [FitWarning]

  /// Whether the search ended in a minimum.
  public var isConverged: Bool { starts[best].exit.isConverged }

  /// Iterations of the start that gave the minimum.
  public var iterations: Int { starts[best].iterations }
}
