import GSL
import RealModule

/// The loss function of a residual; losses other than the square limit the influence of outliers.
///
/// With u the residual in residual SDs and z = (u/c)^2, c being the tuning constant, a fit minimises
/// the sum of c^2 rho(z) over the readings.
///
/// | loss | rho(z) | far off |
/// |---|---|---|
/// | ``linear`` | z | costs its square |
/// | ``softL1`` | 2 (sqrt(1 + z) - 1) | costs its size |
/// | ``huber`` | z for z <= 1, then 2 sqrt(z) - 1 | costs its size |
/// | ``cauchy`` | ln(1 + z) | costs ever less more |
/// | ``bisquare`` | (1 - (1 - z)^3) / 3 for z <= 1, then 1/3 | costs nothing more |
///
/// Source: Huber (1964); Beaton & Tukey (1974) for the bisquare; the scaling is that of Triggs et al.
/// (2000), which SciPy's `least_squares` and Ceres share.
public enum Loss: String, CaseIterable, Codable, Hashable, Sendable {
  /// The square: least squares.
  case linear
  /// A smooth form of Huber's.
  case softL1 = "soft-l1"
  /// The square near zero, the absolute value far off (Huber 1964).
  case huber
  /// The logarithm (Cauchy's distribution).
  case cauchy
  /// Tukey's biweight: beyond c, a reading has no influence (Beaton & Tukey 1974).
  case bisquare

  /// The tuning constant with which a fit of normal errors needs only 5 % more readings than least
  /// squares for the same precision.
  ///
  /// Holland & Welsch (1977); for the soft-L1 loss by quadrature.
  public var defaultTuning: Double {
    switch self {
    case .linear: 1
    case .softL1: 1.2871
    case .huber: 1.345
    case .cauchy: 2.385
    case .bisquare: 4.685
    }
  }

  /// rho(z).
  func cost(_ z: Double) -> Double {
    switch self {
    case .linear: z
    // 2 (sqrt(1 + z) - 1) without cancellation for small z.
    case .softL1: 2 * z / ((1 + z).squareRoot() + 1)
    case .huber: z <= 1 ? z : 2 * z.squareRoot() - 1
    case .cauchy: .log(onePlus: z)
    // (1 - (1 - z)^3) / 3 multiplied out, for the same reason.
    case .bisquare: z <= 1 ? z * (1 - z + z * z / 3) : 1 / 3
    }
  }

  /// rho'(z), the weight of a reading.
  func weight(_ z: Double) -> Double {
    switch self {
    case .linear: 1
    case .softL1: 1 / (1 + z).squareRoot()
    case .huber: z <= 1 ? 1 : 1 / z.squareRoot()
    case .cauchy: 1 / (1 + z)
    case .bisquare: z <= 1 ? (1 - z) * (1 - z) : 0
    }
  }

  /// rho'(z) + 2 z rho''(z), the slope psi' of the residual's score.
  func scoreSlope(_ z: Double) -> Double {
    switch self {
    case .linear: 1
    case .softL1: 1 / ((1 + z) * (1 + z).squareRoot())
    case .huber: z <= 1 ? 1 : 0
    case .cauchy: (1 - z) / ((1 + z) * (1 + z))
    case .bisquare: z <= 1 ? (1 - z) * (1 - 5 * z) : 0
    }
  }
}

/// An M-estimate of the scale of residuals with a breakdown point of 1/2.
///
/// For residuals r it is the s that solves
///
///     sum of rho(r / s) = (n - p) / 2,   rho(u) = 1 - (1 - (u / c)^2)^3 up to c, then 1
///
/// with Tukey's bisquare and c such that E rho = 1/2 for normal errors, whose standard deviation it then
/// estimates. The curve that minimises it is the S-estimate (Rousseeuw & Yohai 1984); n - p instead
/// of n is the correction for few readings of R's `robustbase::lmrob`.
enum RobustScale {
  /// c: the root of E rho(Z) = 1/2, Z standard normal; 1.547 in Rousseeuw & Yohai (1984).
  static let tuning = 1.547_644_980_928_229
  /// E rho for normal errors, which equals the breakdown point.
  private static let breakdown = 0.5

  /// Returns the scale; nil without degrees of freedom, and 0 if too many residuals are zero.
  ///
  /// - Parameter degreesOfFreedom: n - p, n being the readings that determine the size of errors;
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
