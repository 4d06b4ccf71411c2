internal import CGSL

/// Student's t distribution.
///
/// Computed by GSL's `gsl_cdf_tdist_*`. Up to 30 degrees of freedom the tails are good to the last
/// digits; beyond, where GSL uses an expansion about the normal distribution (Cornish & Fisher 1937), to six
/// digits or more.
package struct StudentT: Hashable, Sendable {
  /// The degrees of freedom, positive and not necessarily whole.
  package let degreesOfFreedom: Double

  /// Creates the distribution.
  package init(degreesOfFreedom: Double) throws(GSLError) {
    try DistributionCall.check(degreesOfFreedom: degreesOfFreedom)
    self.degreesOfFreedom = degreesOfFreedom
  }

  /// The probability of a value at or below x.
  package func lowerTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_tdist_P(x, degreesOfFreedom) }
  }

  /// The probability of a value above x.
  package func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_tdist_Q(x, degreesOfFreedom) }
  }

  /// The value whose ``lowerTail(_:)`` is p.
  package func quantile(_ p: Double) throws(GSLError) -> Double {
    try DistributionCall.quantile(p) { gsl_cdf_tdist_Pinv(p, degreesOfFreedom) }
  }
}

/// The chi-squared distribution.
///
/// Computed by GSL's `gsl_cdf_chisq_*`, which lose less than three digits of a double.
package struct ChiSquared: Hashable, Sendable {
  /// The degrees of freedom, positive and not necessarily whole.
  package let degreesOfFreedom: Double

  /// Creates the distribution.
  package init(degreesOfFreedom: Double) throws(GSLError) {
    try DistributionCall.check(degreesOfFreedom: degreesOfFreedom)
    self.degreesOfFreedom = degreesOfFreedom
  }

  /// The probability of a value at or below x, which is 0 for a negative x.
  package func lowerTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_chisq_P(x, degreesOfFreedom) }
  }

  /// The probability of a value above x, which is 1 for a negative x.
  package func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_chisq_Q(x, degreesOfFreedom) }
  }

  /// The value whose ``lowerTail(_:)`` is p.
  package func quantile(_ p: Double) throws(GSLError) -> Double {
    try DistributionCall.quantile(p) { gsl_cdf_chisq_Pinv(p, degreesOfFreedom) }
  }
}

/// Fisher's F distribution.
///
/// Computed by GSL's `gsl_cdf_fdist_*`.
package struct FDistribution: Hashable, Sendable {
  /// The degrees of freedom of the numerator, positive.
  package let numerator: Double
  /// The degrees of freedom of the denominator, positive.
  package let denominator: Double

  /// Creates the distribution.
  package init(numerator: Double, denominator: Double) throws(GSLError) {
    try DistributionCall.check(degreesOfFreedom: numerator)
    try DistributionCall.check(degreesOfFreedom: denominator)
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The probability of a value above x, which is 1 for a negative x.
  package func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_fdist_Q(x, numerator, denominator) }
  }
}

/// Derivatives of the logarithm of the gamma function, computed by GSL's `gsl_sf_psi_n`.
package enum PolyGamma {
  /// The first derivative psi(x), the digamma function; nil unless x is positive and finite.
  package static func digamma(_ x: Double) -> Double? { value(0, x) }

  /// The second derivative psi'(x), the trigamma function; nil unless x is positive and finite.
  package static func trigamma(_ x: Double) -> Double? { value(1, x) }

  private static func value(_ order: Int32, _ x: Double) -> Double? {
    guard x > 0, x.isFinite else { return nil }
    ErrorHandler.disable()
    var result = gsl_sf_result()
    guard gsl_sf_psi_n_e(order, x, &result) == GSL_SUCCESS, result.val.isFinite else { return nil }
    return result.val
  }
}

/// Calls of GSL's distribution functions, with the checks that GSL leaves to its caller.
///
/// GSL's functions return NaN for values that they cannot compute, such as the tail of chi-squared at infinity.
enum DistributionCall {
  /// Throws unless degrees of freedom are positive and finite.
  static func check(degreesOfFreedom: Double) throws(GSLError) {
    guard degreesOfFreedom > 0, degreesOfFreedom.isFinite else {
      throw outsideDomain("\(degreesOfFreedom) degrees of freedom")
    }
  }

  /// Returns the probability of a tail at x.
  static func tail(_ x: Double, _ function: () -> Double) throws(GSLError) -> Double {
    guard x.isFinite else { throw outsideDomain("no tail begins at \(x)") }
    return try finite(function)
  }

  /// Returns the quantile of p.
  static func quantile(_ p: Double, _ function: () -> Double) throws(GSLError) -> Double {
    guard p > 0, p < 1 else { throw outsideDomain("no finite value has the probability \(p)") }
    return try finite(function)
  }

  private static func finite(_ function: () -> Double) throws(GSLError) -> Double {
    ErrorHandler.disable()
    let value = function()
    guard value.isFinite else {
      throw GSLError(code: Int32(GSL_EFAILED), reason: "the distribution cannot be computed there")
    }
    return value
  }

  private static func outsideDomain(_ reason: String) -> GSLError {
    GSLError(code: Int32(GSL_EDOM), reason: reason)
  }
}
