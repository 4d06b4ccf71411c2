import AlcoholKinetics
import Estimation
import TestSupport
import Testing

/// Fits of simulated series against SciPy's (Tests/Tools/fit_statistics_scipy.py) and R's
/// (Tests/Tools/profile_r.R).
@Suite struct FitStatisticsTests {
  /// Estimates settle when standard deviations change by less than 1e-7, and a descent ends with
  /// steps below 1e-8; both may be magnified by how slowly the two steps of the fit converge.
  private static let estimate = 1e-5
  /// The ends of profiles are roots to 1e-7 of the logarithm.
  private static let interval = 2e-5
  /// Absolute: at a minimum the deviance hardly changes.
  private static let deviance = 1e-5

  /// The profiles of all rows without a loss, which two tests look at.
  private static let profiled = Result {
    try ExpectedFit.all().filter { $0.options.loss == .linear }.map { ($0, try $0.fit(.profile)) }
  }

  private static func column(_ parameter: FitParameter) -> String {
    switch parameter {
    case .ka: "ka_per_h"
    case .beta: "beta_g_per_kg_h"
    default: parameter.rawValue
    }
  }

  @Test func statisticsAgreeWithSciPy() throws {
    let rows = try ExpectedFit.all()
    #expect(rows.count >= 70)
    for expected in rows {
      let fit = try expected.fit(.wald)
      try checkEstimates(fit, expected.row)
      try checkInterval(fit, expected.row, "wald")
      try checkReadings(fit, expected)
      try checkNoise(fit, expected.row)
      try checkCriteria(fit, expected.row)
    }
  }

  private func checkEstimates(_ fit: SeriesFit, _ row: [String: String]) throws {
    #expect(fit.isConverged, "\(row)")
    for (parameter, estimate) in fit.estimates {
      let value = try row.number(Self.column(parameter))
      #expect(agree(estimate.value, value, relative: Self.estimate), "\(parameter) \(row)")
      let error = try row.number("\(parameter.rawValue)_se")
      #expect(
        agree(estimate.standardError, error, relative: 10 * Self.estimate), "\(parameter) \(row)")
    }
  }

  private func checkInterval(_ fit: SeriesFit, _ row: [String: String], _ kind: String) throws {
    for (parameter, estimate) in fit.estimates {
      let low = try row.number("\(parameter.rawValue)_\(kind)_low")
      let high = try row.number("\(parameter.rawValue)_\(kind)_high")
      #expect(agree(estimate.low, low, relative: Self.interval), "\(parameter) \(row)")
      #expect(agree(estimate.high, high, relative: Self.interval), "\(parameter) \(row)")
    }
  }

  private func checkReadings(_ fit: SeriesFit, _ expected: ExpectedFit) throws {
    #expect(Double(fit.count(.quantified)) == (try expected.row.number("quantified")))
    #expect(Double(fit.count(.censored)) == (try expected.row.number("censored")))
  }

  private func checkNoise(_ fit: SeriesFit, _ row: [String: String]) throws {
    let noise = try #require(fit.noise)
    #expect(noise.isSettled, "\(row)")
    // A loss has one scale; the error models have one or two.
    let sd = try row.number("scale_g_per_kg") ?? row.number("a_g_per_kg")
    #expect(agree(noise.sd, sd, relative: 10 * Self.estimate), "\(row)")
    #expect(agree(noise.cv, try row.number("b"), relative: 10 * Self.estimate), "\(row)")
  }

  private func checkCriteria(_ fit: SeriesFit, _ row: [String: String]) throws {
    let deviance = try row.number("minus_2_log_likelihood")
    #expect(agree(fit.criteria?.deviance, deviance, absolute: Self.deviance), "\(row)")
    #expect(
      agree(fit.criteria?.aicc, try row.number("aicc"), absolute: Self.deviance), "\(row)")
    #expect(agree(fit.criteria?.bic, try row.number("bic"), absolute: Self.deviance), "\(row)")
  }

  @Test func profilesAgreeWithSciPy() throws {
    for (expected, fit) in try Self.profiled.get() {
      try checkInterval(fit, expected.row, "profile")
    }
  }

  // MARK: - Tuning constants

  @Test func tuningConstantsGive95PercentEfficiency() throws {
    for row in try PackageFolder.expectations("fit-losses") {
      let loss = try #require(Loss(rawValue: row["loss"] ?? ""))
      let tuning = try row.known("tuning_for_95_percent")
      // The constants are given as they are published, to four or five digits.
      #expect(abs(loss.defaultTuning / tuning - 1) < 1e-4, "\(row)")
      #expect(loss.defaultTuning == (try row.known("tuning")))
    }
  }

  // MARK: - R

  private static func method(_ options: FitOptions) -> String {
    if options.loss != .linear { return options.loss.rawValue }
    switch options.selection.censoring {
    case .m3: return "optim m3"
    case .none: return "nls"
    case .drop, .oneSided: return "nls\(options.selection.censoring.rawValue)"
    }
  }

  @Test func statisticsAgreeWithR() throws {
    let robust = try ExpectedFit.all().filter { $0.options.loss != .linear }
    let fits = try Self.profiled.get() + robust.map { ($0, try $0.fit(.wald)) }
    var checked = 0
    // gnls maximises the likelihood of the error model, which is not what a fit does.
    for row in try PackageFolder.expectations("fit-confirmed-r") where row["method"] != "gnls" {
      let match = try #require(
        fits.first { one, _ in
          ["subject", "free", "error_model"].allSatisfy { one.row[$0] == row[$0] }
            && Self.method(one.options) == row["method"]
        }, "\(row)")
      try checkAgainstR(match.1, row)
      checked += 1
    }
    #expect(checked >= 50)
  }

  private func checkAgainstR(_ fit: SeriesFit, _ row: [String: String]) throws {
    for (parameter, estimate) in fit.estimates {
      let value = try row.known(Self.column(parameter))
      #expect(agree(estimate.value, value, relative: Self.estimate), "\(parameter) \(row)")
      let error = try #require(estimate.standardError)
      // `optim` gives no standard errors; the ends of profiles are interpolated.
      if let expected = try row.number("\(parameter.rawValue)_se") {
        #expect(agree(error, expected, relative: 10 * Self.estimate), "\(parameter) \(row)")
      }
      for (end, found) in [("low", estimate.low), ("high", estimate.high)] {
        guard let expected = try row.number("\(parameter.rawValue)_profile_\(end)") else {
          continue
        }
        #expect(agree(found, expected, absolute: 1e-3 * error), "\(parameter) \(end) \(row)")
      }
    }
  }
}
