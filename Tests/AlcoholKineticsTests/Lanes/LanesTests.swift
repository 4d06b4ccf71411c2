import RealModule
import TestSupport
import Testing

@testable import AlcoholKinetics

/// The exponential of eight numbers, against the library's of each.
@Suite struct LanesTests {
  /// Distance in units in the last place of what is expected.
  private func ulps(_ found: Double, _ expected: Double) -> Double {
    found == expected ? 0 : abs(found - expected) / expected.ulp
  }

  private func worst(
    _ numbers: [Double], _ function: (Lanes) -> Lanes, _ expected: (Double) -> Double
  ) -> Double {
    numbers.reduce(0) { worst, x in
      let found = function(Lanes(repeating: x))
      #expect(all(found .== found[0]))
      return max(worst, ulps(found[0], expected(x)))
    }
  }

  /// The library's own error is below 1 ulp; 2 is what is promised.
  @Test func exponentialIsWithinTwoUlps() {
    var generator = SeededGenerator(seed: 2)
    let large = (0..<20_000).map { _ in generator.uniform(-707...708) }
    #expect(worst(large, Lanes.exp, Double.exp) <= 2)
    let small = (0..<20_000).map { _ in -generator.logUniform(1e-300...1) }
    #expect(worst(small, Lanes.exp, Double.exp) <= 2)
  }

  @Test func exponentialHandlesInfinitiesZeroAndNaN() {
    let found = Lanes.exp(Lanes(-.infinity, -1e6, -709, -708, -0.0, 0, .nan, -40))
    for lane in 0..<4 { #expect(found[lane] < 1e-307 && found[lane] >= 0) }
    #expect(found[4] == 1 && found[5] == 1 && found[6].isNaN)
  }

  @Test func lanesAreIndependentOfEachOther() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<1000 {
      var lanes = Lanes.zero
      for lane in 0..<8 { lanes[lane] = -generator.logUniform(1e-12...800) }
      let together = Lanes.exp(lanes)
      for lane in 0..<8 {
        #expect(together[lane] == Lanes.exp(Lanes(repeating: lanes[lane]))[lane])
      }
    }
  }
}
