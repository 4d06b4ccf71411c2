internal import CGSL

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The normal distribution of mean 0 and standard deviation 1.
///
/// Computed by GSL's `gsl_cdf_ugaussian_*`; both tails are good to the last digits, however small.
package enum StandardNormal {
  /// The probability of a value at or below x.
  package static func lowerTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_ugaussian_P(x) }
  }

  /// The probability of a value above x.
  package static func upperTail(_ x: Double) throws(GSLError) -> Double {
    try DistributionCall.tail(x) { gsl_cdf_ugaussian_Q(x) }
  }
}

// MARK: - In inner loops

extension StandardNormal {
  /// The logarithm of the probability of a value at or below x.
  ///
  /// It neither throws nor allocates, for likelihoods: log Φ(−∞) = −∞, log Φ(∞) = 0, and NaN gives
  /// NaN. For finite x it is finite up to |x| of 1e150, and good to 1e-14 relatively.
  package static func logLowerTail(_ x: Double) -> Double {
    if x < tailBegin { return -0.5 * x * x - halfLog2Pi + log(tailRatio(-x)) }
    if x <= 0 { return log(0.5 * erfc(-x * squareRootOfHalf)) }
    if x < -tailBegin { return log1p(-0.5 * erfc(x * squareRootOfHalf)) }
    return log1p(-density(x) * tailRatio(x))
  }

  /// The inverse Mills ratio φ(x)/Φ(x), the derivative of ``logLowerTail(_:)``.
  ///
  /// It neither throws nor allocates, for likelihoods: it is ∞ at −∞, 0 at ∞, and NaN gives NaN.
  /// For x far below 0 it is about −x. It is good to 1e-14 relatively, unless it is below 1e-307.
  package static func inverseMillsRatio(_ x: Double) -> Double {
    if x < tailBegin { return 1 / tailRatio(-x) }
    return density(x) / (0.5 * erfc(-x * squareRootOfHalf))
  }

  /// The x below which the continued fraction is used: there φ and Φ lose digits, and few terms are needed.
  private static let tailBegin = -5.0

  private static let halfLog2Pi = 0.918938533204672741780329736406
  private static let squareRootOfHalf = 0.707106781186547524400844362105
  private static let peakDensity = 0.398942280401432677939946059934

  /// The density φ(x).
  private static func density(_ x: Double) -> Double {
    // It is 0 in a double from 38.6 on.
    let x = min(x, 40)
    let square = x * x
    // The rounding error of the square, which the exponential function would amplify.
    let rest = (-square).addingProduct(x, x)
    return peakDensity * exp(-0.5 * square) * (1 - 0.5 * rest)
  }

  /// Mills' ratio (1 − Φ(t))/φ(t) for t of at least 5.
  ///
  /// Laplace's continued fraction 1/(t + 1/(t + 2/(t + 3/(t + …)))); at t = 5 twenty terms are good
  /// to 3e-15, at 6 to the last digit.
  private static func tailRatio(_ t: Double) -> Double {
    var fraction = t
    for k in stride(from: 20.0, to: 0, by: -1) {
      fraction = t + k / fraction
    }
    return 1 / fraction
  }
}
