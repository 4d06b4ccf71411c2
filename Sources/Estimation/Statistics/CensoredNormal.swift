import GSL
import RealModule

/// A normal distribution fitted to numbers of which some are known by limits only, by maximum
/// likelihood.
///
/// A number between limits u and v has the likelihood Phi((v - mu) / sigma) - Phi((u - mu) / sigma); one
/// that is known exactly has the density. In mu / sigma and 1 / sigma the logarithm of the likelihood is
/// concave (Burridge 1981), so that Newton's steps come to the only maximum.
///
/// The SD has the divisor n - 1 instead of n, as that of complete numbers has, and the interval of the
/// mean is by Student's t with n - 1 degrees of freedom, n being how many numbers say anything; with
/// complete numbers all of it is the textbook's. The interval of the SD goes by chi squared, with the
/// degrees of freedom that its standard error stands for.
///
/// Source: J. Burridge, "A note on maximum likelihood estimation for regression models using grouped
/// data", J R Stat Soc B 43 (1981) 41-45; the same as `survreg(Surv(..., type = "interval2"), dist =
/// "gaussian")` of R's survival.
public struct CensoredNormal: Codable, Hashable, Sendable {
  /// The mean.
  public let mean: Double
  /// The standard deviation, divisor n - 1.
  public let standardDeviation: Double
  /// Interval of the mean.
  public let meanInterval: Interval
  /// Interval of the standard deviation; nil where too little is known.
  public let deviationInterval: Interval?
  /// The standard deviation of greatest likelihood, divisor n.
  let likeliestDeviation: Double
  /// The logarithm of the likelihood.
  let logLikelihood: Double

  /// Limits nearer to each other than this are one number.
  private static let exactness = 1e-6
  private static let mostSteps = 200

  /// Fits the distribution.
  ///
  /// - Parameters:
  ///   - values: What is known of each number.
  ///   - level: The level of the intervals.
  /// - Returns: nil where there is no maximum: fewer than 2 numbers say anything, none has an upper or
  ///   none a lower limit, or all may be the same.
  public init?(_ values: [CensoredValue], level: Double = IntervalOptions.defaultLevel) {
    let known = values.filter { $0.kind != .unknown }
    guard known.count >= 2, let start = Self.start(known), let tail = (1 + level) / 2 as Double?,
      tail > 0.5, tail < 1, Self.differ(known)
    else { return nil }
    var point = start
    var likelihood = Likelihood(of: known, at: point)
    var isConverged = false
    for _ in 0..<Self.mostSteps {
      guard let step = likelihood.newtonStep else { return nil }
      var fraction = 1.0
      var next = likelihood
      var place = point
      repeat {
        place = Point(a: point.a + fraction * step.a, b: point.b + fraction * step.b)
        next = place.b > 0 ? Likelihood(of: known, at: place) : next
        fraction /= 2
      } while (place.b <= 0 || !(next.value >= likelihood.value)) && fraction > 1e-12
      let moved = abs(place.a - point.a) + abs(place.b - point.b)
      isConverged = moved <= 1e-11 * (abs(point.a) + point.b)
      (point, likelihood) = (place, next)
      // Where all may be the same the SD goes to 0, where one end is open for all to infinity.
      guard point.b < 1e7, point.b > 1e-5, point.a.isFinite else { return nil }
      if isConverged { break }
    }
    guard isConverged || likelihood.isFlat, let covariance = likelihood.covariance,
      let t = try? StudentT(degreesOfFreedom: Double(known.count - 1)).quantile(tail)
    else { return nil }
    let count = Double(known.count)
    let correction = (count / (count - 1)).squareRoot()
    mean = point.a / point.b
    likeliestDeviation = 1 / point.b
    standardDeviation = correction / point.b
    logLikelihood = likelihood.value
    let byB = -mean
    let variance =
      (covariance.aa + 2 * byB * covariance.ab + byB * byB * covariance.bb) / (point.b * point.b)
    let margin = t * correction * max(0, variance).squareRoot()
    meanInterval = Interval(low: mean - margin, high: mean + margin)
    deviationInterval = Self.deviationInterval(
      standardDeviation, relativeVariance: covariance.bb / (point.b * point.b), tail: tail)
  }

  /// A variance with so many degrees of freedom is chi squared over them; for n numbers that are known
  /// the logarithm of the SD has the variance 1 / 2n.
  private static func deviationInterval(
    _ deviation: Double, relativeVariance: Double, tail: Double
  ) -> Interval? {
    let degrees = 1 / (2 * relativeVariance) - 1
    guard degrees > 0, let distribution = try? ChiSquared(degreesOfFreedom: degrees),
      let low = try? distribution.quantile(1 - tail), let high = try? distribution.quantile(tail),
      low > 0
    else { return nil }
    return Interval(
      low: deviation * (degrees / high).squareRoot(),
      high: deviation * (degrees / low).squareRoot())
  }

  /// Whether not all of them may be the same number; else the likelihood grows as the SD goes to 0.
  private static func differ(_ known: [CensoredValue]) -> Bool {
    let lowest = known.map(\.high).min() ?? .infinity
    return known.contains { $0.low > lowest }
  }

  /// The mean and SD of the numbers or their limits.
  private static func start(_ known: [CensoredValue]) -> Point? {
    let middles = known.map { value in
      value.low.isFinite
        ? value.high.isFinite ? (value.low + value.high) / 2 : value.low : value.high
    }
    guard known.contains(where: { $0.high.isFinite }), known.contains(where: { $0.low.isFinite }),
      let sample = Sample(middles), let deviation = sample.standardDeviation
    else { return nil }
    let b = 1 / max(deviation, 1e-3 * max(1e-3, abs(sample.mean)))
    return Point(a: sample.mean * b, b: b)
  }

  /// mu / sigma and 1 / sigma.
  private struct Point {
    var a: Double
    var b: Double
  }

  /// The logarithm of the likelihood with its first and second derivatives.
  private struct Likelihood {
    var value = 0.0
    var (a, b) = (0.0, 0.0)
    var (aa, ab, bb) = (0.0, 0.0, 0.0)

    init(of values: [CensoredValue], at point: Point) {
      for value in values {
        if value.high - value.low <= CensoredNormal.exactness {
          add(value.value ?? (value.low + value.high) / 2, at: point)
        } else {
          add(from: value.low, to: value.high, at: point)
        }
      }
    }

    private mutating func add(_ x: Double, at point: Point) {
      let z = point.b * x - point.a
      value += Double.log(point.b) - 0.5 * z * z - Double.log(2 * .pi) / 2
      a += z
      b += 1 / point.b - z * x
      aa -= 1
      ab += x
      bb -= 1 / (point.b * point.b) + x * x
    }

    private mutating func add(from low: Double, to high: Double, at point: Point) {
      let (zl, zu) = (point.b * low - point.a, point.b * high - point.a)
      let logP = Self.logProbability(from: zl, to: zu)
      // Densities over the probability between the ends; 0 at infinity, whatever they are multiplied by.
      let upper = Self.ratio(zu, logP), lower = Self.ratio(zl, logP)
      let (u, l) = (high.isFinite ? high : 0, low.isFinite ? low : 0)
      let (uz, lz) = (high.isFinite ? zu : 0, low.isFinite ? zl : 0)
      let byA = lower - upper
      let byB = upper * u - lower * l
      value += logP
      a += byA
      b += byB
      aa += lz * lower - uz * upper - byA * byA
      ab += uz * upper * u - lz * lower * l - byA * byB
      bb += lz * lower * l * l - uz * upper * u * u - byB * byB
    }

    private static func ratio(_ z: Double, _ logP: Double) -> Double {
      z.isFinite ? Double.exp(-0.5 * z * z - Double.log(2 * .pi) / 2 - logP) : 0
    }

    /// log(Phi(high) - Phi(low)), in the tail where it keeps its digits.
    private static func logProbability(from low: Double, to high: Double) -> Double {
      let (near, far) = low > 0 ? (-low, -high) : (high, low)
      let larger = StandardNormal.logLowerTail(near)
      let smaller = StandardNormal.logLowerTail(far)
      return larger + Double.log(onePlus: -Double.exp(smaller - larger))
    }

    private var determinant: Double { aa * bb - ab * ab }

    /// Minus the inverse of the second derivatives.
    var covariance: (aa: Double, ab: Double, bb: Double)? {
      guard aa < 0, determinant > 0, determinant.isFinite else { return nil }
      return (-bb / determinant, ab / determinant, -aa / determinant)
    }

    var newtonStep: Point? {
      covariance.map { Point(a: $0.aa * a + $0.ab * b, b: $0.ab * a + $0.bb * b) }
    }

    /// Whether the next step would gain nothing that doubles can tell.
    var isFlat: Bool {
      newtonStep.map { abs($0.a * a + $0.b * b) <= 1e-12 * max(1, abs(value)) } ?? false
    }
  }
}

/// What a reading below its limit of detection says by its likelihood alone (method M3, Beal 2001).
package enum BelowLimit {
  /// -2 ln Phi(z), and the inverse Mills ratio phi(z) / Phi(z), half the slope at which it falls.
  ///
  /// - Parameter z: The limit minus the prediction, in standard deviations.
  package static func cost(_ z: Double) -> (cost: Double, hazard: Double) {
    (-2 * StandardNormal.logLowerTail(z), StandardNormal.inverseMillsRatio(z))
  }
}
