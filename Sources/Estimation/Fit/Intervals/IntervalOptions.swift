/// The kind, level and replicates of confidence intervals.
public struct IntervalOptions: Hashable, Sendable {
  /// A kind of interval.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// From the covariance: the estimate plus or minus t standard errors, on the scale in which the
    /// parameter is estimated.
    case wald
    /// Profile likelihood: the values whose profile is below the threshold.
    case profile
    /// Quantiles over fits to readings with resampled residuals (Efron 1979).
    case residualBootstrap = "residual-bootstrap"
    /// Quantiles over fits to readings simulated from the fit.
    case parametricBootstrap = "parametric-bootstrap"
  }

  /// The kind of interval.
  public var kind: Kind
  /// The confidence level, between 0 and 1.
  public var level: Double
  /// The number of bootstrap replicates.
  public var replicates: Int
  /// The seed of a bootstrap's random numbers.
  public var seed: UInt64

  /// The number of replicates unless set.
  public static let defaultReplicates = 999

  /// Creates options; by default profile likelihood at 95 %.
  public init(
    kind: Kind = .profile, level: Double = Interval.defaultLevel,
    replicates: Int = IntervalOptions.defaultReplicates, seed: UInt64 = 1
  ) {
    self.kind = kind
    self.level = level
    self.replicates = replicates
    self.seed = seed
  }
}

/// The ends of an interval; nil where the data do not determine an end.
struct ParameterInterval {
  var low: Double?
  var high: Double?
  /// True if the data determine the parameter; nil if this kind of interval does not show it.
  var isIdentifiable: Bool?

  /// Returns true if a value is not beyond an end.
  func contains(_ value: Double) -> Bool {
    value >= low ?? -.infinity && value <= high ?? .infinity
  }
}

extension ConfidenceQuantile {
  /// The quantile for a solution at a level; nil if there are too few readings.
  init?(_ problem: FitProblem, _ solution: borrowing Solution, level: Double) {
    guard solution.noise != nil else { return nil }
    self.init(
      degreesOfFreedom: problem.degreesOfFreedom(of: solution).map(Double.init), level: level)
  }
}
