internal import CGSL

/// The chi-squared distribution.
///
/// Computed by GSL's `gsl_cdf_chisq_*`, which lose less than three digits of a double.
public struct ChiSquared: Hashable, Sendable {
  /// The degrees of freedom, positive and not necessarily whole.
  public let degreesOfFreedom: Double

  /// Creates the distribution.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless the degrees of freedom are positive and finite.
  public init(degreesOfFreedom: Double) throws(GSLError) {
    try DistributionCall.check(degreesOfFreedom: degreesOfFreedom)
    self.degreesOfFreedom = degreesOfFreedom
  }

  /// The probability of a value at or below x, which is 0 for a negative x.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless x is finite.
  public func lowerTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_chisq_P(x, degreesOfFreedom) }
  }

  /// The probability of a value above x, which is 1 for a negative x.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless x is finite.
  public func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_chisq_Q(x, degreesOfFreedom) }
  }

  /// The value whose ``lowerTail(_:)`` is p.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless 0 < p < 1, `GSL_EFAILED` if GSL finds no answer.
  public func quantile(_ p: Double) throws(GSLError) -> Double {
    try DistributionCall.quantile(p) { gsl_cdf_chisq_Pinv(p, degreesOfFreedom) }
  }
}
