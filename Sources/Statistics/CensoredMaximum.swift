import RealModule

/// The normal distribution of numbers that are known between limits only, by maximum likelihood.
///
/// A number x known to lie in [a, b] contributes Phi((b - mean) / sd) - Phi((a - mean) / sd), the probability of what
/// was seen, either limit may be infinite; one that is known exactly contributes the density. In mean / sd and 1 / sd
/// the logarithm of the likelihood is concave, so that Newton's method finds its one maximum.
///
/// Source: R. J. Olsen, "Note on the uniqueness of the maximum likelihood estimator for the Tobit model",
/// Econometrica 46 (1978) 1211-1215; J. Burridge, "A note on maximum likelihood estimation for regression models using
/// grouped data", J R Stat Soc B 43 (1981) 41-45.
package struct CensoredMaximum: Sendable {
  /// The mean, in the unit of the numbers.
  package let mean: Double
  /// The standard deviation of greatest likelihood, divisor n; 0 if one number can be all of them.
  package let sd: Double
  /// The logarithm of the probability of what was seen; 0 if one number can be all of them.
  package let logLikelihood: Double
  /// Minus the inverse of the second derivatives of it in mean / sd and 1 / sd; nil if one number can be all of them.
  package let covariance: (aa: Double, ab: Double, bb: Double)?

  /// Limits nearer to each other than this are one number.
  private static let exactness = 1e-6
  /// A standard deviation so many times the spread of all limits is one without end.
  private static let widest = 1000.0
  /// Newton's method takes 4 to 8 steps where there is a maximum.
  private static let mostSteps = 100

  /// Finds the maximum.
  ///
  /// - Parameters:
  ///   - limits: What each number lies between.
  ///   - weights: How often each counts; nil for once each.
  ///   - start: Where to begin, such as the maximum for other weights.
  /// - Returns: Nil if the likelihood has no maximum: no numbers, or only lower limits, or only upper ones.
  package init?(_ limits: [Interval], weights: [Double]? = nil, from start: CensoredMaximum? = nil)
  {
    let weights = weights ?? limits.map { _ in 1 }
    let used = limits.indices.filter { weights[$0] > 0 }
    guard let low = used.map({ limits[$0].low }).max(),
      let high = used.map({ limits[$0].high }).min()
    else { return nil }
    if low <= high {
      guard low.isFinite, high.isFinite else { return nil }
      self.init(mean: (low + high) / 2, sd: 0, logLikelihood: 0)
      return
    }
    guard
      var best = Maximum(
        start.flatMap { $0.sd > 0 ? $0 : nil } ?? Self.start(limits, weights), limits, weights)
    else { return nil }
    for _ in 0..<Self.mostSteps {
      guard let (next, gain) = best.improved(limits, weights) else { return nil }
      best = next
      if gain == 0 {
        // The likelihood of lower limits above upper ones grows with the spread.
        guard best.sd < Self.widest * Self.spread(used.map { limits[$0] }) else { return nil }
        self.init(
          mean: best.mean, sd: best.sd, logLikelihood: best.value,
          covariance: best.derivatives.covariance)
        return
      }
    }
    return nil
  }

  /// Where the maximum goes if all numbers have upper limits only.
  package static let unlimited = CensoredMaximum(mean: -.infinity, sd: .infinity)

  /// The distribution of the numbers with their other sign.
  package var reflected: CensoredMaximum {
    CensoredMaximum(mean: -mean, sd: sd, logLikelihood: logLikelihood)
  }

  init(a: Double, d: Double, logLikelihood: Double = 0) {
    self.init(mean: a / d, sd: 1 / d, logLikelihood: logLikelihood)
  }

  private init(
    mean: Double, sd: Double, logLikelihood: Double = 0,
    covariance: (aa: Double, ab: Double, bb: Double)? = nil
  ) {
    self.mean = mean
    self.sd = sd
    self.logLikelihood = logLikelihood
    self.covariance = covariance
  }

  /// From the lowest to the highest of all limits that there are.
  private static func spread(_ limits: [Interval]) -> Double {
    let finite = limits.flatMap { [$0.low, $0.high] }.filter(\.isFinite)
    return (finite.max() ?? 0) - (finite.min() ?? 0)
  }

  /// Mean and spread of the middles, or of the only limits.
  private static func start(_ limits: [Interval], _ weights: [Double]) -> CensoredMaximum {
    let known = zip(limits, weights).compactMap { limits, weight -> (Double, Double)? in
      switch (limits.low.isFinite, limits.high.isFinite) {
      case (true, true): ((limits.low + limits.high) / 2, weight)
      case (true, false): (limits.low, weight)
      case (false, true): (limits.high, weight)
      case (false, false): nil
      }
    }
    let count = known.reduce(0) { $0 + $1.1 }
    let mean = known.reduce(0) { $0 + $1.0 * $1.1 } / count
    let variance = known.reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 } / count
    let widths = limits.map { $0.high - $0.low }.filter { $0.isFinite && $0 > 0 }
    return CensoredMaximum(mean: mean, sd: max(variance.squareRoot(), widths.min() ?? 1e-6))
  }

  /// What a number known between limits adds to the logarithm of the likelihood, and to its first and second derivatives.
  struct Term {
    let value, a, d, aa, ad, dd: Double

    init(_ limits: Interval, a: Double, d: Double) {
      let (low, high) = (limits.low, limits.high)
      guard high - low > exactness else {
        let x = (low + high) / 2
        let z = x * d - a
        value = Double.log(d) + StandardInterval.logDensity(z)
        (self.a, self.d) = (z, 1 / d - z * x)
        (aa, ad, dd) = (-1, x, -1 / (d * d) - x * x)
        return
      }
      let interval = StandardInterval(low * d - a, high * d - a)
      value = interval.logProbability
      let (p, q) = interval.densities(over: value)
      // Densities at infinite limits are 0, and so are their products.
      let (l, lz) = low.isFinite ? (low, interval.low) : (0, 0)
      let (h, hz) = high.isFinite ? (high, interval.high) : (0, 0)
      let (byA, byD) = (p - q, q * h - p * l)
      (self.a, self.d) = (byA, byD)
      aa = lz * p - hz * q - byA * byA
      ad = hz * q * h - lz * p * l - byA * byD
      dd = lz * p * l * l - hz * q * h * h - byD * byD
    }
  }

  /// A point on the way to the maximum, in a = mean / sd and d = 1 / sd.
  private struct Maximum {
    let a: Double
    let d: Double
    let value: Double
    let derivatives: Derivatives

    var mean: Double { a / d }
    var sd: Double { 1 / d }

    init?(_ normal: CensoredMaximum, _ limits: [Interval], _ weights: [Double]) {
      self.init(a: normal.mean / normal.sd, d: 1 / normal.sd, limits, weights)
    }

    private init?(a: Double, d: Double, _ limits: [Interval], _ weights: [Double]) {
      guard d > 0, d.isFinite, a.isFinite else { return nil }
      var value = 0.0
      var sum = Derivatives()
      for index in limits.indices where weights[index] > 0 {
        let term = Term(limits[index], a: a, d: d)
        value += weights[index] * term.value
        sum.add(weights[index], term)
      }
      guard value.isFinite else { return nil }
      self.a = a
      self.d = d
      self.value = value
      derivatives = sum
    }

    /// A Newton step, halved until it does not lead down, and by how much it leads up.
    func improved(_ limits: [Interval], _ weights: [Double]) -> (Maximum, gain: Double)? {
      let slopes = derivatives
      guard let c = slopes.covariance else { return nil }
      let step = (a: c.aa * slopes.a + c.ab * slopes.d, d: c.ab * slopes.a + c.bb * slopes.d)
      // A gain that rounding hides in the value still brings the digits of a last step.
      if slopes.a * step.a + slopes.d * step.d < 1e-13 * max(1, abs(value)) {
        return (Maximum(a: a + step.a, d: d + step.d, limits, weights) ?? self, 0)
      }
      var fraction = 1.0
      while fraction > 1e-10 {
        if let next = Maximum(a: a + fraction * step.a, d: d + fraction * step.d, limits, weights),
          next.value >= value
        {
          return (next, next.value - value)
        }
        fraction /= 2
      }
      return (self, 0)
    }
  }

  /// First and second derivatives of the logarithm of the likelihood.
  private struct Derivatives {
    var (a, d) = (0.0, 0.0)
    private var (aa, ad, dd) = (0.0, 0.0, 0.0)

    mutating func add(_ weight: Double, _ term: Term) {
      a += weight * term.a
      d += weight * term.d
      aa += weight * term.aa
      ad += weight * term.ad
      dd += weight * term.dd
    }

    /// Minus the inverse of the second derivatives.
    var covariance: (aa: Double, ab: Double, bb: Double)? {
      let determinant = aa * dd - ad * ad
      guard aa < 0, determinant > 0, determinant.isFinite else { return nil }
      return (-dd / determinant, ad / determinant, -aa / determinant)
    }
  }
}

// MARK: - What is expected of a number that is known between limits

extension CensoredMaximum {
  /// The mean of an x between limits.
  package func mean(in limits: Interval) -> Double {
    clamped(sd > 0 ? conditionalMean(in: limits) : mean, limits)
  }

  /// The mean of |x| for an x between limits.
  package func meanMagnitude(in limits: Interval) -> Double {
    guard sd > 0, let (below, above, share) = split(limits, at: 0) else {
      return abs(mean(in: limits))
    }
    return share * abs(mean(in: below)) + (1 - share) * abs(mean(in: above))
  }

  /// The means of e^x and of its distance from a number above 0, for an x between limits.
  package func exponential(
    in limits: Interval, from c: Double = 1
  ) -> (mean: Double, distance: Double) {
    guard sd > 0 else {
      let value = Double.exp(clamped(mean, limits))
      return (value, abs(value - c))
    }
    guard let (below, above, share) = split(limits, at: Double.log(c)) else {
      let value = conditionalExponential(in: limits)
      return (value, abs(value - c))
    }
    let (low, high) = (conditionalExponential(in: below), conditionalExponential(in: above))
    return (
      share * low + (1 - share) * high, share * abs(low - c) + (1 - share) * abs(high - c)
    )
  }

  /// The probability that an x between limits lies between others.
  package func probability(of wanted: Interval, in limits: Interval) -> Double {
    let part = Interval(low: max(wanted.low, limits.low), high: min(wanted.high, limits.high))
    guard part.low < part.high else {
      return part.low == part.high && limits.low == limits.high ? 1 : 0
    }
    guard sd > 0 else {
      let x = clamped(mean, limits)
      return part.low <= x && x <= part.high ? 1 : 0
    }
    return min(1, Double.exp(standard(part).logProbability - standard(limits).logProbability))
  }

  /// Limits on both sides of a point, and the probability of those below it; nil for a point outside.
  private func split(
    _ limits: Interval, at point: Double
  ) -> (below: Interval, above: Interval, share: Double)? {
    guard limits.low < point, point < limits.high else { return nil }
    let below = Interval(low: limits.low, high: point)
    return (below, Interval(low: point, high: limits.high), probability(of: below, in: limits))
  }

  private func conditionalMean(in limits: Interval) -> Double {
    let (p, q) = standard(limits).densities
    return mean + sd * (p - q)
  }

  private func conditionalExponential(in limits: Interval) -> Double {
    let shifted = CensoredMaximum(mean: mean + sd * sd, sd: sd)
    let logMean =
      mean + sd * sd / 2 + shifted.standard(limits).logProbability - standard(limits).logProbability
    return Double.exp(clamped(logMean, limits))
  }

  private func standard(_ limits: Interval) -> StandardInterval {
    StandardInterval((limits.low - mean) / sd, (limits.high - mean) / sd)
  }

  private func clamped(_ value: Double, _ limits: Interval) -> Double {
    min(max(value, limits.low), limits.high)
  }
}

/// An interval of the standard normal distribution, however far out.
private struct StandardInterval {
  let low: Double
  let high: Double

  init(_ low: Double, _ high: Double) {
    self.low = low
    self.high = high
  }

  /// The logarithm of its probability; of an interval too narrow to tell its ends apart, that of density times width.
  var logProbability: Double {
    if low == -.infinity, high == .infinity { return 0 }
    if high <= 0 { return StandardInterval(-high, -low).logProbability }
    let width = high - low
    let middle = (low + high) / 2
    if width * max(1, abs(middle)) < 1e-3 {
      return Self.logDensity(middle) + Double.log(max(width, .leastNormalMagnitude))
        + Double.log(onePlus: width * width * (middle * middle - 1) / 24)
    }
    if low >= 0 {
      let tail = Self.logUpperTail(low)
      return high == .infinity
        ? tail : tail + Double.log(onePlus: -Double.exp(Self.logUpperTail(high) - tail))
    }
    return Double.log(onePlus: -(Self.upperTail(-low) + Self.upperTail(high)))
  }

  /// The densities at its ends over its probability.
  var densities: (low: Double, high: Double) { densities(over: logProbability) }

  /// The same where the logarithm of the probability is known.
  func densities(over log: Double) -> (low: Double, high: Double) {
    (
      low.isFinite ? Double.exp(Self.logDensity(low) - log) : 0,
      high.isFinite ? Double.exp(Self.logDensity(high) - log) : 0
    )
  }

  private static let logRootTwoPi = 0.918938533204672741780329736406

  static func logDensity(_ z: Double) -> Double { -z * z / 2 - logRootTwoPi }

  private static func upperTail(_ z: Double) -> Double { Double.erfc(z * 0.5.squareRoot()) / 2 }

  /// Beyond 20 by the asymptotic series (Abramowitz and Stegun 1964, 26.2.12), whose error there is below 1e-12.
  private static func logUpperTail(_ z: Double) -> Double {
    guard z > 20 else { return Double.log(upperTail(z)) }
    let square = 1 / (z * z)
    return logDensity(z) - Double.log(z)
      + Double.log(onePlus: -square * (1 - square * (3 - square * (15 - 105 * square))))
  }
}
