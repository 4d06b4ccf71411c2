import Testing

@testable import Estimation

/// 1 + |x - y^2|, y - 0.3 and x - 0.05: a fold along a parabola, with the least sum of squares at its bottom.
private final class Fold: SumOfSquares {
  let lowest: [Double]
  let highest = [Double.infinity, .infinity]
  let roundingError = 0.0
  let residualCount = 3

  init(lowest: [Double] = [-.infinity, -.infinity]) { self.lowest = lowest }

  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let (x, y) = (max(coordinates[0], lowest[0]), max(coordinates[1], lowest[1]))
    residuals[0] = 1 + abs(x - y * y)
    residuals[1] = y - 0.3
    residuals[2] = x - 0.05
    return true
  }

  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let (x, y) = (coordinates[0], coordinates[1])
    let sign = x < y * y ? -1.0 : 1
    for (place, slope) in [sign, -2 * sign * y, 0, 1, 1, 0].enumerated() { jacobian[place] = slope }
    return true
  }
}

@Suite struct KinkDescentTests {
  /// Along the fold it is (y - 0.3)^2 + (y^2 - 0.05)^2 + 1, whose derivative is twice 2 y^3 + 0.9 y - 0.3.
  private let bottom: Double = {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if 2 * middle * middle * middle + 0.9 * middle - 0.3 < 0 {
        low = middle
      } else {
        high = middle
      }
    }
    return low
  }()

  /// From places in the fold that are not its bottom, as descents leave it.
  @Test(arguments: [0.2, 0.27, 0.31, 0.4])
  func kinkDescentFollowsTheFoldToItsBottom(y: Double) throws {
    let fold = Fold()
    let start = [y * y, y]
    let minimum = Minimum(
      coordinates: start, objective: fold.value(at: start), exit: .smallStep, iterations: 3)
    for finished in [
      try #require(KinkDescent.minimum(of: fold, from: minimum)),
      try LeastSquaresEngine(.gsl).finish(minimum, of: fold),
      try LeastSquaresEngine(.lanes).finish(minimum, of: fold),
    ] {
      #expect(abs(finished.coordinates[1] - bottom) < 1e-7)
      #expect(abs(finished.coordinates[0] - bottom * bottom) < 1e-7)
      #expect(finished.objective < minimum.objective)
      #expect(finished.iterations >= 3)
    }
  }

  @Test func kinkDescentStaysAtAMinimum() throws {
    let fold = Fold()
    let start = [bottom * bottom, bottom]
    let minimum = Minimum(
      coordinates: start, objective: fold.value(at: start), exit: .smallStep, iterations: 0)
    if let lower = KinkDescent.minimum(of: fold, from: minimum) {
      #expect(abs(lower.coordinates[1] - bottom) < 1e-7)
    }
  }

  /// A coordinate at its bound stays there; the rest follows the fold.
  @Test func kinkDescentKeepsBounds() throws {
    let fold = Fold(lowest: [0.16, -.infinity])
    let start = [0.16, 0.4001]
    var minimum = Minimum(
      coordinates: start, objective: fold.value(at: start), exit: .smallStep, iterations: 0)
    minimum.atBound = CoordinateSet(0)
    let lower = try #require(KinkDescent.minimum(of: fold, from: minimum))
    #expect(lower.coordinates[0] == 0.16)
    #expect(abs(lower.coordinates[1] - 0.4) < 1e-7)
  }
}
