import AlcoholKinetics
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// Robust standard errors, against Tests/Tools/robust_errors_scipy.py, which has whole matrices and
/// eigenvalues where the fit has vectors and recursions.
@Suite struct RobustStandardErrorTests {
  private func series(_ row: [String: String]) throws -> Series {
    try ExpectedSeries.series(row, readingsIn: "fit-correlated-series")
  }

  private func options(
    _ row: [String: String], interval: IntervalOptions? = IntervalOptions(kind: .wald)
  ) throws -> FitOptions {
    FitOptions(
      estimate: [.ka, .beta, .r],
      selection: ReadingSelection(limitOfDetection: try row.number("limit_g_per_kg")),
      error: .additive(sd: row["error_model"] == "additive" ? nil : 0.02), interval: interval,
      standardErrors: .robust)
  }

  @Test func sandwichErrorsAgreeWithWholeMatrices() throws {
    let rows = try PackageFolder.expectations("fit-robust-errors")
    #expect(rows.count == 5)
    for row in rows {
      let name = "\(row["subject"] ?? "") \(row["limit_g_per_kg"] ?? "")"
      let fit = try SeriesFitter(options: options(row)).fit(series(row))
      #expect(fit.count(.censored) == Int(row["censored"] ?? ""), "\(name)")
      for parameter in [FitParameter.ka, .beta, .r] {
        let key = parameter.rawValue
        let estimate = try #require(fit.estimates[parameter])
        // Searches end at 1e-8 of a standard error, in residuals that the error is made of.
        #expect(agree(estimate.value, try row.known(key), relative: 1e-6), "\(name) \(key)")
        for (value, column) in [
          (estimate.standardError, "se"), (estimate.low, "low"), (estimate.high, "high"),
        ] {
          let expected = try row.known("\(key)_\(column)")
          #expect(agree(value, expected, relative: 1e-5), "\(name) \(key) \(column)")
        }
      }
    }
  }

  @Test func robustErrorsDoNotChangeEstimates() throws {
    let row = try #require(PackageFolder.expectations("fit-robust-errors").first)
    var options = try options(row, interval: nil)
    let robust = try SeriesFitter(options: options).fit(series(row))
    options.standardErrors = .model
    let model = try SeriesFitter(options: options).fit(series(row))
    for parameter in [FitParameter.ka, .beta, .r] {
      #expect(robust.estimates[parameter]?.value == model.estimates[parameter]?.value)
      #expect(
        robust.estimates[parameter]?.standardError != model.estimates[parameter]?.standardError)
    }
  }

  /// Fits without residuals or degrees of freedom have no standard error, or a finite one.
  @Test(arguments: [3, 4, 5]) func fewReadingsGiveFiniteOrNoErrors(count: Int) throws {
    let series = try NoisySeries.series(seed: 3, count: count)
    let fit = try SeriesFitter(
      options: FitOptions(
        estimate: [.ka, .beta, .r], interval: IntervalOptions(kind: .wald), standardErrors: .robust)
    ).fit(series)
    for estimate in fit.estimates.values {
      #expect(estimate.standardError.map { $0.isFinite && $0 >= 0 } ?? true)
      if count == 3 { #expect(estimate.low == nil && estimate.high == nil) }
    }
  }

  @Test(arguments: [
    FitOptions(standardErrors: .robust),
    FitOptions(interval: IntervalOptions(kind: .residualBootstrap), standardErrors: .robust),
    FitOptions(
      selection: ReadingSelection(censoring: .drop), loss: .huber, interval: nil,
      standardErrors: .robust),
    FitOptions(
      interval: nil, correlation: .exponential(time: nil), standardErrors: .robust),
  ])
  func incompatibleOptionsAreRefused(options: FitOptions) throws {
    #expect {
      try SeriesFitter(options: options)
    } throws: { error in
      (error as? SeriesFailure)?.code == "E_OPTION"
    }
  }
}
