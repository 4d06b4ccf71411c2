import GSL
import Statistics
import TestSupport
import Testing

/// GSL's distributions against SciPy's (Tests/Tools/statistics_scipy.py), far into the tails.
@Suite struct DistributionStatisticsTests {
  /// The tails at x, and the quantile of the probability p.
  private struct Values {
    let lower: Double
    let upper: Double
    let quantile: Double
    var tolerance = 1e-11

    init(_ row: [String: String], at x: Double, p: Double) throws {
      switch (row["distribution"], try row.number("degrees_of_freedom")) {
      case ("chi-squared", let nu?):
        let chiSquared = try ChiSquared(degreesOfFreedom: nu)
        lower = try chiSquared.lowerTail(x)
        upper = try chiSquared.upperTail(x)
        quantile = try chiSquared.quantile(p)
      case ("t", let nu?):
        let t = try StudentT(degreesOfFreedom: nu)
        lower = try t.lowerTail(x)
        upper = try t.upperTail(x)
        quantile = try t.quantile(p)
        // Beyond 30 degrees of freedom, GSL has an expansion.
        if nu > 30 { tolerance = 1e-6 }
      default:
        lower = try StandardNormal.lowerTail(x)
        upper = try StandardNormal.upperTail(x)
        quantile = NormalScores.quantile(p)
      }
    }
  }

  @Test func distributionsAgreeWithSciPy() throws {
    for row in try PackageFolder.expectations("statistics-distributions") {
      let x = try #require(try row.number("x"))
      let lower = try #require(try row.number("lower"))
      let upper = try #require(try row.number("upper"))
      let found = try Values(row, at: x, p: lower)
      #expect(agree(found.lower, lower, relative: found.tolerance, absolute: 0), "\(row)")
      #expect(agree(found.upper, upper, relative: found.tolerance, absolute: 0), "\(row)")
      // Near 1 the last digits of a probability say little about x.
      guard lower <= 0.975 else { continue }
      #expect(agree(found.quantile, x, relative: 1e-9, absolute: 1e-9), "\(row)")
    }
  }
}
