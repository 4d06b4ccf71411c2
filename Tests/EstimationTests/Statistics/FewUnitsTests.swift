import Estimation
import TestSupport
import Testing

/// Intervals of few units; numbers are of SciPy 1.17's t.ppf, t.sf and chi2.ppf, good to the last digits.
@Suite struct FewUnitsTests {
  @Test(arguments: [
    (4, 1, 0.1, 0.36747724620741573), (8, 2, 0.05, 0.14127252159418388),
    (2, 1, 0.3, 5.390786119256252),
  ])
  func marginsAreStudents(_ count: Int, _ means: Int, _ error: Double, _ margin: Double) throws {
    let found = try #require(FewUnits(count, means: means).margin(error))
    #expect(agree(found, margin, relative: 1e-12))
  }

  @Test(arguments: [
    (4, 1, 0.04, 0.028284271247461905, 0.01711522167517964, 0.7414434553643997),
    (8, 1, 0.04, 0.03, 0.009976086062823863, 0.2640456560120235),
    (12, 0, 0.02, 0.02, 0, 0.10450379534194704),
    (8, 1, 0.01, 0.02, 0, 0.15936377067468235),
  ])
  func variancesAreChiSquared(
    _ count: Int, _ means: Int, _ variance: Double, _ error: Double, _ low: Double, _ high: Double
  ) throws {
    let found = try #require(
      FewUnits(count, means: means).varianceInterval(variance, standardError: error))
    #expect(agree(found.low, low, relative: 1e-10) && agree(found.high, high, relative: 1e-10))
  }

  @Test func pValuesAreTwoSided() throws {
    let found = try #require(FewUnits(8, means: 1).pValue(-2.3))
    #expect(agree(found, 0.05499109520437159, relative: 1e-12))
  }

  @Test(arguments: [0, 1, -3]) func tooFewHaveNone(_ count: Int) {
    let units = FewUnits(count, means: 1)
    #expect(units.margin(0.1) == nil && units.pValue(1) == nil)
    #expect(units.varianceInterval(0.1, standardError: 0.1) == nil)
    #expect(FewUnits(4, means: 1).varianceInterval(0.1, standardError: .nan) == nil)
  }
}
