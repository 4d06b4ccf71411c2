import RealModule

/// The nonparametric median of numbers some of which are censored.
///
/// The nonparametric maximum likelihood distribution has its mass on intervals that begin with a lower
/// limit and end with the next upper one (Turnbull 1976); the masses follow from his self-consistency
/// equations. With exact numbers and lower limits alone it is the Kaplan-Meier estimate (1958).
///
/// If exactly half of the mass lies on either side, the median is the mean of the two adjacent
/// numbers; without censoring it is the usual one.
///
/// Source: B. W. Turnbull, "The empirical distribution function with arbitrarily grouped, censored and
/// truncated data", J R Stat Soc B 38 (1976) 290-295.
public enum CensoredMedian: Codable, Hashable, Sendable {
  /// The median, or the middle of the interval in which it lies.
  case value(Double)
  /// The median is beyond all upper limits.
  case atLeast(Double)
  /// The median is below all lower limits.
  case atMost(Double)

  /// The convergence tolerance of weights.
  private static let tolerance = 1e-11
  /// The most rounds; some tens suffice for any number of values.
  private static let mostRounds = 200

  /// Returns the median of the numbers after an increasing transformation.
  package func map(_ transform: (Double) -> Double) -> CensoredMedian {
    switch self {
    case .value(let value): .value(transform(value))
    case .atLeast(let value): .atLeast(transform(value))
    case .atMost(let value): .atMost(transform(value))
    }
  }

  /// Estimates the median; nil if nothing is known.
  ///
  /// - Parameter values: The numbers. An exact one counts by its value, whatever its own limits.
  public init?(_ values: [CensoredValue]) {
    let limits = values.filter { $0.kind != .unknown }
      .map { ($0.value ?? $0.low, $0.value ?? $0.high) }
    let supports = Self.supports(of: limits)
    guard !supports.isEmpty else { return nil }
    let weights = Self.weights(of: supports, limits)
    var sum = 0.0
    // Sums within the slack count as exactly half, despite rounding.
    let slack = 1e-7
    for (index, weight) in weights.enumerated() {
      sum += weight
      guard sum >= 0.5 - slack else { continue }
      let (low, high) = supports[index]
      let next = weights.indices.first { $0 > index && weights[$0] > slack }
      if sum <= 0.5 + slack, let next, high.isFinite {
        self = .value((high + supports[next].low) / 2)
      } else if !high.isFinite {
        self = .atLeast(low)
      } else {
        self = low.isFinite ? .value((low + high) / 2) : .atMost(high)
      }
      return
    }
    return nil
  }

  /// The intervals from a lower limit to the next upper one.
  static func supports(of limits: [(low: Double, high: Double)]) -> [(
    low: Double, high: Double
  )] {
    // At ties lower limits come first, because intervals are closed.
    let ends =
      (limits.map { (limit: $0.low, isHigh: false) } + limits.map { (limit: $0.high, isHigh: true) })
      .sorted { $0.limit == $1.limit ? !$0.isHigh && $1.isHigh : $0.limit < $1.limit }
    return zip(ends, ends.dropFirst()).compactMap { end, next in
      !end.isHigh && next.isHigh ? (end.limit, next.limit) : nil
    }
  }

  /// The weights of the maximum likelihood distribution.
  static func weights(
    of supports: [(low: Double, high: Double)], _ limits: [(low: Double, high: Double)]
  ) -> [Double] {
    let ranges = limits.map { value in
      supports.firstIndex(from: { $0.low >= value.low }
      )..<supports.firstIndex(from: { $0.high > value.high })
    }
    var weights = [Double](repeating: 1 / Double(supports.count), count: supports.count)
    for _ in 0..<mostRounds {
      let consistent = emStep(from: weights, ranges)
      let change = zip(weights, consistent).reduce(0) { max($0, abs($1.1 - $1.0)) }
      guard change >= tolerance else { return consistent }
      weights = newtonStep(from: consistent, ranges)
    }
    return weights
  }

  /// The weights after a step of the self-consistency (EM) iteration.
  private static func emStep(from weights: [Double], _ ranges: [Range<Int>]) -> [Double] {
    let sums = sums(of: weights)
    var shares = [Double](repeating: 0, count: sums.count)
    for range in ranges {
      let weight = sums[range.upperBound] - sums[range.lowerBound]
      guard weight > 0 else { continue }
      shares[range.lowerBound] += 1 / weight
      shares[range.upperBound] -= 1 / weight
    }
    var share = 0.0
    return weights.indices.map { index in
      share += shares[index]
      return weights[index] * max(0, share) / Double(ranges.count)
    }
  }

  /// A step of the iterative convex minorant algorithm: a diagonal Newton step in the cumulative weights,
  /// made monotone by isotonic regression and halved until the likelihood does not fall. EM steps alone
  /// would need thousands of rounds, growing with the number of values; alternated with these some tens
  /// suffice. A weight that would vanish keeps a tenth, so that it can grow again.
  ///
  /// Source: J. A. Wellner and Y. Zhan, "A hybrid algorithm for computation of the nonparametric maximum likelihood
  /// estimator from censored data", J Am Stat Assoc 92 (1997) 945-959.
  private static func newtonStep(from weights: [Double], _ ranges: [Range<Int>]) -> [Double] {
    let sums = sums(of: weights)
    var slopes = [Double](repeating: 0, count: sums.count)
    var curvatures = slopes
    for range in ranges {
      let slope = 1 / (sums[range.upperBound] - sums[range.lowerBound])
      slopes[range.upperBound] += slope
      slopes[range.lowerBound] -= slope
      curvatures[range.upperBound] += slope * slope
      curvatures[range.lowerBound] += slope * slope
    }
    let inner = 1..<weights.count
    let rising = isotonic(
      inner.map { sums[$0] + slopes[$0] / curvatures[$0] }, weights: inner.map { curvatures[$0] })
    let ends = [0] + rising.map { min(max($0, 0), 1) } + [1]
    let before = logLikelihood(of: sums, ranges)
    for share in [1, 0.5, 0.25, 0.125, 0.0625] {
      let trial = zip(sums, ends).map { $0 + share * ($1 - $0) }
      guard logLikelihood(of: trial, ranges) >= before else { continue }
      return weights.indices.map { index in
        let weight = trial[index + 1] - trial[index]
        return weight > 1e-14 ? weight : 0.1 * weights[index]
      }
    }
    return weights
  }

  /// The cumulative weights: that before each interval, and the total.
  private static func sums(of weights: [Double]) -> [Double] {
    weights.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
  }

  private static func logLikelihood(of sums: [Double], _ ranges: [Range<Int>]) -> Double {
    ranges.reduce(0) { sum, range in
      let weight = sums[range.upperBound] - sums[range.lowerBound]
      return weight > 0 ? sum + .log(weight) : -.infinity
    }
  }

  /// Isotonic regression by pooling adjacent violators: the increasing numbers nearest in weighted squares.
  private static func isotonic(_ numbers: [Double], weights: [Double]) -> [Double] {
    var pools: [(mean: Double, weight: Double, count: Int)] = []
    for (number, weight) in zip(numbers, weights) {
      var pool = (mean: number, weight: weight, count: 1)
      while let last = pools.last, last.mean >= pool.mean {
        let both = last.weight + pool.weight
        pool = (
          (last.weight * last.mean + pool.weight * pool.mean) / both, both, last.count + pool.count
        )
        pools.removeLast()
      }
      pools.append(pool)
    }
    return pools.flatMap { [Double](repeating: $0.mean, count: $0.count) }
  }
}

extension Array {
  /// The first index from which on a monotone predicate holds, by bisection; the end if it never does.
  fileprivate func firstIndex(from holds: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
