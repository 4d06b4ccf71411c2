internal import CGSL

/// Derivatives of the logarithm of the gamma function, computed by GSL's `gsl_sf_psi_n`.
public enum PolyGamma {
  /// The first derivative psi(x), the digamma function; nil unless x is positive and finite.
  public static func digamma(_ x: Double) -> Double? { value(0, x) }

  /// The second derivative psi'(x), the trigamma function; nil unless x is positive and finite.
  public static func trigamma(_ x: Double) -> Double? { value(1, x) }

  private static func value(_ order: Int32, _ x: Double) -> Double? {
    guard x > 0, x.isFinite else { return nil }
    ErrorHandler.disable()
    var result = gsl_sf_result()
    guard gsl_sf_psi_n_e(order, x, &result) == GSL_SUCCESS, result.val.isFinite else { return nil }
    return result.val
  }
}
