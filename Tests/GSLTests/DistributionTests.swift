import GSL
import Statistics
import Testing

/// The numbers are those of printed tables; SciPy's are met in EstimationTests/Statistics.
@Suite("Distributions")
struct DistributionTests {
  @Test func normalDistributionMatchesTable() throws {
    #expect(abs(try StandardNormal.lowerTail(1.96) - 0.9750) < 0.00005)
    #expect(abs(try StandardNormal.upperTail(1.645) - 0.0500) < 0.00005)
    #expect(abs(NormalScores.quantile(0.975) - 1.959964) < 0.0000005)
    #expect(try StandardNormal.lowerTail(0) == 0.5)
    #expect(try StandardNormal.upperTail(40) >= 0)
  }

  @Test(arguments: [(1, 3.841), (2, 5.991), (10, 18.307), (100, 124.342)])
  func chiSquaredDistributionMatchesTable(_ degreesOfFreedom: Double, _ critical: Double) throws {
    let distribution = try ChiSquared(degreesOfFreedom: degreesOfFreedom)
    #expect(abs(try distribution.quantile(0.95) - critical) < 0.0005)
    #expect(abs(try distribution.upperTail(critical) - 0.05) < 0.00005)
    #expect(try distribution.lowerTail(-1) == 0)
    #expect(try distribution.upperTail(-1) == 1)
  }

  @Test(arguments: [(1, 12.706), (2, 4.303), (10, 2.228), (120, 1.980)])
  func studentDistributionMatchesTable(_ degreesOfFreedom: Double, _ critical: Double) throws {
    let distribution = try StudentT(degreesOfFreedom: degreesOfFreedom)
    #expect(abs(try distribution.quantile(0.975) - critical) < 0.0005)
    #expect(abs(try distribution.upperTail(critical) - 0.025) < 0.00005)
    #expect(abs(try distribution.lowerTail(-critical) - 0.025) < 0.00005)
  }

  @Test("Both tails together are 1, and no argument ends the process or gives NaN")
  func lowerAndUpperTailsSumToOne() throws {
    for nu in [1e-3, 0.5, 1, 7, 31, 1e3, 1e6, 1e12] {
      let t = try StudentT(degreesOfFreedom: nu)
      let chiSquared = try ChiSquared(degreesOfFreedom: nu)
      for x in [-1e300, -1e3, -1, -1e-300, 0, 1e-300, 0.3, 1, 20, 1e3, 1e8, 1e300] {
        #expect(abs(try t.lowerTail(x) + t.upperTail(x) - 1) < 1e-9, "t, \(nu), \(x)")
        let sum = try chiSquared.lowerTail(x) + chiSquared.upperTail(x)
        #expect(abs(sum - 1) < 1e-9, "chi-squared, \(nu), \(x)")
      }
    }
  }

  @Test(arguments: [0, -1, Double.nan, .infinity])
  func nonPositiveDegreesOfFreedomAreErrors(_ degreesOfFreedom: Double) {
    let t = #expect(throws: GSLError.self) { try StudentT(degreesOfFreedom: degreesOfFreedom) }
    let chiSquared = #expect(throws: GSLError.self) {
      try ChiSquared(degreesOfFreedom: degreesOfFreedom)
    }
    #expect(t?.name == "GSL_EDOM")
    #expect(chiSquared?.name == "GSL_EDOM")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func tailsOfNonFiniteNumbersAreErrors(_ x: Double) throws {
    let t = try StudentT(degreesOfFreedom: 3)
    let chiSquared = try ChiSquared(degreesOfFreedom: 3)
    let tails: [(Double) throws -> Double] = [
      { try StandardNormal.lowerTail($0) }, { try StandardNormal.upperTail($0) },
      { try t.lowerTail($0) }, { try t.upperTail($0) },
      { try chiSquared.lowerTail($0) }, { try chiSquared.upperTail($0) },
    ]
    for tail in tails {
      let error = #expect(throws: GSLError.self) { try tail(x) }
      #expect(error?.name == "GSL_EDOM")
    }
  }

  @Test(arguments: [0, 1, -0.1, 1.1, Double.nan])
  func quantilesOutsideZeroToOneAreErrors(_ p: Double) throws {
    let t = try StudentT(degreesOfFreedom: 3)
    let chiSquared = try ChiSquared(degreesOfFreedom: 3)
    let quantiles: [(Double) throws -> Double] = [
      { try t.quantile($0) }, { try chiSquared.quantile($0) },
    ]
    for quantile in quantiles {
      let error = #expect(throws: GSLError.self) { try quantile(p) }
      #expect(error?.name == "GSL_EDOM")
    }
  }
}

/// Against SciPy 1.14's `f.sf`, `digamma` and `polygamma`.
@Suite struct FDistributionTests {
  @Test func upperTailsAgreeWithSciPy() throws {
    let first = try FDistribution(numerator: 3, denominator: 17).upperTail(4.2)
    #expect(abs(first / 0.021437857852397057 - 1) < 1e-12)
    let second = try FDistribution(numerator: 3, denominator: 96).upperTail(0.5)
    #expect(abs(second / 0.683168312230674 - 1) < 1e-12)
    #expect(throws: GSLError.self) { try FDistribution(numerator: 0, denominator: 1) }
    #expect(throws: GSLError.self) { try FDistribution(numerator: 1, denominator: .infinity) }
  }

  @Test func polygammaAgreesWithSciPy() throws {
    #expect(abs(try #require(PolyGamma.digamma(3.5)) - 1.103156640645243) < 1e-14)
    #expect(abs(try #require(PolyGamma.trigamma(3.5)) - 0.3303577561002349) < 1e-14)
    #expect(PolyGamma.digamma(0) == nil)
    #expect(PolyGamma.trigamma(-.infinity) == nil)
  }
}
