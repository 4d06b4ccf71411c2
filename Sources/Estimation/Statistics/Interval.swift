/// A range of numbers from low to high, in the unit of what it is an interval of.
public struct Interval: Hashable, Sendable {
  /// The lower end.
  public let low: Double
  /// The upper end, not below the lower one.
  public let high: Double

  /// Creates an interval from its ends, of which `low` must not be the larger.
  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}
