/// Values in order beside the quantiles that a normal sample of that size would show.
///
/// The positions (i - 3/8) / (n + 1/4) are Blom's (1958).
public struct NormalPlot: Hashable, Sendable {
  /// A value beside its normal quantile.
  public struct Point: Hashable, Sendable {
    /// The quantile of the standard normal distribution.
    public let quantile: Double
    /// The value.
    public let value: Double
  }

  /// In ascending order.
  public let points: [Point]

  /// Puts values in order.
  public init(_ values: [Double]) {
    points = zip(NormalScores.blom(values.count), values.sorted())
      .map { Point(quantile: $0, value: $1) }
  }
}
