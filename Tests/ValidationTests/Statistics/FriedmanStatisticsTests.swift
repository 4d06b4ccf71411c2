import TestSupport
import Testing
import Validation

@Suite struct FriedmanStatisticsTests {
  private func blocks(_ row: [String: String]) throws -> [[Double]] {
    try (row["blocks"] ?? "").split(separator: ";").map { block in
      try ["block": String(block)].numbers("block")
    }
  }

  /// SciPy's `friedmanchisquare` (Tests/Tools/statistics_scipy.py), with and without ties.
  @Test func friedmanTestAgreesWithSciPy() throws {
    for row in try PackageFolder.expectations("statistics-friedman") {
      let name = Comment(rawValue: row["case"] ?? "")
      let table = try blocks(row)
      let test = try #require(FriedmanTest(blocks: table))
      #expect(test.subjects == table.count)
      #expect(test.degreesOfFreedom == table[0].count - 1)
      #expect(zip(test.meanRanks, try row.numbers("mean_ranks")).allSatisfy { agree($0, $1) }, name)
      // SciPy subtracts two large numbers, which costs it digits.
      #expect(agree(test.chiSquared, try row.number("chi_squared"), absolute: 1e-10), name)
      #expect(agree(test.pValue, try row.number("p"), relative: 1e-10, absolute: 0), name)
    }
  }

  /// Ways to round first base, Hollander and Wolfe (1973); R's manual gives 11.143 and 0.003805.
  @Test func statisticMatchesPublishedExample() throws {
    let rows = try PackageFolder.expectations("statistics-friedman")
    let row = try #require(rows.first { $0["case"] == "hollander-wolfe-1973" })
    let test = try #require(FriedmanTest(blocks: blocks(row)))
    #expect(test.subjects == 22)
    #expect(test.degreesOfFreedom == 2)
    #expect(abs(test.chiSquared - 11.143) < 0.0005)
    #expect(abs(test.pValue - 0.003805) < 0.0000005)
  }

  @Test func perfectAgreementGivesLargestStatistic() throws {
    let test = try #require(FriedmanTest(blocks: Array(repeating: [0.1, 0.2, 0.3, 0.4], count: 5)))
    #expect(test.meanRanks == [1, 2, 3, 4])
    #expect(test.chiSquared == 15)
  }

  @Test(arguments: [
    [], [[]], [[], []], [[1, 2, 3]], [[1, 2], [2, 1]], [[1, 2, 3], [1, 2]], [[1, 2], [1, 2, 3]],
    [[1, 2, 3], [1, .nan, 3]], [[1, 2, 3], [1, .infinity, 3]], [[1, 1, 1], [2, 2, 2]],
  ])
  func untestableBlocksGiveNil(_ blocks: [[Double]]) {
    #expect(FriedmanTest(blocks: blocks) == nil)
  }
}
