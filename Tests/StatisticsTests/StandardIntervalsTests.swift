import CLanes
import RealModule
import TestSupport
import Testing

@testable import Statistics

/// Intervals of the standard normal distribution, in lanes and beside the C library's functions.
@Suite struct StandardIntervalsTests {
  private static let ends: [(low: Double, high: Double)] = {
    var generator = SeededGenerator(seed: 11)
    let drawn = (0..<500).map { index in
      let low = generator.uniform(-12...12)
      let width = Double.pow(10, generator.uniform(-6...1.5))
      return (low, index % 7 == 0 ? .infinity : low + width)
    }
    return drawn + drawn.map { (-$0.1, -$0.0) } + [
      (-.infinity, .infinity), (0, .infinity), (-.infinity, 0), (0, 1e-300), (-1e-12, 1e-12),
      (30, 31), (-1e9, 1e9), (38, .infinity), (1e5, .infinity),
    ]
  }()

  private static func measured() -> StandardIntervals {
    var intervals = StandardIntervals(ends.count)
    intervals.measure { ends[$0] }
    return intervals
  }

  /// By erfc where it has a value: of the side on which there is more.
  @Test func probabilitiesAgreeWithErfc() {
    let intervals = Self.measured()
    func tail(_ z: Double) -> Double { Double.erfc(z / 2.0.squareRoot()) / 2 }
    var checked = 0
    for (place, ends) in Self.ends.enumerated() {
      let (low, high) = ends.high <= 0 ? (-ends.high, -ends.low) : ends
      let probability = low >= 0 ? tail(low) - tail(high) : 1 - (tail(-low) + tail(high))
      // Below, the difference has too few digits to be held against.
      guard probability > 1e-6 * tail(max(low, 0)), probability > 1e-300 else { continue }
      checked += 1
      let expected = Double.log(probability)
      // The tail itself is as uncertain as its exponent is long.
      let digits = max(1, abs(expected)) * (1 + tail(max(low, 0)) / probability)
      #expect(agree(intervals[place].logProbability, expected, within: 4e-15 * digits))
    }
    #expect(checked > 800)
  }

  /// Far out by the asymptotic series, 26.2.12 of Abramowitz and Stegun (1964).
  @Test func tailsAreFollowedToTheirEnd() {
    for z in [20.0, 38, 100, 1e4, 1e8] {
      let square = 1 / (z * z)
      let expected =
        StandardInterval.logDensity(z) - Double.log(z)
        + Double.log(onePlus: -square * (1 - square * (3 - square * (15 - 105 * square))))
      for interval in [StandardInterval(z, .infinity), StandardInterval(-.infinity, -z)] {
        #expect(
          agree(
            interval.logProbability, expected, relative: 1e-15,
            absolute: 1000 * Double.pow(square, 5)))
      }
    }
  }

  /// Densities over the probability: their difference is the mean, and the derivatives of the logarithm by the ends.
  @Test func densitiesAreDerivatives() {
    for (low, high) in [(-1.0, 0.5), (0.2, 3), (-6, -5), (4, 4.01), (-3, .infinity)] {
      let step = 1e-5
      let interval = StandardInterval(low, high)
      let byLow =
        (StandardInterval(low + step, high).logProbability
          - StandardInterval(low - step, high).logProbability) / (2 * step)
      #expect(agree(interval.densities.low, -byLow, relative: 1e-5))
      guard high.isFinite else { continue }
      let byHigh =
        (StandardInterval(low, high + step).logProbability
          - StandardInterval(low, high - step).logProbability) / (2 * step)
      #expect(agree(interval.densities.high, byHigh, relative: 1e-5))
    }
  }

  /// In every width, alone and beside others, an interval has the same bits.
  @Test func vectorWidthDoesNotChangeBits() {
    let wide = Self.measured()
    for widest in [2, 4] as [Int32] {
      use_at_most(widest)
      let narrow = Self.measured()
      use_at_most(8)
      for place in Self.ends.indices {
        #expect(wide[place].logProbability == narrow[place].logProbability)
        #expect(wide[place].densities == narrow[place].densities)
      }
    }
    for (place, ends) in Self.ends.enumerated() where place % 50 == 0 {
      #expect(
        StandardInterval(ends.low, ends.high).logProbability == wide[place].logProbability)
    }
  }
}
