import Statistics
import TestSupport
import Testing

@Suite struct ShapiroWilkStatisticsTests {
  /// SciPy's `shapiro` (Tests/Tools/residual_statistics.py). SciPy's normal scores and tails are good
  /// to about 9 digits, and 1 - W loses some of them.
  @Test func shapiroWilkAgreesWithSciPy() throws {
    for row in try PackageFolder.expectations("fit-shapiro") {
      let name = Comment(rawValue: row["case"] ?? "")
      let test = try #require(ShapiroWilk(row.numbers("values")), name)
      #expect(agree(test.statistic, try row.number("statistic"), relative: 1e-8), name)
      #expect(agree(test.pValue, try row.number("p"), relative: 1e-6), name)
    }
  }

  /// Weights of 11 men, Shapiro and Wilk (1965): W 0.79, p below 0.01.
  @Test func statisticMatchesPublishedExample() throws {
    let pounds: [Double] = [148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236]
    let test = try #require(ShapiroWilk(pounds))
    #expect(test.count == 11)
    #expect(agree(test.statistic, 0.79, relative: 0.005 / 0.79))
    #expect(test.pValue < 0.01)
  }

  /// For 3 numbers W is known: with the gaps g and h it is 1 at g = h and 3/4 at h = 0, where p is 0.
  @Test func pIsExactForThreeNumbers() throws {
    let even = try #require(ShapiroWilk([2, 1, 3]))
    #expect(agree(even.statistic, 1))
    #expect(agree(even.pValue, 1, relative: 1e-7))
    let extreme = try #require(ShapiroWilk([1, 1, 5]))
    #expect(agree(extreme.statistic, 0.75))
    #expect(agree(extreme.pValue, 0))
  }

  /// P values of normal numbers are uniform for every size: 1 in 10 is below 0.1, within 4 standard errors of 600 draws
  /// and the 0.01 that the approximation is good for.
  @Test(arguments: [3, 5, 8, 11, 12, 20])
  func normalNumbersAreRejectedAtTheLevel(_ count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let rejected = try (0..<600).count { _ in
      let values = (0..<count).map { _ in generator.nearlyNormal() }
      return try #require(ShapiroWilk(values)).pValue < 0.1
    }
    let share = Double(rejected) / 600
    let standardError = 0.0122
    #expect(abs(share - 0.1) < 0.01 + 4 * standardError)
  }

  @Test(arguments: [4, 11, 12, 100])
  func statisticIsInvariantToUnitSignAndOrder(_ count: Int) throws {
    var generator = SeededGenerator(seed: 9)
    let values = (0..<count).map { _ in generator.uniform(0...1) }
    let test = try #require(ShapiroWilk(values))
    for other in [values.reversed(), values.map { -$0 }, values.map { 1e-200 * $0 }] {
      let changed = try #require(ShapiroWilk(other))
      #expect(agree(changed.statistic, test.statistic, relative: 1e-13))
      #expect(agree(changed.pValue, test.pValue, relative: 1e-11))
    }
  }

  /// The most numbers there may be, evenly spaced: W is that of a uniform distribution, 0.955.
  @Test func fiveThousandNumbersAreTested() throws {
    let test = try #require(ShapiroWilk((0..<5000).map(Double.init)))
    #expect(agree(test.statistic, 0.955, relative: 0.001))
    #expect(test.pValue < 1e-30)
    #expect(ShapiroWilk((0...5000).map(Double.init)) == nil)
  }

  @Test(arguments: [[], [1, 2], [4, 4, 4], [1, 2, .nan], [1, 2, .infinity], [1, 2, 1e200]])
  func untestableSamplesGiveNil(_ values: [Double]) {
    #expect(ShapiroWilk(values) == nil)
  }
}
