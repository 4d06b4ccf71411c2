import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting

@Suite struct FitReportTests {
  private func report(
    _ results: [Result<SeriesFit, SeriesFailure>], _ options: FitOptions = FitOptions(),
    details: Bool = true
  ) -> Report {
    .fit(
      KnownFit.study(results), options: options, details: details, provenance: Sample.provenance)
  }

  private func row(_ result: Result<SeriesFit, SeriesFailure>) throws -> [String: String] {
    try #require(try CSVText.rows(report([result]).rendered(as: .csv)).first)
  }

  // MARK: - Columns

  /// AICc is -50 + 6 + 24/16 and BIC -50 + 3 ln 20; ``KnownFit/diagnostics`` says how to come by the
  /// rest.
  @Test func fillsEveryColumn() throws {
    let expected = [
      "subject": "1", "occasion": "fed", "status": "ok", "model": "widmark", "n": "20",
      "censored": "2", "excluded_by_study": "1", "mouth_alcohol": "3", "before_drinking": "6",
      "below_detection": "4", "repeated_zeros": "5", "r_factor": "watson", "r": "0.7",
      "ka_per_h": "12.3456", "ka_se": "1.5", "ka_low": "9.5", "ka_high": "16.25",
      "ka_identifiable": "yes",
      "beta_g_per_kg_h": "0.15", "beta_se": "0.0123", "beta_low": "0.125", "beta_high": "0.175",
      "beta_identifiable": "yes", "lag_min": "0", "gain": "1",
      "error_sd": "0.05", "rss": "0.045", "residual_sd": "0.05", "objective": "0.0475",
      "deviance": "-50", "aicc": "-42.5", "bic": "-41.012803179338025",
      "condition": "12.5", "strongest_correlation": "-0.75", "runs_p": "0.6666666666666666",
      "lag1_autocorrelation": "0.25", "shapiro_p": "0.4632628749337999",
      "largest_cook": "1.0625", "above_dose": "4",
      "iterations": "21", "starts": "2", "starts_at_best": "1", "rounds": "2",
    ]
    let row = try row(.success(KnownFit.fit()))
    #expect(row.filter { !$0.value.isEmpty }.columns(unlike: expected) == [])
  }

  /// A lag of 1/8 h is 7.5 min.
  @Test func lagsAreInMinutes() throws {
    let lag = KnownFit.estimate(0.125, error: 0.03125, 0, 0.25, isIdentifiable: true)
    let row = try row(
      .success(KnownFit.fit(values: KnownFit.values([.lag: 0.125]), estimates: [.lag: lag])))
    let columns = ["lag_min", "lag_se", "lag_low", "lag_high", "lag_identifiable"]
    #expect(columns.map { row[$0] } == ["7.5", "1.875", "0.0", "15.0", "yes"])
  }

  @Test func namesTheParametersOfTheErrorModel() throws {
    let noise = NoiseEstimate(
      model: "combined", sd: 0.0125, cv: 0.0625, degreesOfFreedom: 18, rounds: 4, isSettled: true)
    let row = try row(.success(KnownFit.fit(noise: noise)))
    #expect(["error_sd", "error_cv", "rounds"].map { row[$0] } == ["0.0125", "0.0625", "4"])
    // The SD of residuals depends on where they are.
    #expect(row["residual_sd"] == "")
  }

  @Test func unknownValuesAreEmpty() throws {
    let fit = KnownFit.fit(
      estimates: [.ka: KnownFit.estimate(12.3456)], noise: nil, criteria: nil, diagnostics: nil)
    let row = try row(.success(fit))
    let unknown = [
      "ka_se", "ka_low", "ka_high", "ka_identifiable", "error_sd", "error_cv", "residual_sd",
      "deviance", "aicc", "bic", "condition", "strongest_correlation", "runs_p",
      "lag1_autocorrelation", "shapiro_p", "rounds",
    ]
    #expect(unknown.filter { row[$0] != "" } == [])
    #expect(row["ka_per_h"] == "12.3456")
    // Without an error model there were too few readings to say how far anything is determined.
    #expect(row["status"] == "undetermined")
  }

  /// Programs get the value with the verdict beside it.
  @Test func unidentifiableEstimateKeepsItsValue() throws {
    let ka = KnownFit.estimate(97.25, error: 80, 4.5, isIdentifiable: false)
    let row = try row(
      .success(KnownFit.fit(values: KnownFit.values([.ka: 97.25]), estimates: [.ka: ka])))
    let columns = ["ka_per_h", "ka_low", "ka_high", "ka_identifiable"]
    #expect(columns.map { row[$0] } == ["97.25", "4.5", "", "no"])
  }

  /// A value at a search limit is no number in any form, but its limit is.
  @Test func estimateAtSearchLimitHasOnlyItsLimit() throws {
    let ka = KnownFit.estimate(1000, 4.5, nil, isIdentifiable: false, isAtBound: true)
    var estimates = KnownFit.estimates
    estimates[.ka] = ka
    let fit = KnownFit.fit(values: KnownFit.values([.ka: 1000]), estimates: estimates)
    let row = try row(.success(fit))
    #expect(row["status"] == "undetermined")
    #expect(["ka_per_h", "ka_low", "ka_high"].map { row[$0] } == ["", "4.5", ""])
  }

  @Test func unconvergedFitIsMarked() throws {
    let row = try row(
      .success(
        KnownFit.fit(
          isConverged: false,
          warnings: [.notConverged(.noProgress), .atBound(.ka), .atBound(.beta)])))
    #expect(row["status"] == "not-converged")
    #expect(row["reason"] == "")
    #expect(row["warnings"] == "W_NOT_CONVERGED;W_AT_BOUND")
  }

  @Test(arguments: FailureCase.all)
  func failedFitStatesReason(_ expected: FailureCase) throws {
    let row = try row(.failure(expected.failure))
    let reason = try #require(row["reason"])
    #expect(row["status"] == "failed")
    #expect(reason.hasPrefix("\(expected.code): "))
    #expect(reason.contains(expected.says))
    #expect(row.filledColumns == ["occasion", "r_factor", "reason", "status", "subject"])
  }

  @Test func rowsKeepTheOrderOfSeries() throws {
    let results = (0..<30).map { index -> Result<SeriesFit, SeriesFailure> in
      index % 3 == 0 ? .failure(.nothingMeasured) : .success(KnownFit.fit())
    }
    let rows = try CSVText.rows(report(results).rendered(as: .csv))
    #expect(rows.map { $0["subject"] } == (1...30).map(String.init))
  }

  // MARK: - Details

  private func columns(_ options: FitOptions, details: Bool) throws -> [String] {
    let report = report([.success(KnownFit.fit())], options, details: details)
    return try #require(try CSVText.records(report.rendered(as: .csv)).first)
  }

  /// A row of Widmark's model has at most 45 columns, for any estimated parameters.
  @Test func shortRowsHaveAtMost45Columns() throws {
    let estimates: [Set<FitParameter>] = [[.ka, .beta], [.ka, .beta, .r, .lag, .gain], [.beta]]
    for estimate in estimates {
      for error in [ErrorModel.additive(sd: nil), .proportional(cv: nil), .combined(nil)] {
        let options = FitOptions(
          estimate: estimate, error: error, correlation: .exponential(time: nil))
        let short = try columns(options, details: false)
        let whole = try columns(options, details: true)
        #expect(short.count <= 45 && short.count < whole.count)
        #expect(whole.filter(short.contains) == short)
        for parameter in [FitParameter.ka, .beta, .r, .lag, .gain] {
          #expect(short.contains("\(parameter.rawValue)_se") == estimate.contains(parameter))
          #expect(whole.contains("\(parameter.rawValue)_se"))
        }
        #expect(!whole.contains { $0.hasPrefix("vmax") || $0.hasPrefix("km_") || $0 == "ke_per_h" })
      }
    }
  }

  /// A column without a value in any row says something else than its emptiness.
  @Test func errorColumnsFollowTheErrorModel() throws {
    let names = ["error_sd", "error_cv", "correlation_min"]
    for (error, correlation, expected) in [
      (ErrorModel.additive(sd: nil), ErrorCorrelation.independent, ["error_sd"]),
      (.proportional(cv: nil), .independent, ["error_cv"]),
      (.combined(nil), .exponential(time: nil), names),
      (.instrument, .independent, ["error_sd", "error_cv"]),
    ] {
      let options = FitOptions(error: error, correlation: correlation)
      let short = try columns(options, details: false)
      #expect(names.filter(short.contains) == expected)
    }
  }

  /// A lag of 0 and a gain of 1 are no news; a typical lag is.
  @Test func constantColumnsAreDetails() throws {
    let estimated = try columns(FitOptions(), details: false)
    #expect(!estimated.contains("lag_min") && !estimated.contains("gain"))
    #expect(estimated.contains("r") && !estimated.contains("r_low"))
    let typical = try columns(FitOptions(estimate: [.beta]), details: false)
    #expect(typical.contains("lag_min") && typical.contains("ka_per_h"))
    let fixed = try columns(FitOptions(fixed: [.gain: 1.1]), details: false)
    #expect(fixed.contains("gain") && !fixed.contains("gain_se"))
  }

  @Test func parameterColumnsFollowTheModel() throws {
    let options = FitOptions(model: .michaelisMenten, estimate: [.ka, .vmax], fixed: [.km: 0.05])
    for details in [false, true] {
      let names = try columns(options, details: details)
      #expect(names.contains("vmax_se") && names.contains("km_g_per_kg"))
      #expect(names.contains("km_se") == details)
      #expect(!names.contains("beta_g_per_kg_h") && !names.contains("ke_per_h"))
    }
  }

  /// In JSON, too; on a terminal, headings are the same.
  @Test func jsonAndCSVHaveTheSameColumns() throws {
    let texts = try [false, true].map { details -> String in
      let report = report([.success(KnownFit.fit())], details: details)
      let json = report.rendered(as: .json)
      let document = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let row = try #require((document?["fits"] as? [[String: Any]])?.first)
      #expect(Set(row.keys) == Set(try columns(FitOptions(), details: details)))
      return report.rendered(as: .table)
    }
    #expect(texts[0] == texts[1])
  }

  // MARK: - Other tables

  private func table(_ name: String) throws -> [[String: Any]] {
    let text = report([.failure(.nothingMeasured), .success(KnownFit.fit())]).rendered(as: .json)
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return try #require(document?[name] as? [[String: Any]])
  }

  /// Parameters that were not estimated have no start.
  @Test func startsAreListed() throws {
    let starts = try table("starts")
    #expect(starts.map { $0["subject"] as? String } == ["2", "2"])
    #expect(starts.map { $0["start"] as? Int } == [1, 2])
    #expect(starts.map { $0["start_ka_per_h"] as? Double } == [6, 2])
    #expect(starts.map { $0["start_beta_g_per_kg_h"] as? Double } == [0.15, 0.25])
    #expect(starts.map { $0["end_ka_per_h"] as? Double } == [6, 12.3456])
    #expect(starts.allSatisfy { $0["start_r"] is NSNull && $0["end_gain"] is NSNull })
    #expect(starts.map { $0["objective"] as? Double } == [nil, 0.0625])
    #expect(starts.map { $0["iterations"] as? Int } == [3, 17])
    #expect(starts.map { $0["exit"] as? String } == ["evaluation_failed", "small_step"])
    #expect(starts.map { $0["found_best"] as? String } == ["no", "yes"])
  }

  @Test func listsEachCorrelationOnce() throws {
    let pairs = try table("correlations")
    #expect(pairs.map { $0["parameter_a"] as? String } == ["ka"])
    #expect(pairs.map { $0["parameter_b"] as? String } == ["beta"])
    #expect(pairs.map { $0["correlation"] as? Double } == [-0.75])
  }

  // MARK: - For people

  @Test func notesWarningsAndFailuresOnce() {
    let odd = KnownFit.fit(readings: [], warnings: [.aboveDose, .rRange])
    let results: [Result<SeriesFit, SeriesFailure>] = [
      .success(odd), .failure(.nothingMeasured), .success(odd),
      .success(KnownFit.fit(readings: [])),
    ]
    let notes = report(results).notes
    #expect(notes.count == 3)
    #expect(notes[0].hasPrefix("W_ABOVE_DOSE: ") && notes[0].hasSuffix(" [1/fed, 3/fed]"))
    #expect(notes[1].hasPrefix("W_R_RANGE: ") && notes[1].hasSuffix(" [1/fed, 3/fed]"))
    #expect(notes[2].hasPrefix("E_NOTHING_MEASURED: ") && notes[2].hasSuffix(" [2/fed]"))
  }

  /// One warning for all of them, with the times beside their names.
  @Test func notesTheTimesOfReadings() {
    let results = [[10.0], [0.5, 1, 1.5, 2]].map { times -> Result<SeriesFit, SeriesFailure> in
      .success(
        KnownFit.fit(readings: [], warnings: [.outlyingReadings(times.map { Hours($0) })]))
    }
    let notes = report(results).notes
    #expect(notes.count == 1)
    #expect(notes[0].hasSuffix(" [1/fed at 600 min, 2/fed at 30, 60, 90, ... min]"))
  }

  /// Their ends are in the table and differ.
  @Test func notesOnceWhatSeveralSeriesDoNotDetermine() {
    let results = [4.5, 5].map { low -> Result<SeriesFit, SeriesFailure> in
      .success(
        KnownFit.fit(readings: [], warnings: [.notIdentifiable(.ka, low: low, high: nil)]))
    }
    let notes = report(results).notes
    #expect(notes.count == 1)
    #expect(notes[0].hasPrefix("W_NOT_IDENTIFIABLE: the readings do not determine k_a"))
    #expect(notes[0].hasSuffix(" [1/fed, 2/fed]"))
  }

  @Test func notesCountLeftOutReadingsByReason() {
    #expect(
      report([.success(KnownFit.fit()), .success(KnownFit.fit())]).notes == [
        "Readings left out: 2 excluded by the study, 6 too soon after a drink (mouth alcohol), 12 at or before "
          + "the first drink, 8 below detection, 10 further zeros after the first; below detection and censored: 4."
      ])
  }
}
