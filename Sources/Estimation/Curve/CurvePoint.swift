public import AlcoholKinetics

/// A point of a curve, with the interval that the uncertainty of its parameters gives it.
public struct CurvePoint: Hashable, Sendable {
  /// When, on the clock of the series.
  public let time: Hours
  /// The concentration there.
  public let concentration: GramsPerKilogram
  /// The lower end; nil where there is no covariance to compute it from.
  public let low: GramsPerKilogram?
  /// The upper end.
  public let high: GramsPerKilogram?
}
