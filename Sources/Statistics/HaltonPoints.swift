import RealModule

/// Quasi-random points of the unit cube: Halton's sequence (1960), linearly scrambled by a seed (Matousek
/// 1998), so that the errors of different seeds are independent, and coordinates of large bases are not
/// correlated.
///
/// Using the same points for two sets of data (common random numbers) keeps their difference smooth.
package struct HaltonPoints {
  /// A digit d becomes (factor d + shift) modulo the base.
  private struct Scramble {
    let factor, shift: Int
  }

  private static let bases = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
  /// Enough digits for two thousand million points.
  private static let bits = 31.0

  private let scrambles: [[Scramble]]
  /// The random coordinates beyond the last base.
  private let further: PlacedRandom

  /// Creates points from seeds, all of which matter.
  package init(_ seeds: UInt64...) {
    var numbers = RandomStream(seeds)
    scrambles = Self.bases.map { base in
      (0..<Int((Self.bits / .log2(Double(base))).rounded(.up))).map { _ in
        Scramble(
          factor: 1 + Int(numbers.uniform() * Double(base - 1)),
          shift: Int(numbers.uniform() * Double(base)))
      }
    }
    further = PlacedRandom(seed: UInt64(numbers.uniform() * 0x1p52))
  }

  /// Returns a point, whose coordinates come one by one; those after the sixteenth are random.
  ///
  /// - Parameter dimension: The first coordinate. Two sets of points used together, index by index, must
  ///   not share any, because coordinates of equal bases are correlated.
  package func point(_ index: Int, from dimension: Int = 0) -> Point {
    Point(points: self, index: index, dimension: dimension)
  }

  /// A point whose coordinates are generated one by one.
  package struct Point: UniformNumbers {
    fileprivate let points: HaltonPoints
    fileprivate let index: Int
    fileprivate var dimension: Int

    package mutating func uniform() -> Double {
      defer { dimension += 1 }
      return points.coordinate(of: index, dimension)
    }
  }

  private func coordinate(of index: Int, _ dimension: Int) -> Double {
    guard dimension < Self.bases.count else {
      return further.uniform(row: index, column: dimension)
    }
    let base = Self.bases[dimension]
    var rest = index
    var scale = 1.0
    var value = 0.0
    for scramble in scrambles[dimension] {
      scale /= Double(base)
      value += scale * Double((scramble.factor * (rest % base) + scramble.shift) % base)
      rest /= base
    }
    // The midpoint of the remaining interval: never 0 or 1.
    return value + 0.5 * scale
  }

  /// A coordinate without scrambling: the digits of an index in a base, mirrored at the point.
  package static func radicalInverse(of index: Int, base: Int) -> Double {
    var rest = index
    var scale = 1.0
    var value = 0.0
    while rest > 0 {
      scale /= Double(base)
      value += scale * Double(rest % base)
      rest /= base
    }
    return value
  }
}
