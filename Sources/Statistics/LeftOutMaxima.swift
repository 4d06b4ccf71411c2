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
  /// For each group the maximum without it, and the sums over the others of what else was asked for.
  package let all: [(maximum: CensoredMaximum, sums: [Double])]

  /// The fewest and the most places in each direction.
  private static let sizes = 4...10
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
  ///   - sums: Of a distribution, for each group the sums of further smooth functions, equally many of each.
  /// - Returns: Nil if groups are so large that some maximum is too far from that of all.
  package init?(
    _ limits: [Interval], groups: [Int], count: Int, whole: CensoredMaximum,
    sums: (CensoredMaximum) -> [[Double]]
  ) {
    guard let covariance = whole.covariance else { return nil }
    func step(_ slope: SIMD2<Double>) -> SIMD2<Double> {
      SIMD2(
        covariance.aa * slope.x + covariance.ab * slope.y,
        covariance.ab * slope.x + covariance.bb * slope.y)
    }
    /// The logarithm of the likelihood of each group and its slopes, and what was asked for.
    func rows(at place: SIMD2<Double>) -> [[Double]] {
      var likelihoods = [[Double]](repeating: [0, 0, 0], count: count)
      for (index, limits) in limits.enumerated() {
        let term = CensoredMaximum.Term(limits, a: place.x, d: place.y)
        likelihoods[groups[index]][0] += term.value
        likelihoods[groups[index]][1] += term.a
        likelihoods[groups[index]][2] += term.d
      }
      return zip(likelihoods, sums(CensoredMaximum(a: place.x, d: place.y))).map { $0 + $1 }
    }
    let center = SIMD2(whole.mean / whole.sd, 1 / whole.sd)
    // Newton's first steps, somewhat longer.
    let radius = rows(at: center).reduce(SIMD2<Double>.zero) { radius, row in
      let first = step(-SIMD2(row[1], row[2]))
      return SIMD2(max(radius.x, 1.25 * abs(first.x)), max(radius.y, 1.25 * abs(first.y)))
    }
    guard radius.x > 0, radius.y > 0, let box = Box(center, radius, sizes: Self.sizes) else {
      return nil
    }
    let values = box.places.map(rows)
    let width = values[0][0].count
    let totals = values.map { groups in
      groups.reduce(into: [Double](repeating: 0, count: width)) { sums, row in
        for column in 0..<width { sums[column] += row[column] }
      }
    }
    var found: [(CensoredMaximum, [Double])] = []
    for group in 0..<count {
      func sum(_ column: Int, _ weights: [Double]) -> Double {
        weights.indices.reduce(0) {
          $0 + weights[$1] * (totals[$1][column] - values[$1][group][column])
        }
      }
      var (place, isSettled) = (center, false)
      for _ in 0..<Self.mostSteps where !isSettled {
        guard let weights = box.weights(at: place) else { return nil }
        let next = step(SIMD2(sum(1, weights), sum(2, weights)))
        place += next
        isSettled = abs(next.x) <= Self.settled * radius.x && abs(next.y) <= Self.settled * radius.y
      }
      guard isSettled, let weights = box.weights(at: place) else { return nil }
      found.append(
        (
          CensoredMaximum(a: place.x, d: place.y, logLikelihood: sum(0, weights)),
          (3..<width).map { sum($0, weights) }
        ))
    }
    all = found
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
        && 2 * Double.pow(reach / 2, size) / factorial.squareRoot() < 1e-14
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
