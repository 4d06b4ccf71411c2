import RealModule

/// Quantiles of the standard normal distribution, and expected order statistics (normal scores).
package enum NormalScores {
  /// The quantile of the standard normal distribution at p, to about 1e-15; infinite at 0 and 1, NaN beyond.
  ///
  /// Source: Wichura, "Algorithm AS 241", Appl. Statist. 37 (1988) 477-484, in the order in which GSL's
  /// `gsl_cdf_ugaussian_Pinv` computes it, so that the two agree to the last bit.
  package static func quantile(_ p: Double) -> Double {
    let q = p - 0.5
    if abs(q) <= 0.425 { return q * ratio(0.180625 - q * q, center) }
    let tail = min(p, 1 - p)
    guard tail > 0 else { return tail == 0 ? (q < 0 ? -.infinity : .infinity) : .nan }
    let r = (-Double.log(tail)).squareRoot()
    let value = r <= 5 ? ratio(r - 1.6, nearTail) : ratio(r - 5, farTail)
    return q < 0 ? -value : value
  }

  /// The scores of n values in ascending order, after Blom (1958): quantiles of the standard normal
  /// distribution at (i - 3/8) / (n + 1/4).
  package static func blom(_ n: Int) -> [Double] {
    (0..<n).map { quantile((Double($0) + 0.625) / (Double(n) + 0.25)) }
  }

  /// The coefficients of two polynomials of degree 7, from the highest power down; the first is over the second.
  private typealias Coefficients = [SIMD2<Double>]

  private static func ratio(_ x: Double, _ coefficients: Coefficients) -> Double {
    var value = SIMD2<Double>()
    for pair in coefficients { value = x * value + pair }
    return value.x / value.y
  }

  private static let center: Coefficients = [
    [2509.0809287301226727, 5226.4952788528545610],
    [33430.575583588128105, 28729.085735721942674],
    [67265.770927008700853, 39307.895800092710610],
    [45921.953931549871457, 21213.794301586595867],
    [13731.693765509461125, 5394.1960214247511077],
    [1971.5909503065514427, 687.18700749205790830],
    [133.14166789178437745, 42.313330701600911252],
    [3.3871328727963666080, 1],
  ]

  private static let nearTail: Coefficients = [
    [0.000774545014278341407640, 0.00000000105075007164441684324],
    [0.0227238449892691845833, 0.000547593808499534494600],
    [0.241780725177450611770, 0.0151986665636164571966],
    [1.27045825245236838258, 0.148103976427480074590],
    [3.64784832476320460504, 0.689767334985100004550],
    [5.76949722146069140550, 1.67638483018380384940],
    [4.63033784615654529590, 2.05319162663775882187],
    [1.42343711074968357734, 1],
  ]

  private static let farTail: Coefficients = [
    [0.000000201033439929228813265, 2.04426310338993978564e-15],
    [0.0000271155556874348757815, 0.000000142151175831644588870],
    [0.00124266094738807843860, 0.0000184631831751005468180],
    [0.0265321895265761230930, 0.000786869131145613259100],
    [0.296560571828504891230, 0.0148753612908506148525],
    [1.78482653991729133580, 0.136929880922735805310],
    [5.46378491116411436990, 0.599832206555887937690],
    [6.65790464350110377720, 1],
  ]
}
