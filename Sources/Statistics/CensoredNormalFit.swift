import RealModule

/// A normal distribution fitted to interval-censored numbers by maximum likelihood.
///
/// A number x in [a, b] contributes Phi((b - mean) / sd) - Phi((a - mean) / sd) to the likelihood, where
/// either limit may be infinite; an exact one contributes the density. In mean / sd and 1 / sd the log
/// likelihood is concave, so that Newton's method with step halving finds its only maximum.
///
/// Source: R. J. Olsen, "Note on the uniqueness of the maximum likelihood estimator for the Tobit model",
/// Econometrica 46 (1978) 1211-1215; J. Burridge, "A note on maximum likelihood estimation for regression models using
/// grouped data", J R Stat Soc B 43 (1981) 41-45.
package struct CensoredNormalFit: Sendable {
  /// The mean, in the unit of the numbers.
  package let mean: Double
  /// The maximum likelihood standard deviation, divisor n; 0 if a single value satisfies all limits.
  package let sd: Double
  /// The log likelihood; 0 if a single value satisfies all limits.
  package let logLikelihood: Double
  /// The covariance of mean / sd and 1 / sd: minus the inverse Hessian; nil if a single value satisfies all limits.
  package let covariance: (aa: Double, ab: Double, bb: Double)?

  /// A standard deviation beyond so many times the range of the limits counts as divergent.
  private static let widest = 1000.0
  /// The most Newton steps; 4 to 8 suffice if there is a maximum.
  private static let mostSteps = 100

  /// Fits the distribution.
  ///
  /// - Parameters:
  ///   - limits: The limits of each number.
  ///   - weights: The multiplicity of each number; nil for 1.
  ///   - start: The starting point, such as the maximum for other weights.
  /// - Returns: Nil if the likelihood has no maximum: no numbers, or only lower limits, or only upper ones.
  package init?(
    _ limits: [Interval], weights: [Double]? = nil, from start: CensoredNormalFit? = nil
  ) {
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
    var likelihood = CensoredLikelihood(used.map { limits[$0] }, used.map { weights[$0] })
    let start = start.flatMap { $0.sd > 0 ? $0 : nil } ?? Self.start(limits, weights)
    guard var best = likelihood.point(a: start.mean / start.sd, d: 1 / start.sd) else { return nil }
    for _ in 0..<Self.mostSteps {
      guard let (next, gain) = likelihood.improved(best) else { return nil }
      best = next
      if gain == 0 {
        // The likelihood of one-sided limits that exclude each other grows with the spread without a maximum.
        guard 1 / best.d < Self.widest * Self.spread(used.map { limits[$0] }) else { return nil }
        self.init(
          mean: best.a / best.d, sd: 1 / best.d, logLikelihood: best.sums.value,
          covariance: best.sums.covariance)
        return
      }
    }
    return nil
  }

  /// Takes every number to be the middle of its limits, for numbers that a single value satisfies.
  ///
  /// - Parameters:
  ///   - limits: The limits of each number.
  ///   - weights: The multiplicity of each number.
  /// - Returns: Mean and SD of the middles, with the log likelihood of the limits; nil if a limit is infinite.
  package init?(middlesOf limits: [Interval], weights: [Double]) {
    let middles = limits.map { ($0.low + $0.high) / 2 }
    let count = weights.reduce(0, +)
    guard count > 0, middles.allSatisfy(\.isFinite) else { return nil }
    let mean = zip(middles, weights).reduce(0) { $0 + $1.0 * $1.1 } / count
    let variance =
      zip(middles, weights).reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 } / count
    let sd = variance.squareRoot()
    var likelihood = CensoredLikelihood(limits, weights)
    self.init(
      mean: mean, sd: sd,
      logLikelihood: likelihood.point(a: mean / sd, d: 1 / sd)?.sums.value ?? 0)
  }

  /// The limit of the maximum if all numbers have upper limits only.
  package static let unlimited = CensoredNormalFit(mean: -.infinity, sd: .infinity)

  /// The distribution of the negated numbers.
  package var reflected: CensoredNormalFit {
    CensoredNormalFit(mean: -mean, sd: sd, logLikelihood: logLikelihood)
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

  /// The range of all finite limits.
  private static func spread(_ limits: [Interval]) -> Double {
    let finite = limits.flatMap { [$0.low, $0.high] }.filter(\.isFinite)
    return (finite.max() ?? 0) - (finite.min() ?? 0)
  }

  /// A starting point: mean and SD of the midpoints, or of the only limits.
  private static func start(_ limits: [Interval], _ weights: [Double]) -> CensoredNormalFit {
    let points = zip(limits, weights).compactMap { limits, weight -> (Double, Double)? in
      switch (limits.low.isFinite, limits.high.isFinite) {
      case (true, true): ((limits.low + limits.high) / 2, weight)
      case (true, false): (limits.low, weight)
      case (false, true): (limits.high, weight)
      case (false, false): nil
      }
    }
    let count = points.reduce(0) { $0 + $1.1 }
    let mean = points.reduce(0) { $0 + $1.0 * $1.1 } / count
    let variance = points.reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 } / count
    let widths = limits.map { $0.high - $0.low }.filter { $0.isFinite && $0 > 0 }
    return CensoredNormalFit(mean: mean, sd: max(variance.squareRoot(), widths.min() ?? 1e-6))
  }
}

/// The likelihood of interval-censored numbers, as a function of a = mean / sd and d = 1 / sd.
struct CensoredLikelihood {
  private let limits: [Interval]
  private let weights: [Double]
  /// The indices of censored and of exact numbers.
  private let between, exact: [Int]
  private var intervals: StandardIntervals

  /// Limits nearer to each other than this count as an exact number.
  private static let exactness = 1e-6

  init(_ limits: [Interval], _ weights: [Double]) {
    self.limits = limits
    self.weights = weights
    between = limits.indices.filter { limits[$0].high - limits[$0].low > Self.exactness }
    exact = limits.indices.filter { !(limits[$0].high - limits[$0].low > Self.exactness) }
    intervals = StandardIntervals(between.count)
  }

  /// The contribution of a number to the log likelihood and its derivatives, or a sum of
  /// contributions.
  struct Term {
    var value = 0.0
    var a = 0.0
    var d = 0.0
    var aa = 0.0
    var ad = 0.0
    var dd = 0.0

    mutating func add(_ weight: Double, _ term: Term) {
      value += weight * term.value
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

  /// Calls `body` with the index of each number and its contribution.
  mutating func forEachTerm(a: Double, d: Double, _ body: (Int, Term) -> Void) {
    intervals.measure { [limits, between] position in
      let limits = limits[between[position]]
      return (limits.low * d - a, limits.high * d - a)
    }
    for (position, index) in between.enumerated() {
      let interval = intervals[position]
      let limits = limits[index]
      let (p, q) = interval.densities
      // Densities at infinite limits are 0, and so are their products.
      let (l, lz) = limits.low.isFinite ? (limits.low, interval.low) : (0, 0)
      let (h, hz) = limits.high.isFinite ? (limits.high, interval.high) : (0, 0)
      let byA = p - q
      let byD = q * h - p * l
      body(
        index,
        Term(
          value: interval.logProbability, a: byA, d: byD, aa: lz * p - hz * q - byA * byA,
          ad: hz * q * h - lz * p * l - byA * byD,
          dd: lz * p * l * l - hz * q * h * h - byD * byD))
    }
    for index in exact {
      let x = (limits[index].low + limits[index].high) / 2
      let z = x * d - a
      body(
        index,
        Term(
          value: Double.log(d) + StandardInterval.logDensity(z), a: z, d: 1 / d - z * x, aa: -1,
          ad: x, dd: -1 / (d * d) - x * x))
    }
  }

  /// A point of the search, with the likelihood and its derivatives.
  struct Point {
    let a, d: Double
    let sums: Term
  }

  /// Evaluates the likelihood; nil if it is not finite.
  mutating func point(a: Double, d: Double) -> Point? {
    guard d > 0, d.isFinite, a.isFinite else { return nil }
    var sums = Term()
    forEachTerm(a: a, d: d) { [weights] index, term in sums.add(weights[index], term) }
    return sums.value.isFinite ? Point(a: a, d: d, sums: sums) : nil
  }

  /// Takes a Newton step, halved until the likelihood does not fall; returns the new point and the gain.
  mutating func improved(_ point: Point) -> (Point, gain: Double)? {
    let slopes = point.sums
    guard let c = slopes.covariance else { return nil }
    let step = (a: c.aa * slopes.a + c.ab * slopes.d, d: c.ab * slopes.a + c.bb * slopes.d)
    // Near convergence rounding hides the gain in the value; a last full step still improves the digits.
    if slopes.a * step.a + slopes.d * step.d < 1e-13 * max(1, abs(slopes.value)) {
      return (self.point(a: point.a + step.a, d: point.d + step.d) ?? point, 0)
    }
    var fraction = 1.0
    while fraction > 1e-10 {
      if let next = self.point(a: point.a + fraction * step.a, d: point.d + fraction * step.d),
        next.sums.value >= slopes.value
      {
        return (next, next.sums.value - slopes.value)
      }
      fraction /= 2
    }
    return (point, 0)
  }
}

// MARK: - Expectations of interval-censored numbers

extension CensoredNormalFit {
  /// Returns the mean of x, given limits of it.
  package func mean(in limits: Interval) -> Double { magnitudes(in: [limits])[0].mean }

  /// Returns the means of x and of |x|, given each of some limits of x.
  package func magnitudes(in limits: [Interval]) -> [(mean: Double, magnitude: Double)] {
    guard sd > 0 else {
      return limits.map { (clamped(mean, $0), abs(clamped(mean, $0))) }
    }
    let parts = Parts(limits, splitAt: 0, self)
    return parts.means { part, interval in
      clamped(mean + sd * (interval.densities.low - interval.densities.high), part)
    }.map { share, first, second in
      (
        share * first + (1 - share) * second, share * abs(first) + (1 - share) * abs(second)
      )
    }
  }

  /// Returns the means of e^x and of |e^x - c| for c > 0, given each of some limits of x.
  package func exponentials(
    in limits: [Interval], from c: Double = 1
  ) -> [(mean: Double, distance: Double)] {
    guard sd > 0 else {
      return limits.map {
        let value = Double.exp(clamped(mean, $0))
        return (value, abs(value - c))
      }
    }
    let parts = Parts(limits, splitAt: Double.log(c), self)
    var shifted = StandardIntervals(parts.all.count)
    let center = mean + sd * sd
    shifted.measure { ((parts.all[$0].low - center) / sd, (parts.all[$0].high - center) / sd) }
    var position = 0
    return parts.means { part, interval in
      defer { position += 1 }
      let logarithm =
        mean + sd * sd / 2 + shifted[position].logProbability - interval.logProbability
      return Double.exp(clamped(logarithm, part))
    }.map { share, first, second in
      (
        share * first + (1 - share) * second, share * abs(first - c) + (1 - share) * abs(second - c)
      )
    }
  }

  /// Intervals, split into two parts where a point lies inside.
  private struct Parts {
    private(set) var all: [Interval] = []
    /// Whether each interval is split.
    private let areSplit: [Bool]
    private var intervals: StandardIntervals

    init(_ limits: [Interval], splitAt point: Double, _ normal: CensoredNormalFit) {
      areSplit = limits.map { $0.low < point && point < $0.high }
      all.reserveCapacity(limits.count)
      for (limits, isSplit) in zip(limits, areSplit) {
        if isSplit {
          all.append(Interval(low: limits.low, high: point))
          all.append(Interval(low: point, high: limits.high))
        } else {
          all.append(limits)
        }
      }
      intervals = StandardIntervals(all.count)
      intervals.measure { [all] in
        ((all[$0].low - normal.mean) / normal.sd, (all[$0].high - normal.mean) / normal.sd)
      }
    }

    /// Returns the means over both parts of each interval, with the probability of the first, which
    /// is 1 without a split.
    func means(
      _ mean: (Interval, StandardInterval) -> Double
    ) -> [(share: Double, first: Double, second: Double)] {
      var position = 0
      return areSplit.map { isSplit in
        let first = position
        position += isSplit ? 2 : 1
        let firstMean = mean(all[first], intervals[first])
        guard isSplit else { return (1, firstMean, 0) }
        let odds = Double.exp(
          intervals[first + 1].logProbability - intervals[first].logProbability)
        return (1 / (1 + odds), firstMean, mean(all[first + 1], intervals[first + 1]))
      }
    }
  }

  /// Returns the probability that x lies in a range, given limits of it.
  package func probability(of range: Interval, in limits: Interval) -> Double {
    let part = Interval(low: max(range.low, limits.low), high: min(range.high, limits.high))
    guard part.low < part.high else {
      return part.low == part.high && limits.low == limits.high ? 1 : 0
    }
    guard sd > 0 else {
      let x = clamped(mean, limits)
      return part.low <= x && x <= part.high ? 1 : 0
    }
    return min(1, Double.exp(standard(part).logProbability - standard(limits).logProbability))
  }

  private func standard(_ limits: Interval) -> StandardInterval {
    StandardInterval((limits.low - mean) / sd, (limits.high - mean) / sd)
  }

  private func clamped(_ value: Double, _ limits: Interval) -> Double {
    min(max(value, limits.low), limits.high)
  }
}
