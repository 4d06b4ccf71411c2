public import AlcoholKinetics
public import GSL

/// What became of one starting point.
public struct StartOutcome: Hashable, Sendable {
  /// Where it began.
  public let start: ParameterValues
  /// Where it ended.
  public let end: ParameterValues
  /// The sum of squared residuals where it ended; not finite if the model could not be evaluated.
  ///
  /// In (g/kg)^2 for additive errors, otherwise without unit. Losses and censored likelihoods come
  /// into play after the starts, from the best minima on.
  public let objective: Double
  /// Iterations it took.
  public let iterations: Int
  /// How it ended.
  public let exit: LeastSquaresExit
  /// Whether it ended at the best minimum of all starts.
  public let foundBest: Bool

  /// How it ended, in the words of results and messages.
  public var exitName: String { exit.rawValue }
}
