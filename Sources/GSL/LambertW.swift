internal import CGSL

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Lambert's W function: the real solutions w of w eʷ = x.
///
/// For −1/e ≤ x < 0 there are two, the principal branch W₀ ≥ −1 and the lower branch W₋₁ ≤ −1;
/// for x ≥ 0 only W₀ remains.
///
/// Source: Corless, Gonnet, Hare, Jeffrey and Knuth, "On the Lambert W function", Adv. Comput.
/// Math. 5 (1996) 329-359; computed by GSL's `gsl_sf_lambert_W0_e` and `gsl_sf_lambert_Wm1_e`, with
/// the last digits put right near zero, where the tolerance of GSL's iteration is absolute.
public enum LambertW {
  /// The principal branch W₀(x).
  ///
  /// - Parameter x: finite and not below −1/e.
  /// - Returns: the solution w ≥ −1.
  /// - Throws: ``GSLError`` `GSL_EDOM` outside the domain.
  public static func w0(_ x: Double) throws(GSLError) -> Double {
    guard x.isFinite else { throw outsideDomain(x) }
    // W₀(x) = x − x² + …, which GSL rounds to 0 below 1e-42.
    if abs(x) < 1e-20 { return x }
    return try value(at: x, gsl_sf_lambert_W0_e)
  }

  /// The lower branch W₋₁(x).
  ///
  /// GSL answers with W₀ for a positive x, and with 0 at x = 0, where W₋₁ has its pole; here both
  /// are outside the domain.
  ///
  /// - Parameter x: at least −1/e and below 0.
  /// - Returns: the solution w ≤ −1.
  /// - Throws: ``GSLError`` `GSL_EDOM` outside the domain.
  public static func wMinus1(_ x: Double) throws(GSLError) -> Double {
    guard x.isFinite, x < 0 else { throw outsideDomain(x) }
    let w = try value(at: x, gsl_sf_lambert_Wm1_e)
    // GSL stops up to 4e-11 early here; one Newton step on w + ln(−w) = ln(−x) squares that.
    return w < -10 ? w - (w + log(-w) - log(-x)) / (1 + 1 / w) : w
  }

  private static func value(
    at x: Double,
    _ branch: (Double, UnsafeMutablePointer<gsl_sf_result>?) -> Int32
  ) throws(GSLError) -> Double {
    ErrorHandler.disable()
    var result = gsl_sf_result()
    let status = branch(x, &result)
    if status == GSL_EDOM { throw outsideDomain(x) }
    guard status == GSL_SUCCESS else { throw GSLError(code: status) }
    return result.val
  }

  private static func outsideDomain(_ x: Double) -> GSLError {
    GSLError(code: Int32(GSL_EDOM), reason: "Lambert's W has no real value at \(x) on this branch")
  }
}
