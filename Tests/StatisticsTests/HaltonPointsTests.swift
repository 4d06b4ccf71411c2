import Statistics
import Testing

@Suite struct HaltonPointsTests {
  /// The first numbers in bases 2 and 3 as Halton (1960) has them.
  @Test func radicalInverseMirrorsDigits() {
    #expect(
      (1...4).map { HaltonPoints.radicalInverse(of: $0, base: 2) } == [0.5, 0.25, 0.75, 0.125])
    let thirds = (1...4).map { 9 * HaltonPoints.radicalInverse(of: $0, base: 3) }
    #expect(zip(thirds, [3.0, 6, 1, 4]).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  private static func coordinates(_ index: Int, seed: UInt64, count: Int) -> [Double] {
    var point = HaltonPoints(seed).point(index)
    return (0..<count).map { _ in point.uniform() }
  }

  /// Each b-th part of the interval holds one of b numbers in base b, however digits are scrambled.
  @Test func scrambledPointsAreStratified() {
    for (dimension, base) in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
      .enumerated()
    {
      let numbers = (0..<base).map { Self.coordinates($0, seed: 5, count: 16)[dimension] }
      #expect(Set(numbers.map { Int($0 * Double(base)) }) == Set(0..<base))
      #expect(numbers.allSatisfy { $0 > 0 && $0 < 1 })
    }
  }

  /// Equal seeds give equal points, others other ones; there is no end of coordinates.
  @Test func seedDeterminesPoints() {
    let point = Self.coordinates(7, seed: 1, count: 20)
    #expect(point == Self.coordinates(7, seed: 1, count: 20))
    #expect(point != Self.coordinates(7, seed: 2, count: 20))
    #expect(Set(point).count == 20 && point.allSatisfy { $0 > 0 && $0 < 1 })
  }

  /// A mean over 4096 points in five dimensions errs by far less than one over as many random ones, whose standard error
  /// is 0.010; neighbouring bases are not correlated.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func haltonMeansErrLessThanRandomOnes(seed: UInt64) {
    let points = HaltonPoints(seed)
    var (sum, products) = (0.0, 0.0)
    for index in 0..<4096 {
      var point = points.point(index)
      sum += (0..<5).reduce(0) { total, _ in total + point.uniform() }
      var late = points.point(index, from: 14)
      products += (late.uniform() - 0.5) * (late.uniform() - 0.5)
    }
    #expect(abs(sum / 4096 - 2.5) < 0.002)
    #expect(abs(12 * products / 4096) < 0.05)
  }
}
