import GSL

/// Tests whether numbers come from the standard normal distribution, as residuals weighted and decorrelated
/// by the right model do.
package struct StandardNormalTest: Codable, Hashable, Sendable {
  /// The number of values.
  package let count: Int
  /// Their mean.
  package let mean: Double
  /// The two-sided p value of a mean of 0, if the variance is 1.
  package let meanPValue: Double
  /// Their variance, with divisor n - 1; nil for a single number.
  package let variance: Double?
  /// The two-sided p value of a variance of 1: twice the smaller tail of the chi-squared distribution.
  package let variancePValue: Double?
  /// The test of normality with any mean and variance; nil if it cannot be computed.
  package let normality: ShapiroWilk?

  /// Tests numbers in any order.
  ///
  /// - Returns: nil if there are none, or one is not finite or beyond ±1e150.
  package init?(_ values: [Double]) {
    guard let sample = Sample(values) else { return nil }
    let n = Double(sample.count)
    count = sample.count
    mean = sample.mean
    let tail = (try? StandardNormal.upperTail(abs(sample.mean) * n.squareRoot())) ?? .nan
    meanPValue = min(1, 2 * tail)
    variance = sample.standardDeviation.map { $0 * $0 }
    variancePValue = variance.flatMap { variance in
      guard let distribution = try? ChiSquared(degreesOfFreedom: n - 1),
        let low = try? distribution.lowerTail((n - 1) * variance),
        let high = try? distribution.upperTail((n - 1) * variance)
      else { return nil }
      return min(1, 2 * min(low, high))
    }
    normality = ShapiroWilk(values)
  }
}
