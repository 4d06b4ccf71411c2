import GSL
import TestSupport
import Testing

@testable import Statistics

@Suite struct CensoredStatisticsTests {
  private func exact(_ values: Double...) -> [CensoredValue] {
    values.map { CensoredValue(low: nil, high: nil, value: $0) }
  }

  private func atLeast(_ values: Double...) -> [CensoredValue] {
    values.map { CensoredValue(low: $0, high: nil) }
  }

  private func atMost(_ values: Double...) -> [CensoredValue] {
    values.map { CensoredValue(low: nil, high: $0) }
  }

  // MARK: - Values

  @Test func exactLimitedAndUnknownValuesAreDistinguished() {
    #expect(exact(1)[0].kind == .exact && atLeast(1)[0].kind == .atLeast)
    #expect(atMost(1)[0].kind == .atMost)
    #expect(CensoredValue(low: 1, high: 2).kind == .between)
    #expect(CensoredValue(low: nil, high: nil).kind == .unknown)
    #expect(CensoredValue(low: 1, high: 3, value: 2).kind == .exact)
  }

  /// Limits of a mean are the means of limits; independent uncertainties add up as squares.
  @Test func meansRespectLimits() {
    let unknown = CensoredValue(low: nil, high: nil)
    #expect(CensoredValue.mean(of: exact(1, 4)).value == 2.5)
    #expect(CensoredValue.mean(of: exact(1) + atLeast(4)) == CensoredValue(low: 2.5, high: nil))
    #expect(
      CensoredValue.mean(of: exact(1) + [CensoredValue(low: 2, high: 4)])
        == CensoredValue(low: 1.5, high: 2.5))
    #expect(CensoredValue.mean(of: atLeast(4) + atMost(1)).kind == .unknown)
    #expect(CensoredValue.mean(of: [unknown] + exact(3)).value == 3)
    #expect(CensoredValue.mean(of: [unknown, unknown]).kind == .unknown)
    #expect(CensoredValue.mean(of: []).kind == .unknown)
    let mean = CensoredValue.mean(of: [
      CensoredValue(low: 0, high: 5, value: 1), CensoredValue(low: 3, high: 9, value: 6),
    ])
    #expect(mean.value == 3.5)
    #expect(abs(mean.low - (3.5 - 10.0.squareRoot() / 2)) < 1e-14)
    #expect(abs(mean.high - (3.5 + 2.5)) < 1e-14)
  }

  // MARK: - The normal distribution

  @Test func uncensoredMeansMatchTextbook() throws {
    let found = try #require(CensoredNormal(exact(1, 2, 4, 9)))
    let sample = try #require(Sample([1, 2, 4, 9]))
    let deviation = try #require(sample.standardDeviation)
    #expect(agree(found.mean, 4, within: 1e-9))
    #expect(agree(found.standardDeviation, deviation, within: 1e-9))
    let margin = 3.182446305283708 * deviation / 2
    #expect(agree(found.meanInterval.low, 4 - margin, within: 1e-8))
    #expect(agree(found.meanInterval.high, 4 + margin, within: 1e-8))
    // Chi squared with 3 degrees of freedom has 0.2158 and 9.3484 at 2.5 and 97.5 %.
    let interval = try #require(found.deviationInterval)
    #expect(agree(interval.low, deviation * (3 / 9.348403604496148).squareRoot(), within: 1e-7))
    #expect(agree(interval.high, deviation * (3 / 0.2157952826238981).squareRoot(), within: 1e-7))
  }

  /// Numbers for which there is no maximum, or which say nothing.
  @Test func valuesWithoutMaximumGiveNil() {
    let unknown = CensoredValue(low: nil, high: nil)
    let none = [
      [], exact(1), exact(2, 2, 2), atLeast(1, 2, 3), atMost(1, 2, 3), [unknown, unknown, unknown],
      exact(1) + [unknown], exact(2) + atLeast(1),
      [CensoredValue(low: 0, high: 3), CensoredValue(low: 1, high: 4)], atLeast(1) + atMost(2),
    ]
    for values in none { #expect(CensoredNormal(values) == nil, "\(values)") }
    for level in [0, 1, -1, 95, Double.nan] {
      #expect(CensoredNormal(exact(1, 2, 3), level: level) == nil)
    }
  }

  /// Far-off limits and tight intervals come to a maximum, or to none, but always to an end.
  @Test func extremeLimitsTerminate() throws {
    let generator = try RandomGenerator(seed: 5)
    for trial in 0..<300 {
      let values = (0..<(2 + trial % 9)).map { index -> CensoredValue in
        let x = generator.nextNormal() * (trial % 7 == 0 ? 1e3 : 1)
        switch index % 4 {
        case 0: return CensoredValue(low: nil, high: nil, value: x)
        case 1: return CensoredValue(low: x, high: nil)
        case 2: return CensoredValue(low: x, high: x + (trial % 2 == 0 ? 1e-9 : 2))
        default: return CensoredValue(low: nil, high: x)
        }
      }
      guard let found = CensoredNormal(values) else { continue }
      #expect(found.mean.isFinite && found.standardDeviation > 0)
      #expect(found.meanInterval.low <= found.mean && found.mean <= found.meanInterval.high)
    }
  }

  @Test func orderOfValuesIsIgnored() throws {
    let values = exact(1, 2.5, 3, 4) + atLeast(2, 5) + atMost(1.5)
    let one = try #require(CensoredNormal(values))
    let other = try #require(CensoredNormal(values.reversed()))
    #expect(agree(one.mean, other.mean, within: 1e-8))
    #expect(agree(one.standardDeviation, other.standardDeviation, within: 1e-8))
    #expect(CensoredMedian(values) == CensoredMedian(values.reversed()))
  }

  /// A lower limit that is at least the typical value never lowers it.
  @Test func lowerLimitsNeverLowerTheTypicalValue() throws {
    let generator = try RandomGenerator(seed: 17)
    for trial in 0..<200 {
      let values = (0..<(3 + trial % 12)).map { index -> CensoredValue in
        let x = generator.nextNormal()
        return index > 1 && generator.nextUniform() < 0.4
          ? CensoredValue(low: x, high: nil) : CensoredValue(low: nil, high: nil, value: x)
      }
      guard let before = CensoredNormal(values) else { continue }
      let limit = before.mean + abs(generator.nextNormal())
      let after = try #require(CensoredNormal(values + [CensoredValue(low: limit, high: nil)]))
      #expect(after.mean >= before.mean - 1e-9, "\(values), \(limit)")
      let (old, new) = (
        CensoredMedian(values), CensoredMedian(values + [CensoredValue(low: limit, high: nil)])
      )
      #expect(order(new) >= order(old) - 1e-9, "\(values), \(limit)")
    }
  }

  private func order(_ median: CensoredMedian?) -> Double {
    switch median {
    case .value(let value), .atMost(let value), .atLeast(let value): value
    case nil: -.infinity
    }
  }

  /// Half of the numbers are known by lower limits only, as where absorption was not sampled: the mean of
  /// the others is 0.9 SD too low.
  @Test func censoredMeanRecoversTheTruth() throws {
    let generator = try RandomGenerator(seed: 3)
    var (covered, error) = (0, 0.0)
    for _ in 0..<200 {
      let values = (0..<24).map { _ -> CensoredValue in
        let (x, limit) = (generator.nextNormal(), generator.nextNormal())
        return x > limit
          ? CensoredValue(low: limit, high: nil) : CensoredValue(low: nil, high: nil, value: x)
      }
      let found = try #require(CensoredNormal(values))
      error += found.mean / 200
      if found.meanInterval.low <= 0, found.meanInterval.high >= 0 { covered += 1 }
    }
    // The standard error of the mean of 200 means is below 0.02; four of 95 % covered are 6 %.
    #expect(abs(error) < 0.08)
    #expect((178...200).contains(covered), "\(covered)")
  }

  // MARK: - The median

  @Test func uncensoredMedianIsTheUsualOne() {
    #expect(CensoredMedian(exact(5, 1, 3)) == .value(3))
    #expect(CensoredMedian(exact(5, 1, 3, 4)) == .value(3.5))
    #expect(CensoredMedian(exact(2, 2, 2, 7)) == .value(2))
    #expect(CensoredMedian(exact(2)) == .value(2))
    #expect(CensoredMedian([]) == nil)
    #expect(CensoredMedian([CensoredValue(low: nil, high: nil)]) == nil)
  }

  /// Kaplan and Meier by hand: of 1, 2+, 3, 4, 5+ the survival is 4/5, then 4/5 * 2/3 = 8/15 at 3, then
  /// 4/15 at 4.
  @Test func lowerLimitsGiveKaplanMeier() {
    #expect(CensoredMedian(exact(1, 3, 4) + atLeast(2, 5)) == .value(4))
    #expect(CensoredMedian(exact(1) + atLeast(2, 3)) == .atLeast(3))
    #expect(CensoredMedian(exact(5) + atMost(2, 3)) == .atMost(2))
  }

  /// All weight of the first two lies where they overlap, from 2 to 3.
  @Test func intervalsGiveTurnbull() {
    let values = [
      CensoredValue(low: 1, high: 3), CensoredValue(low: 2, high: 4),
      CensoredValue(low: 6, high: 7),
    ]
    #expect(CensoredMedian(values) == .value(2.5))
  }

  /// Times between readings every 10 min, some after the last: Turnbull's steps, one by one, over the classes between
  /// readings.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func acceleratedStepsReachTurnbullsSolution(seed: Int) throws {
    let generator = try RandomGenerator(seed: UInt64(seed))
    let ends = (0..<60).map { _ -> (low: Int, high: Int) in
      let first = Int(40 * generator.nextUniform())
      return (first, first + 1 + Int(10 * generator.nextUniform()))
    }
    var weights = [Double](repeating: 1.0 / 50, count: 50)
    for _ in 0..<20_000 {
      var next = [Double](repeating: 0, count: 50)
      for (low, high) in ends {
        let sum = weights[low..<high].reduce(0, +)
        for place in low..<high { next[place] += weights[place] / sum / Double(ends.count) }
      }
      weights = next
    }
    let passed = (0...50).map { weights[..<$0].reduce(0, +) }
    let middle = try #require(passed.indices.last { passed[$0] < 0.5 })
    // Limits belong to their intervals, so that those that touch would have a number in common.
    let values = ends.map {
      CensoredValue(low: 10 * Double($0.low) + 0.1, high: 10 * Double($0.high))
    }
    guard case .value(let median) = try #require(CensoredMedian(values)) else {
      Issue.record("the median has two limits")
      return
    }
    // Between the two classes where exactly half is on either side.
    let (first, last) = (
      passed[middle] > 0.499 ? middle - 5 : middle,
      passed[middle + 1] < 0.501 ? middle + 6 : middle + 1
    )
    #expect((10 * Double(first)...10 * Double(last)).contains(median), "\(middle)")
  }
}
