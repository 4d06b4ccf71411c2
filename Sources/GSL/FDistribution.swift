internal import CGSL

/// Fisher's F distribution.
///
/// Computed by GSL's `gsl_cdf_fdist_*`.
public struct FDistribution: Hashable, Sendable {
  /// The degrees of freedom of the numerator, positive.
  public let numerator: Double
  /// The degrees of freedom of the denominator, positive.
  public let denominator: Double

  /// Creates the distribution.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless the degrees of freedom are positive and finite.
  public init(numerator: Double, denominator: Double) throws(GSLError) {
    try DistributionCall.check(degreesOfFreedom: numerator)
    try DistributionCall.check(degreesOfFreedom: denominator)
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The probability of a value above x, which is 1 for a negative x.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless x is finite.
  public func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_fdist_Q(x, numerator, denominator) }
  }
}
