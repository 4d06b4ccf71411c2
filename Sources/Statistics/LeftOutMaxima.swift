import RealModule

/// The maxima of the likelihood (``CensoredMaximum``) that are left if each of many groups of numbers is left out in turn.
///
/// Each lies near that of all numbers. There, what a group adds to a sum is a smooth function of a = mean / sd and d = 1 /
/// sd. So sums over each group are worked out at a few places alone, and the polynomials through them are solved instead
/// of going through all numbers for each group: with as many places as are taken, their error is below rounding.
///
/// Source: Lagrange's polynomials through Chebyshev's points: L. N. Trefethen, "Approximation Theory and Approximation
/// Practice" (2013), chapters 2 and 5.
package struct LeftOutMaxima {
  /// For each group the maximum without it.
  package let all: [CensoredMaximum]
  /// The places, as distributions.
  private let places: [CensoredMaximum]
  /// For each group, what the values at the places count for the value at its maximum.
  private let weights: [[Double]]

  /// The fewest and the most places in each direction.
  private static let sizes = 3...8
  /// Where steps are that much smaller than the box, they change nothing.
  private static let settled = 1e-13
  private static let mostSteps = 60

  /// Finds the maxima.
  ///
  /// - Parameters:
  ///   - limits: What each number lies between.
  ///   - groups: The group of each number, from 0 on.
  ///   - count: How many groups there are.
  ///   - whole: The maximum of all numbers.
  /// - Returns: Nil if groups are so large that some maximum is too far from that of all.
  package init?(_ limits: [Interval], groups: [Int], count: Int, whole: CensoredMaximum) {
    guard let covariance = whole.covariance else { return nil }
    func step(_ slope: SIMD4<Double>) -> SIMD2<Double> {
      SIMD2(
        covariance.aa * slope.y + covariance.ab * slope.z,
        covariance.ab * slope.y + covariance.bb * slope.z)
    }
    var likelihood = CensoredLikelihood(limits, limits.map { _ in 1 })
    /// The logarithm of the likelihood of each group, and its slopes.
    func likelihoods(at place: SIMD2<Double>) -> [SIMD4<Double>] {
      var sums = [SIMD4<Double>](repeating: .zero, count: count)
      likelihood.forEachTerm(a: place.x, d: place.y) { index, term in
        sums[groups[index]] += SIMD4(term.value, term.a, term.d, 0)
      }
      return sums
    }
    let center = SIMD2(whole.mean / whole.sd, 1 / whole.sd)
    // Newton's first steps, somewhat longer.
    let radius = likelihoods(at: center).reduce(SIMD2<Double>.zero) { radius, slopes in
      let first = step(-slopes)
      return SIMD2(max(radius.x, 1.25 * abs(first.x)), max(radius.y, 1.25 * abs(first.y)))
    }
    guard radius.x > 0, radius.y > 0, let box = Box(center, radius, sizes: Self.sizes) else {
      return nil
    }
    let values = GroupedValues(box.places.map(likelihoods))
    var (maxima, found): ([CensoredMaximum], [[Double]]) = ([], [])
    for group in 0..<count {
      var (place, isSettled) = (center, false)
      for _ in 0..<Self.mostSteps where !isSettled {
        guard let weights = box.weights(at: place) else { return nil }
        let next = step(values.sum(without: group, weights))
        place += next
        isSettled =
          abs(next.x) <= Self.settled * radius.x && abs(next.y) <= Self.settled * radius.y
      }
      guard isSettled, let weights = box.weights(at: place) else { return nil }
      let value = values.sum(without: group, weights).x
      maxima.append(CensoredMaximum(a: place.x, d: place.y, logLikelihood: value))
      found.append(weights)
    }
    (all, weights) = (maxima, found)
    places = box.places.map { CensoredMaximum(a: $0.x, d: $0.y) }
  }

  /// The sums over all groups but each, at the maximum without it.
  ///
  /// - Parameter values: For a distribution the sums over each group of what is a smooth function of it.
  package func sums(
    _ values: (CensoredMaximum) -> [SIMD4<Double>]
  ) -> [SIMD4<Double>] {
    let values = GroupedValues(places.map(values))
    return weights.enumerated().map { values.sum(without: $0, $1) }
  }
}

/// Sums over each group at each of some places.
private struct GroupedValues {
  private let values: [[SIMD4<Double>]]
  private let totals: [SIMD4<Double>]

  init(_ values: [[SIMD4<Double>]]) {
    self.values = values
    totals = values.map { $0.reduce(.zero, +) }
  }

  /// The sum over the other groups where the values at the places have these weights.
  func sum(without group: Int, _ weights: [Double]) -> SIMD4<Double> {
    weights.indices.reduce(.zero) { $0 + weights[$1] * (totals[$1] - values[$1][group]) }
  }
}

/// Chebyshev's points of a rectangle about a place.
private struct Box {
  private let center, radius: SIMD2<Double>
  private let size: Int
  private let points: [Double]

  /// Nil if the largest size does not do.
  init?(_ center: SIMD2<Double>, _ radius: SIMD2<Double>, sizes: ClosedRange<Int>) {
    // By how many standard deviations a limit moves that is four from the mean.
    let reach = radius.x + (abs(center.x) + 4) * radius.y / center.y
    var factorial = 1.0
    let size = (1...sizes.upperBound).first { size in
      factorial *= Double(size)
      // The next derivative of a normal density is as large as the root of the factorial.
      return size >= sizes.lowerBound
        && 2 * Double.pow(reach / 2, size) / factorial.squareRoot() < 1e-11
    }
    guard let size else { return nil }
    (self.center, self.radius, self.size) = (center, radius, size)
    points = (0..<size).map { Double.cos((Double($0) + 0.5) * .pi / Double(size)) }
  }

  var places: [SIMD2<Double>] {
    points.flatMap { x in points.map { y in center + radius * SIMD2(x, y) } }
  }

  /// The weights of the values at all places for the value at one; nil outside.
  func weights(at place: SIMD2<Double>) -> [Double]? {
    let inside = (place - center) / radius
    guard abs(inside.x) <= 1, abs(inside.y) <= 1 else { return nil }
    let (first, second) = (lagrange(inside.x), lagrange(inside.y))
    return first.flatMap { x in second.map { x * $0 } }
  }

  private func lagrange(_ x: Double) -> [Double] {
    points.indices.map { index in
      points.indices.reduce(1) { product, other in
        other == index
          ? product : product * (x - points[other]) / (points[index] - points[other])
      }
    }
  }
}
