public import AlcoholKinetics

/// One reading beside its prediction.
public struct FittedReading: Hashable, Sendable {
  /// When it was taken, on the clock of its series.
  public let time: Hours
  /// What was measured, in blood.
  public let observed: GramsPerKilogram
  /// The limit of detection in blood, if the reading is censored.
  public let limit: GramsPerKilogram?
  /// What the fit did with it.
  public let use: ReadingUse
  /// What the fitted model predicts, gain included.
  public let predicted: GramsPerKilogram
  /// The standard deviation that the error model gives it, in g/kg; nil if it was not fitted.
  public let standardDeviation: Double?
  /// Observed minus predicted over its standard error, sigma sqrt(1 - leverage); nil unless
  /// quantified. Where errors go together, what the reading before says is taken away first.
  public let standardisedResidual: Double?
  /// Its say in its own prediction, from 0 to 1; nil if it was not fitted.
  public let leverage: Double?
  /// Cook's distance: how far the estimates would move without it (Cook 1977); nil unless
  /// quantified.
  public let cookDistance: Double?

  /// Observed minus predicted.
  public var residual: GramsPerKilogram { observed - predicted }
}
