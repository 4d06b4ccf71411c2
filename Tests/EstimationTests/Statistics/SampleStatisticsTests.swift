import Estimation
import TestSupport
import Testing
import Validation

@Suite struct SampleStatisticsTests {
  /// NumPy's numbers (Tests/Tools/statistics_scipy.py); sums are taken in another order.
  @Test func sampleStatisticsAgreeWithNumPy() throws {
    for row in try PackageFolder.expectations("statistics-samples") {
      let values = try row.numbers("values")
      let sample = try #require(Sample(values))
      let limits = sample.limitsOfAgreement
      let found = [
        "mean": sample.mean, "sd": sample.standardDeviation, "median": sample.median,
        "mae": sample.mae, "rmse": sample.rmse,
        "limit_low": limits?.low, "limit_high": limits?.high,
      ]
      for (column, value) in found {
        #expect(agree(value, try row.number(column)), "\(row["case"] ?? ""), \(column)")
      }
      for p in [0, 0.025, 0.1, 0.25, 0.9, 1] {
        let column = p == 0 || p == 1 ? "quantile_\(Int(p))" : "quantile_\(p)"
        #expect(agree(sample.quantile(p), try row.number(column)), "\(row["case"] ?? ""), \(p)")
      }
    }
  }

  /// Peak flow by two meters, Bland and Altman (1986): mean -2.1, standard deviation 38.8 l/min.
  @Test func limitsOfAgreementMatchBlandAndAltman() throws {
    let rows = try PackageFolder.expectations("statistics-samples")
    let row = try #require(rows.first { $0["case"] == "bland-altman-1986" })
    let summary = try #require(Sample(row.numbers("values")))
    let deviation = try #require(summary.standardDeviation)
    #expect(summary.count == 17)
    #expect(abs(summary.bias - -2.1) < 0.05)
    #expect(abs(deviation - 38.8) < 0.05)
    // The paper's limits of -79.7 and 75.5 are the rounded bias less and plus twice the rounded sd.
    #expect(abs(summary.bias - 2 * deviation - -79.7) < 0.1)
    #expect(abs(summary.bias + 2 * deviation - 75.5) < 0.1)
  }

  @Test func quantilesExistFromZeroToOne() throws {
    let sample = try #require(Sample([3, 1, 2]))
    #expect(sample.sorted == [1, 2, 3])
    #expect(sample.quantile(0) == 1)
    #expect(sample.quantile(0.5) == 2)
    #expect(sample.quantile(1) == 3)
    for p in [-0.001, 1.001, .nan, .infinity] {
      #expect(sample.quantile(p) == nil)
    }
  }

  @Test func aSingleNumberHasNoSpread() throws {
    let summary = try #require(Sample([-4]))
    #expect(summary.bias == -4)
    #expect(summary.mae == 4)
    #expect(summary.rmse == 4)
    #expect(summary.median == -4)
    #expect(summary.standardDeviation == nil)
    #expect(summary.limitsOfAgreement == nil)
  }

  @Test(arguments: [[], [.nan], [1, .infinity], [-.infinity, .infinity], [1, 2e150]])
  func emptyAndNonFiniteSamplesAreNil(_ values: [Double]) {
    #expect(Sample(values) == nil)
  }

  @Test func theLargestNumbersDoNotOverflow() throws {
    let summary = try #require(Sample([1e150, -1e150, 1e150]))
    let limits = try #require(summary.limitsOfAgreement)
    let results = [summary.bias, summary.rmse, limits.low, limits.high]
    #expect(results.allSatisfy { $0.isFinite })
  }
}
