import GSL
import RealModule

/// The size of residuals, up to half of which may be anything: an M-estimate of scale.
///
/// Of residuals r it is the s that solves
///
///     sum of rho(r / s) = (n - p) / 2,   rho(u) = 1 - (1 - (u / c)^2)^3 up to c, then 1
///
/// with Tukey's bisquare and c such that E rho = 1/2 for normal errors, whose standard deviation it then
/// estimates. The curve that makes it least is the S-estimate (Rousseeuw & Yohai 1984); n - p instead
/// of n is the correction for few readings of R's `robustbase::lmrob`.
enum RobustScale {
  /// c: the root of E rho(Z) = 1/2, Z standard normal; 1.547 in Rousseeuw & Yohai (1984).
  static let tuning = 1.547_644_980_928_229
  /// E rho for normal errors, and the share of bad residuals that s survives.
  private static let breakdown = 0.5

  /// The scale; nil without degrees of freedom, and 0 if too many residuals are zero.
  ///
  /// - Parameter degreesOfFreedom: n - p, n being the readings that tell of the size of errors;
  ///   further residuals may be given that count where they are not zero.
  static func scale(of residuals: [Double], degreesOfFreedom: Int) -> Double? {
    guard degreesOfFreedom > 0 else { return nil }
    let sizes = residuals.map(abs).filter { $0 > 0 }
    let target = breakdown * Double(degreesOfFreedom)
    guard Double(sizes.count) > target, let least = sizes.min() else { return 0 }
    func excess(_ logScale: Double) -> Double {
      let unit = tuning * .exp(logScale)
      return sizes.reduce(-target) { sum, size in
        let z = (size / unit) * (size / unit)
        return sum + 3 * Loss.bisquare.cost(z)
      }
    }
    // Where all residuals are beyond c the sum is their number; and rho(u) <= 3 (u / c)^2.
    let sumOfSquares = sizes.reduce(0) { $0 + $1 * $1 }
    let slack = 1e-9
    let root = try? BracketedRoot.find(
      from: .log(least / tuning) - slack,
      to: .log((3 * sumOfSquares / target).squareRoot() / tuning) + slack,
      absoluteTolerance: 1e-13, relativeTolerance: 0, of: excess)
    return (root ?? nil).map { .exp($0) }
  }
}
