import RealModule

/// The median of numbers of which some are known by limits only, without a distribution assumed.
///
/// The distribution of greatest likelihood puts its weight on intervals that begin with some lower limit
/// and end with the next upper one (Turnbull 1976); the weights come by his self-consistency. With exact
/// numbers and lower limits alone it is that of Kaplan and Meier (1958).
///
/// Where exactly half of the weight lies on either side, the median is the mean of the two numbers next to
/// it; without limits it is the usual one.
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

  /// Weights that change by less have settled.
  private static let settled = 1e-11
  private static let mostRounds = 20_000

  /// The same of numbers that a rising function makes of these.
  package func map(_ transform: (Double) -> Double) -> CensoredMedian {
    switch self {
    case .value(let value): .value(transform(value))
    case .atLeast(let value): .atLeast(transform(value))
    case .atMost(let value): .atMost(transform(value))
    }
  }

  /// The median; nil if nothing is known.
  ///
  /// - Parameter values: What is known of each number. One that was determined counts as it is, whatever
  ///   its own limits.
  public init?(_ values: [CensoredValue]) {
    let known = values.filter { $0.kind != .unknown }
      .map { ($0.value ?? $0.low, $0.value ?? $0.high) }
    let supports = Self.supports(of: known)
    guard !supports.isEmpty else { return nil }
    let weights = Self.weights(of: supports, known)
    var sum = 0.0
    // Rounding must not decide whether it is half.
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

  /// The intervals that a lower limit begins and the next upper one ends.
  private static func supports(of known: [(low: Double, high: Double)]) -> [(
    low: Double, high: Double
  )] {
    // At equal places lower limits come first: limits belong to their interval.
    let ends =
      (known.map { (place: $0.low, isHigh: false) } + known.map { (place: $0.high, isHigh: true) })
      .sorted { $0.place == $1.place ? !$0.isHigh && $1.isHigh : $0.place < $1.place }
    return zip(ends, ends.dropFirst()).compactMap { end, next in
      !end.isHigh && next.isHigh ? (end.place, next.place) : nil
    }
  }

  private static func weights(
    of supports: [(low: Double, high: Double)], _ known: [(low: Double, high: Double)]
  ) -> [Double] {
    let ranges = known.map { value in
      supports.firstIndex(from: { $0.low >= value.low }
      )..<supports.firstIndex(from: { $0.high > value.high })
    }
    var weights = [Double](repeating: 1 / Double(supports.count), count: supports.count)
    // Where plain steps led, from which extrapolation goes on, or starts again if it led down.
    var (likelihood, stepped) = (-Double.infinity, weights)
    for _ in 0..<mostRounds {
      let first = step(from: weights, ranges)
      guard first.likelihood >= likelihood || weights == stepped else {
        weights = stepped
        continue
      }
      likelihood = first.likelihood
      stepped = step(from: first.weights, ranges).weights
      let change = zip(first.weights, stepped).reduce(0) { max($0, abs($1.1 - $1.0)) }
      guard change >= settled else { break }
      weights = extrapolated(weights, first.weights, stepped)
    }
    return stepped
  }

  /// The weights after a step to self-consistency, and the logarithm of the likelihood before it.
  private static func step(
    from weights: [Double], _ ranges: [Range<Int>]
  ) -> (weights: [Double], likelihood: Double) {
    var sums = [0.0]
    sums.reserveCapacity(weights.count + 1)
    for weight in weights { sums.append(sums[sums.count - 1] + weight) }
    var shares = [Double](repeating: 0, count: sums.count)
    // One logarithm for a product of many.
    var (likelihood, product) = (0.0, 1.0)
    for range in ranges {
      let weight = sums[range.upperBound] - sums[range.lowerBound]
      guard weight > 0 else { continue }
      product *= weight
      if product < 1e-200 {
        likelihood += Double.log(product)
        product = 1
      }
      shares[range.lowerBound] += 1 / weight
      shares[range.upperBound] -= 1 / weight
    }
    var share = 0.0
    let next = weights.indices.map { index in
      share += shares[index]
      return weights[index] * max(0, share) / Double(ranges.count)
    }
    return (next, likelihood + Double.log(product))
  }

  /// Where steps lead that go on as the last two did, which saves thousands of small ones; where a weight would vanish, what
  /// the last step left of it.
  ///
  /// Source: R. Varadhan and C. Roland, "Simple and globally convergent methods for accelerating the convergence of any
  /// EM algorithm", Scand J Stat 35 (2008) 335-353, scheme S3.
  private static func extrapolated(
    _ start: [Double], _ first: [Double], _ second: [Double]
  ) -> [Double] {
    let changes = zip(start, first).map { $1 - $0 }
    let bends = start.indices.map { second[$0] - first[$0] - changes[$0] }
    let length = { (values: [Double]) in values.reduce(0) { $0 + $1 * $1 }.squareRoot() }
    let stretch = length(changes) / length(bends)
    guard stretch > 1, stretch.isFinite else { return second }
    return start.indices.map { index in
      let weight = start[index] + stretch * (2 * changes[index] + stretch * bends[index])
      return weight > 0 ? weight : second[index]
    }
  }
}

extension Array {
  /// The first index at which something holds that holds from there on; the end if nowhere.
  fileprivate func firstIndex(from holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
