import RealModule

/// Maximum likelihood estimates (``CensoredNormalFit``) with each of many groups of numbers left
/// out in turn.
///
/// Each lies near that of all numbers, where a group's contribution to a sum is a smooth function
/// of a = mean / sd and d = 1 / sd. So sums over each group are evaluated at a few Chebyshev nodes,
/// and Newton's method runs on the interpolating polynomials instead of on all numbers for each
/// group. With the number of nodes used, the interpolation error is below rounding.
///
/// Source: Lagrange interpolation at Chebyshev points: L. N. Trefethen, "Approximation Theory and
/// Approximation Practice" (2013), chapters 2 and 5.
package struct DeleteGroupFits {
  /// The maximum without each group.
  package let all: [CensoredNormalFit]
  /// The nodes, as distributions.
  private let nodes: [CensoredNormalFit]
  /// For each group, the interpolation weights of the nodes at its maximum.
  private let weights: [[Double]]

  /// The fewest and the most nodes in each direction.
  private static let sizes = 3...8
  /// Convergence tolerance of steps, relative to the box.
  private static let tolerance = 1e-13
  private static let mostSteps = 60

  /// Finds the maxima.
  ///
  /// - Parameters:
  ///   - limits: The limits of each number.
  ///   - groups: The group of each number, from 0 on.
  ///   - count: The number of groups.
  ///   - whole: The maximum of all numbers.
  /// - Returns: Nil if groups are so large that some maximum is too far from that of all.
  package init?(_ limits: [Interval], groups: [Int], count: Int, whole: CensoredNormalFit) {
    guard let covariance = whole.covariance else { return nil }
    func step(_ slope: SIMD4<Double>) -> SIMD2<Double> {
      SIMD2(
        covariance.aa * slope.y + covariance.ab * slope.z,
        covariance.ab * slope.y + covariance.bb * slope.z)
    }
    var likelihood = CensoredLikelihood(limits, limits.map { _ in 1 })
    /// The log likelihood of each group and its gradient in a and d.
    func likelihoods(at point: SIMD2<Double>) -> [SIMD4<Double>] {
      var sums = [SIMD4<Double>](repeating: .zero, count: count)
      likelihood.forEachTerm(a: point.x, d: point.y) { index, term in
        sums[groups[index]] += SIMD4(term.value, term.a, term.d, 0)
      }
      return sums
    }
    let center = SIMD2(whole.mean / whole.sd, 1 / whole.sd)
    // The box contains the first Newton step of each group, with a margin of a quarter.
    let radius = likelihoods(at: center).reduce(SIMD2<Double>.zero) { radius, slopes in
      let first = step(-slopes)
      return SIMD2(max(radius.x, 1.25 * abs(first.x)), max(radius.y, 1.25 * abs(first.y)))
    }
    guard radius.x > 0, radius.y > 0, let box = Box(center, radius, sizes: Self.sizes) else {
      return nil
    }
    let values = GroupedValues(box.nodes.map(likelihoods))
    var maxima: [CensoredNormalFit] = []
    var weightsOfGroups: [[Double]] = []
    for group in 0..<count {
      var point = center
      var isSettled = false
      for _ in 0..<Self.mostSteps where !isSettled {
        guard let weights = box.weights(at: point) else { return nil }
        let next = step(values.sum(without: group, weights))
        point += next
        isSettled =
          abs(next.x) <= Self.tolerance * radius.x && abs(next.y) <= Self.tolerance * radius.y
      }
      guard isSettled, let weights = box.weights(at: point) else { return nil }
      let value = values.sum(without: group, weights).x
      maxima.append(CensoredNormalFit(a: point.x, d: point.y, logLikelihood: value))
      weightsOfGroups.append(weights)
    }
    all = maxima
    weights = weightsOfGroups
    nodes = box.nodes.map { CensoredNormalFit(a: $0.x, d: $0.y) }
  }

  /// Returns sums over all groups but one, at the maximum without it, for each group.
  ///
  /// - Parameter values: The sums over each group, for a distribution, as smooth functions of it.
  package func sums(
    _ values: (CensoredNormalFit) -> [SIMD4<Double>]
  ) -> [SIMD4<Double>] {
    let values = GroupedValues(nodes.map(values))
    return weights.enumerated().map { values.sum(without: $0, $1) }
  }
}

/// Sums over each group at each node.
private struct GroupedValues {
  private let values: [[SIMD4<Double>]]
  private let totals: [SIMD4<Double>]

  init(_ values: [[SIMD4<Double>]]) {
    self.values = values
    totals = values.map { $0.reduce(.zero, +) }
  }

  /// The interpolated sum over the other groups.
  func sum(without group: Int, _ weights: [Double]) -> SIMD4<Double> {
    weights.indices.reduce(.zero) { $0 + weights[$1] * (totals[$1] - values[$1][group]) }
  }
}

/// The Chebyshev nodes of a rectangle about a point.
private struct Box {
  private let center, radius: SIMD2<Double>
  private let size: Int
  private let points: [Double]

  /// Returns nil if even the largest size is not accurate enough.
  init?(_ center: SIMD2<Double>, _ radius: SIMD2<Double>, sizes: ClosedRange<Int>) {
    // The most standard deviations by which a limit four of them from the mean moves inside the box.
    let reach = radius.x + (abs(center.x) + 4) * radius.y / center.y
    var factorial = 1.0
    let size = (1...sizes.upperBound).first { size in
      factorial *= Double(size)
      // The nth derivative of a normal density is of the size of the root of n!, which bounds the interpolation error.
      return size >= sizes.lowerBound
        && 2 * Double.pow(reach / 2, size) / factorial.squareRoot() < 1e-11
    }
    guard let size else { return nil }
    self.center = center
    self.radius = radius
    self.size = size
    points = (0..<size).map { Double.cos((Double($0) + 0.5) * .pi / Double(size)) }
  }

  var nodes: [SIMD2<Double>] {
    points.flatMap { x in points.map { y in center + radius * SIMD2(x, y) } }
  }

  /// Returns the interpolation weights of all nodes at a point; nil outside the rectangle.
  func weights(at point: SIMD2<Double>) -> [Double]? {
    let inside = (point - center) / radius
    guard abs(inside.x) <= 1, abs(inside.y) <= 1 else { return nil }
    let first = lagrange(inside.x)
    let second = lagrange(inside.y)
    return first.flatMap { x in second.map { x * $0 } }
  }

  private func lagrange(_ x: Double) -> [Double] {
    points.indices.map { index in
      points.indices.reduce(1) { product, node in
        node == index
          ? product : product * (x - points[node]) / (points[index] - points[node])
      }
    }
  }
}
