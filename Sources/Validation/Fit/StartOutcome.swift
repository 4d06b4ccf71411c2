public import GSL

/// What became of one starting point.
public struct StartOutcome: Hashable, Sendable {
  /// Residual sum of squares where it ended, in (g/kg)^2; not finite if the model could not be
  /// evaluated.
  public let rss: Double
  /// Iterations it took.
  public let iterations: Int
  /// How it ended.
  public let exit: LeastSquaresExit
}
