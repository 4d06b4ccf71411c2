public import AlcoholKinetics

/// A quantity estimated from a straight line, with its standard error and interval.
public struct LineEstimate<Unit: UnitOfMeasure>: Hashable, Sendable {
  /// The estimate.
  public let value: Quantity<Unit>
  /// Its standard error.
  public let standardError: Quantity<Unit>
  /// Lower end of the interval.
  public let low: Quantity<Unit>
  /// Upper end of the interval.
  public let high: Quantity<Unit>

  /// The interval reaches `quantile` standard errors to either side.
  init(_ value: Double, standardError: Double, quantile: Double) {
    self.value = Quantity(value)
    self.standardError = Quantity(standardError)
    low = Quantity(value - quantile * standardError)
    high = Quantity(value + quantile * standardError)
  }
}
