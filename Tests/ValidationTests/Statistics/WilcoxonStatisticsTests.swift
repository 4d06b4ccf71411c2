import TestSupport
import Testing
import Validation

@Suite struct WilcoxonStatisticsTests {
  /// SciPy's `wilcoxon` (Tests/Tools/statistics_scipy.py), exact and approximate, with ties and
  /// zeros, about the sizes where SciPy changes its method.
  @Test func wilcoxonTestAgreesWithSciPy() throws {
    for row in try PackageFolder.expectations("statistics-wilcoxon") {
      let name = Comment(rawValue: row["case"] ?? "")
      let test = try #require(WilcoxonSignedRank(differences: row.numbers("differences")))
      #expect(Double(test.count) == (try row.number("count")), name)
      #expect(test.positiveRankSum == (try row.number("positive_rank_sum")), name)
      #expect(test.statistic == (try row.number("statistic")), name)
      // The p values are down to 1e-21, so that only the relative difference counts.
      #expect(agree(test.pValue, try row.number("p"), relative: 1e-11, absolute: 0), name)
      if let isExact = row["exact"], !isExact.isEmpty {
        #expect(String(test.isExact) == isExact, name)
      }
    }
  }

  /// Depression of 9 patients, Hollander and Wolfe (1973): T+ 40, two-sided p 0.039.
  @Test func statisticMatchesPublishedExample() throws {
    let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    let test = try #require(WilcoxonSignedRank(differences: zip(before, after).map(-)))
    #expect(test.positiveRankSum == 40)
    #expect(test.isExact)
    #expect(test.pValue == 20.0 / 512)
  }

  @Test func pIsInvariantToSign() throws {
    let differences = [0.4, -1.2, 3, 2.2, 0, -0.1, 2.2]
    let test = try #require(WilcoxonSignedRank(differences: differences))
    let mirrored = try #require(WilcoxonSignedRank(differences: differences.map(-)))
    #expect(test.pValue == mirrored.pValue)
    #expect(test.statistic == mirrored.statistic)
    #expect(test.positiveRankSum + mirrored.positiveRankSum == 21)
  }

  /// All ways to sign the ranks, one by one, for random differences with ties.
  @Test func exactPAgreesWithEnumeration() throws {
    let magnitudes: [Double] = [1, 1, 2, 3, 3, 3, 5, 8]
    let statistics = try (0..<1 << 8).map { signs in
      let differences = magnitudes.indices.map { i in
        signs >> i & 1 == 1 ? magnitudes[i] : -magnitudes[i]
      }
      return try #require(WilcoxonSignedRank(differences: differences))
    }
    for test in statistics {
      let extreme = statistics.count { $0.statistic <= test.statistic }
      #expect(test.isExact)
      #expect(test.pValue == Double(extreme) / 256)
    }
  }

  @Test(arguments: [[], [0], [0, 0, -0.0], [1, .nan], [1, .infinity]])
  func untestableDifferencesGiveNil(_ differences: [Double]) {
    #expect(WilcoxonSignedRank(differences: differences) == nil)
  }
}
