internal import CGSL

/// Calls of GSL's distribution functions, with the checks that GSL leaves to its caller.
///
/// They answer NaN for what they cannot compute, such as the tail of chi-squared at infinity.
enum DistributionCall {
  /// Throws unless degrees of freedom can be used.
  static func check(degreesOfFreedom: Double) throws(GSLError) {
    guard degreesOfFreedom > 0, degreesOfFreedom.isFinite else {
      throw outsideDomain("\(degreesOfFreedom) degrees of freedom")
    }
  }

  /// A tail's probability at x.
  static func tail(_ x: Double, _ function: () -> Double) throws(GSLError) -> Double {
    guard x.isFinite else { throw outsideDomain("no tail begins at \(x)") }
    return try finite(function)
  }

  /// The quantile of p.
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
