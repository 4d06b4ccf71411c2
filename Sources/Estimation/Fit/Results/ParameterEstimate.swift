/// What a fit says about one parameter.
public struct ParameterEstimate: Hashable, Sendable {
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
  /// Whether it stands at a bound, where a lower sum of squares lies beyond.
  public let isAtBound: Bool
}
