import Statistics
import TestSupport
import Testing

@Suite struct AutocorrelationStatisticsTests {
  /// The lag-1 autocorrelation by sums of squared differences (Tests/Tools/residual_statistics.py).
  @Test func lagOneAgreesWithDurbinAndWatson() throws {
    for row in try PackageFolder.expectations("fit-autocorrelation") {
      let name = Comment(rawValue: row["case"] ?? "")
      let found = try #require(Autocorrelation(residuals: row.numbers("residuals")), name)
      #expect(agree(found.lagOne, try row.number("lag_one")), name)
    }
  }

  /// (1 · 2 + 2 · 3) / (1 + 4 + 9), and Bartlett's limit of 3 residuals.
  @Test func lagOneMatchesHandCalculation() throws {
    let found = try #require(Autocorrelation(residuals: [1, 2, 3]))
    #expect(found.count == 3)
    #expect(agree(found.lagOne, 8.0 / 14))
    #expect(agree(found.limit * found.limit, 1.96 * 1.96 / 3))
  }

  /// The autocorrelation of independent residuals exceeds the limit in 1 of 20 samples, within 4 standard errors.
  @Test func limitIsExceededByOneIn20() throws {
    var generator = SeededGenerator(seed: 5)
    let beyond = try (0..<1000).count { _ in
      let residuals = (0..<100).map { _ in generator.uniform(-1...1) }
      let found = try #require(Autocorrelation(residuals: residuals))
      return abs(found.lagOne) > found.limit
    }
    let share = Double(beyond) / 1000
    let standardError = 0.0069
    #expect(abs(share - 0.05) < 4 * standardError)
  }

  /// The smallest and largest residuals cause neither underflow nor overflow.
  @Test(arguments: [.leastNonzeroMagnitude, 1e-200, 1, 1e300])
  func lagOneIsScaleInvariant(_ scale: Double) throws {
    let residuals = [1, -2, -1, 4].map { $0 * scale }
    let found = try #require(Autocorrelation(residuals: residuals))
    #expect(agree(found.lagOne, -4.0 / 22, relative: 1e-14))
  }

  @Test(arguments: [[], [1], [0, 0], [1, .nan], [1, .infinity]])
  func undefinedAutocorrelationIsNil(_ residuals: [Double]) {
    #expect(Autocorrelation(residuals: residuals) == nil)
  }
}
