internal import CGSL

/// The normal distribution of mean 0 and standard deviation 1.
///
/// Computed by GSL's `gsl_cdf_ugaussian_*`; both tails are good to the last digits, however small.
public enum StandardNormal {
  /// The probability of a value at or below x.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless x is finite.
  public static func lowerTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_ugaussian_P(x) }
  }

  /// The probability of a value above x.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless x is finite.
  public static func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_ugaussian_Q(x) }
  }

  /// The value whose ``lowerTail(_:)`` is p.
  ///
  /// - Throws: ``GSLError`` `GSL_EDOM` unless 0 < p < 1.
  public static func quantile(_ p: Double) throws(GSLError) -> Double {
    try DistributionCall.quantile(p) { gsl_cdf_ugaussian_Pinv(p) }
  }
}
