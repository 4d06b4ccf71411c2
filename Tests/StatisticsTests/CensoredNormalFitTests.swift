import RealModule
import TestSupport
import Testing

@testable import Statistics

/// Values known between limits, of which some have one limit only.
@Suite struct CensoredNormalFitTests {
  private func limits(_ count: Int, width: Double, seed: UInt64, open: Double = 0) -> [Interval] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let value = 0.1 + 0.15 * generator.nearlyNormal()
      let low = value - width * generator.uniform(0...1)
      return Interval(low: low, high: generator.uniform(0...1) < open ? .infinity : low + width)
    }
  }

  /// With narrow limits it is the mean and the standard deviation with divisor n.
  @Test func narrowLimitsActAsNumbers() throws {
    let limits = limits(40, width: 1e-4, seed: 1)
    let middles = limits.map { ($0.low + $0.high) / 2 }
    let mean = middles.reduce(0, +) / 40
    let variance = middles.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 40
    let maximum = try #require(CensoredNormalFit(limits))
    #expect(abs(maximum.mean - mean) < 1e-7)
    #expect(abs(maximum.sd - variance.squareRoot()) < 1e-7)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func weightsActAsRepetitions(seed: UInt64) throws {
    let limits = limits(20, width: 0.1, seed: seed, open: 0.3)
    let weights = limits.indices.map { Double($0 % 3) }
    let repeated = limits.indices.flatMap { Array(repeating: limits[$0], count: $0 % 3) }
    let start = try #require(CensoredNormalFit(limits))
    let weighted = try #require(CensoredNormalFit(limits, weights: weights, from: start))
    let whole = try #require(CensoredNormalFit(repeated))
    #expect(abs(weighted.mean - whole.mean) < 1e-8 && abs(weighted.sd - whole.sd) < 1e-8)
    #expect(abs(weighted.logLikelihood - whole.logLikelihood) < 1e-9)
  }

  /// The mean is that of what is expected of each number: the fixed point of the EM algorithm (Dempster, Laird and Rubin
  /// 1977).
  @Test(arguments: [0, 0.3, 0.7])
  func meanIsAnEMFixedPoint(open: Double) throws {
    let limits = limits(60, width: 0.2, seed: 5, open: open)
    let maximum = try #require(CensoredNormalFit(limits))
    let expected = limits.map { maximum.mean(in: $0) }
    #expect(abs(expected.reduce(0, +) / 60 - maximum.mean) < 1e-7)
    for (limits, value) in zip(limits, expected) {
      #expect(limits.low <= value && value <= limits.high)
      let magnitude = maximum.magnitudes(in: [limits])[0].magnitude
      #expect(magnitude >= abs(value) - 1e-12)
    }
  }

  /// Against the midpoint rule on a fine grid.
  @Test(arguments: [(-0.3, 0.2), (0.05, 0.4), (-0.9, -0.2), (0.3, 2.0)])
  func expectationsAreIntegrals(ends: (Double, Double)) throws {
    let maximum = try #require(CensoredNormalFit(limits(30, width: 0.1, seed: 9)))
    let limits = Interval(low: ends.0, high: ends.1)
    let steps = 200_000
    let width = (ends.1 - ends.0) / Double(steps)
    var (mass, magnitude, distance, share) = (0.0, 0.0, 0.0, 0.0)
    for step in 0..<steps {
      let x = ends.0 + (Double(step) + 0.5) * width
      let z = (x - maximum.mean) / maximum.sd
      let density = Double.exp(-z * z / 2)
      mass += density
      magnitude += density * abs(x)
      distance += density * abs(Double.exp(x) - 1)
      share += abs(Double.exp(x) - 1) <= 0.2 ? density : 0
    }
    #expect(abs(maximum.magnitudes(in: [limits])[0].magnitude - magnitude / mass) < 1e-8)
    #expect(abs(maximum.exponentials(in: [limits])[0].distance - distance / mass) < 1e-8)
    let wanted = Interval(low: Double.log(0.8), high: Double.log(1.2))
    #expect(abs(maximum.probability(of: wanted, in: limits) - share / mass) < 1e-4)
  }

  @Test func oneSidedLimitsHaveNoMaximum() {
    let late = (1...5).map { Interval(low: Double($0), high: .infinity) }
    let early = (1...5).map { Interval(low: -.infinity, high: Double($0)) }
    #expect(CensoredNormalFit(late) == nil && CensoredNormalFit(early) == nil)
    #expect(CensoredNormalFit([]) == nil)
    // Lower limits above upper ones: the spread has no end.
    let apart = [
      Interval(low: 300, high: .infinity), Interval(low: 280, high: .infinity),
      Interval(low: -.infinity, high: 100), Interval(low: -.infinity, high: 120),
    ]
    #expect(CensoredNormalFit(apart) == nil)
  }

  @Test func commonValueMaximisesTheLikelihood() throws {
    let maximum = try #require(
      CensoredNormalFit([Interval(low: 0, high: 2), Interval(low: 1, high: 5)]))
    #expect(maximum.mean == 1.5 && maximum.sd == 0 && maximum.logLikelihood == 0)
    #expect(maximum.magnitudes(in: [Interval(low: 1, high: 5)])[0].magnitude == 1.5)
    #expect(maximum.probability(of: Interval(low: 1, high: 2), in: Interval(low: 0, high: 2)) == 1)
    #expect(maximum.probability(of: Interval(low: 3, high: 4), in: Interval(low: 1, high: 5)) == 0)
  }

  /// A number far out does not make it fail.
  @Test func farNumbersKeepTheLikelihoodFinite() throws {
    var limits = limits(5000, width: 0.01, seed: 2)
    limits.append(Interval(low: 1e6, high: 1e6 + 1))
    let maximum = try #require(CensoredNormalFit(limits))
    #expect(maximum.logLikelihood.isFinite && maximum.mean.isFinite && maximum.sd > 0)
  }
}
