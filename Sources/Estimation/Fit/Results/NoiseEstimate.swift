public import AlcoholKinetics

/// The error model with its parameters.
public struct NoiseEstimate: Hashable, Sendable {
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
}
