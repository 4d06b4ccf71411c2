import Statistics
import TestSupport
import Testing

@Suite struct RunsTestStatisticsTests {
  /// Orders counted sign by sign (Tests/Tools/residual_statistics.py), about the sizes where the
  /// method changes. The p values are down to 1e-14, so that only the relative difference counts.
  @Test func runsAgreeWithCounting() throws {
    for row in try PackageFolder.expectations("fit-runs") {
      let name = Comment(rawValue: row["case"] ?? "")
      let test = try #require(RunsTest(residuals: row.numbers("residuals")), name)
      #expect(Double(test.positives) == (try row.number("positives")), name)
      #expect(Double(test.negatives) == (try row.number("negatives")), name)
      #expect(Double(test.runs) == (try row.number("runs")), name)
      #expect(agree(test.expectedRuns, try row.number("expected_runs")), name)
      #expect(agree(test.pValue, try row.number("p"), relative: 1e-10, absolute: 0), name)
      #expect(String(test.isExact) == row["exact"], name)
    }
  }

  /// Numbers of runs at or beyond which randomness is rejected at the level 0.05, two-sided: table
  /// of Swed and Eisenhart (1943) as in Siegel (1956), table F.
  @Test(arguments: [
    (5, 5, 2, 10), (6, 6, 3, 11), (8, 12, 6, 16), (10, 10, 6, 16), (15, 15, 10, 22),
    (20, 20, 14, 28),
  ])
  func limitsMatchPublishedTable(m: Int, n: Int, fewest: Int, most: Int) throws {
    for runs in fewest...most {
      let test = try #require(RunsTest(residuals: Self.residuals(m, n, runs: runs)))
      #expect(test.runs == runs)
      #expect((test.pValue <= 0.05) == (runs == fewest || runs == most))
    }
  }

  /// All orders of 4 positive and 5 negative residuals, one by one.
  @Test func exactPAgreesWithEnumeration() throws {
    let tests = try (0..<1 << 9).filter { $0.nonzeroBitCount == 4 }.map { signs in
      try #require(RunsTest(residuals: (0..<9).map { signs >> $0 & 1 == 1 ? 1 : -1 }))
    }
    #expect(tests.count == 126)
    for test in tests {
      let fewer = tests.count { $0.runs <= test.runs }
      let more = tests.count { $0.runs >= test.runs }
      #expect(test.isExact)
      #expect(agree(test.pValue, min(1, 2 * Double(min(fewer, more)) / 126)))
    }
  }

  @Test func runsDependOnlyOnOrderOfSigns() throws {
    let residuals = [0.4, -1.2, 3, 2.2, 0, -0.1, 2.2, -7]
    let test = try #require(RunsTest(residuals: residuals))
    #expect(test == RunsTest(residuals: [9, -9, 9, 9, -9, 9, -9]))
    let mirrored = try #require(RunsTest(residuals: residuals.map(-)))
    #expect(test.pValue == mirrored.pValue)
    #expect(RunsTest(residuals: residuals.reversed())?.runs == test.runs)
  }

  @Test(arguments: [[], [0], [1, 2, 3], [-1, 0], [1, -1, .nan], [1, -1, .infinity]])
  func untestableResidualsGiveNil(_ residuals: [Double]) {
    #expect(RunsTest(residuals: residuals) == nil)
  }

  /// m positive and n negative residuals in a number of runs: single ones in turn, and what is left
  /// of each kind at its last run.
  private static func residuals(_ m: Int, _ n: Int, runs: Int) -> [Double] {
    // The commoner kind begins, as it needs the run more if their number is odd.
    let (first, second) = (max(m, n), min(m, n))
    let (firstRuns, secondRuns) = ((runs + 1) / 2, runs / 2)
    return (0..<runs).flatMap { run -> [Double] in
      let isFirst = run.isMultiple(of: 2)
      let isLast = run >= runs - 2
      let left = isFirst ? first - firstRuns : second - secondRuns
      return Array(repeating: isFirst ? 1 : -1, count: isLast ? left + 1 : 1)
    }
  }
}
