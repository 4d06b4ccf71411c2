import Foundation
import Statistics
import TestSupport
import Testing

/// Intervals of few units; numbers are of SciPy 1.17's t.ppf, t.sf and chi2.ppf, good to the last digits.
@Suite struct SmallSampleCorrectionTests {
  @Test(arguments: [
    (4, 1, 0.1, 0.36747724620741573), (8, 2, 0.05, 0.14127252159418388),
    (2, 1, 0.3, 5.390786119256252),
  ])
  func marginsFollowStudentsT(_ count: Int, _ means: Int, _ error: Double, _ margin: Double) throws
  {
    let found = try #require(SmallSampleCorrection(count, means: means).margin(error))
    #expect(agree(found, margin, relative: 1e-12))
  }

  @Test(arguments: [
    (4, 1, 0.04, 0.028284271247461905, 0.01711522167517964, 0.7414434553643997),
    (8, 1, 0.04, 0.03, 0.009976086062823863, 0.2640456560120235),
    (12, 0, 0.02, 0.02, 0, 0.10450379534194704),
    (8, 1, 0.01, 0.02, 0, 0.15936377067468235),
  ])
  func varianceIntervalsFollowChiSquare(
    _ count: Int, _ means: Int, _ variance: Double, _ error: Double, _ low: Double, _ high: Double
  ) throws {
    let found = try #require(
      SmallSampleCorrection(count, means: means).varianceInterval(variance, standardError: error))
    #expect(agree(found.low, low, relative: 1e-10) && agree(found.high, high, relative: 1e-10))
  }

  @Test func pValuesAreTwoSided() throws {
    let found = try #require(SmallSampleCorrection(8, means: 1).pValue(-2.3))
    #expect(agree(found, 0.05499109520437159, relative: 1e-12))
  }

  @Test(arguments: [0, 1, -3]) func tooFewUnitsHaveNoInterval(_ count: Int) {
    let units = SmallSampleCorrection(count, means: 1)
    #expect(units.margin(0.1) == nil && units.pValue(1) == nil)
    #expect(units.varianceInterval(0.1, standardError: 0.1) == nil)
    #expect(SmallSampleCorrection(4, means: 1).varianceInterval(0.1, standardError: .nan) == nil)
  }

  /// The coverage, in percent, of intervals of a variance w between n numbers that are known with a variance of 1 of
  /// their own, in percent: where the likeliest w is zero they end where -2 ln L has risen by 2.71, by 3.84, or by
  /// Student's quantile squared. The numbers in the article on populations.
  @Test(arguments: [(8, 1.0, [88, 95, 97]), (4, 3, [79, 88, 97]), (12, 10, [95, 95, 95])])
  func variancesAtZeroNeedStudentsQuantile(
    _ count: Int, _ variance: Double, _ percents: [Double]
  ) throws {
    let units = SmallSampleCorrection(count, means: 1)
    let n = Double(count)
    let quantile = try #require(units.quantile)
    var generator = SeededGenerator(seed: 5)
    let studies = 4000
    var held = [0.0, 0, 0]
    for _ in 0..<studies {
      let numbers = (0..<count).map { _ in
        (variance + 1).squareRoot() * NormalScores.quantile(generator.uniform(1e-9...1 - 1e-9))
      }
      let mean = numbers.reduce(0, +) / n
      let square = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / n
      if square > 1 {
        let interval = try #require(
          units.varianceInterval(square - 1, standardError: square * (2 / n).squareRoot()))
        let isHeld = interval.low <= variance && variance <= interval.high
        for place in held.indices { held[place] += isHeld ? 1 : 0 }
      } else {
        // -2 ln L of the variance is n (ln (w + 1) + square / (w + 1)), least at zero.
        let rise = n * (log(variance + 1) + square / (variance + 1) - square)
        for (place, limit) in [2.7055, 3.8415, quantile * quantile].enumerated() {
          held[place] += rise <= limit ? 1 : 0
        }
      }
    }
    // Two standard errors of a coverage, and what rounding leaves.
    for (percent, expected) in zip(held.map { 100 * $0 / Double(studies) }, percents) {
      #expect(abs(percent - expected) < 1.5, "\(percent) \(expected)")
    }
  }
}
