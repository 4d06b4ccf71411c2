public import Estimation

/// How blood to breath ratios are spread over subjects; all values but the count are ratios.
public struct BloodBreathSpread: Hashable, Sendable {
  /// How many subjects have a ratio.
  public let count: Int
  /// The mean.
  public let mean: Double
  /// The standard deviation, with divisor n - 1; nil for a single subject.
  public let standardDeviation: Double?
  /// The median.
  public let median: Double
  /// The range of the middle 95 % of subjects: the quantiles at 2.5 and 97.5 %.
  ///
  /// It is where people lie, not where the mean does; no distribution is assumed.
  public let middle95Percent: Interval
  /// From the smallest to the largest ratio.
  public let range: Interval

  /// Summarises ratios; nil if there are none, or one is not finite.
  public init?(of ratios: [BloodBreathRatio]) {
    guard let sample = Sample(ratios.map(\.value)),
      let low = sample.quantile(0.025), let high = sample.quantile(0.975),
      let smallest = sample.sorted.first, let largest = sample.sorted.last
    else { return nil }
    count = sample.count
    mean = sample.mean
    standardDeviation = sample.standardDeviation
    median = sample.median
    middle95Percent = Interval(low: low, high: high)
    range = Interval(low: smallest, high: largest)
  }
}
