internal import CGSL

/// Student's t distribution.
///
/// Computed by GSL's `gsl_cdf_tdist_*`. Up to 30 degrees of freedom the tails are good to the last
/// digits; beyond, where GSL goes by way of the normal distribution (Cornish & Fisher 1937), to six
/// digits or more.
public struct StudentT: Hashable, Sendable {
  /// The degrees of freedom, positive and not necessarily whole.
  public let degreesOfFreedom: Double

  /// Creates the distribution.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless the degrees of freedom are positive and finite.
  public init(degreesOfFreedom: Double) throws(GSLError) {
    try DistributionCall.check(degreesOfFreedom: degreesOfFreedom)
    self.degreesOfFreedom = degreesOfFreedom
  }

  /// The probability of a value at or below x.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless x is finite.
  public func lowerTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_tdist_P(x, degreesOfFreedom) }
  }

  /// The probability of a value above x.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless x is finite.
  public func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_tdist_Q(x, degreesOfFreedom) }
  }

  /// The value whose ``lowerTail(_:)`` is p.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless 0 < p < 1, `GSL_EFAILED` if GSL finds no answer.
  public func quantile(_ p: Double) throws(GSLError) -> Double {
    try DistributionCall.quantile(p) { gsl_cdf_tdist_Pinv(p, degreesOfFreedom) }
  }
}
