import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import TestSupport
import Testing
import Validation

@testable import Reporting

@Suite struct ComparisonReportTests {
  /// A series of which nothing can be predicted, and why.
  struct Failure: CustomTestStringConvertible, Sendable {
    var series: Series
    var method: any RFactorMethod
    var parameters = KnownCurve.parameters
    var code: String
    /// A part of the explanation.
    var says: String

    var testDescription: String { "\(code): \(says)" }
  }

  static let failures = [
    Failure(
      series: Sample.series(diagnostics: [Sample.finding]), method: KnownCurve.half,
      code: "E_RANGE", says: "the reading is below zero (study/readings.csv:7:3)"),
    Failure(
      series: KnownCurve.series(), method: Seidl(), code: "E_MEASURE_MISSING",
      says: "needs height_cm"),
    Failure(
      series: Sample.series(of: "man"), method: KnownCurve.half, code: "E_MEASURE_MISSING",
      says: "add the weight"),
    Failure(
      series: KnownCurve.series(readings: [1]), method: KnownCurve.half,
      parameters: .fitted(starts: 1), code: "E_TOO_FEW_READINGS",
      says: "usable readings: 1, parameters: 2"),
    Failure(
      series: KnownCurve.series(readings: [0, 0, 0]), method: KnownCurve.half,
      parameters: .fitted(starts: 1), code: "E_NOTHING_MEASURED", says: "every reading is zero"),
    Failure(
      series: KnownCurve.series(), method: KnownCurve.half, parameters: .leftOut(starts: 1),
      code: "E_NO_OTHER_FIT", says: "no other subject"),
  ]

  private func report(
    _ series: [Series] = [KnownCurve.series()], by methods: [any RFactorMethod] = [KnownCurve.half],
    _ parameters: PredictionParameters = KnownCurve.parameters
  ) throws -> Report {
    .comparison(
      try KnownCurve.comparisons(series, by: methods, parameters),
      options: PredictionOptions(parameters: parameters, methods: methods),
      provenance: Sample.provenance)
  }

  private func rows(_ report: Report) throws -> [[String: String]] {
    try CSVText.rows(report.rendered(as: .csv))
  }

  // MARK: - Rows

  /// The peak is where e^(-64 t) = 1/512, at ln 512 / 64 h. Errors are -3/8, 1/4, 1/4 and 1/4; areas
  /// are 13/16 + 5/4 + 3/4 and 7/8 + 3/4 + 1/4.
  @Test func fillsEveryColumn() throws {
    let row = try #require(try rows(report([KnownCurve.series(occasion: "fed")])).first)
    let interval = try ["low", "high"].map { end in
      try #require(Double(row["sober_predicted_\(end)_min"] ?? ""))
    }
    #expect(interval[0] < 480 && 480 < interval[1])
    let expected = [
      "sober_predicted_low_min": row["sober_predicted_low_min"] ?? "",
      "sober_predicted_high_min": row["sober_predicted_high_min"] ?? "",
      "lag_min": "0", "doubts": "", "agrees": "no",
      "subject": "man", "occasion": "fed", "status": "ok", "reason": "", "r_factor": "half",
      "method": "half",
      "r": "0.5", "ka_per_h": "64", "beta_g_per_kg_h": "0.125",
      "vmax_g_per_kg_h": "", "km_g_per_kg": "", "ke_per_h": "", "dose_g_per_kg": "1",
      "peak_predicted_g_per_kg": "0.98586264721671971", "peak_predicted_min": "5.8484293359745389",
      "peak_measured_g_per_kg": "1.25", "peak_measured_min": "60", "n": "4", "left_out": "0",
      "excluded_by_study": "0", "mouth_alcohol": "0", "before_drinking": "0",
      "below_detection": "0", "repeated_zeros": "0",
      "above_dose": "1",
      "bias_g_per_kg": "0.09375", "mae_g_per_kg": "0.28125",
      "rmse_g_per_kg": "0.28641098093473999", "peak_error_g_per_kg": "-0.26413735278328029",
      "auc_predicted_g_h_per_kg": "2.8125", "auc_measured_g_h_per_kg": "1.875",
      "auc_error_pct": "50", "sober_status": "ok", "sober_predicted_min": "480",
      "sober_measured_min": "300", "sober_first_below_min": "360", "sober_last_above_min": "240",
      "error_min": "180",
      "sober_threshold_g_per_kg": "0", "sober_known": "between", "error_min_least": "120",
      "error_min_most": "240", "error_pct_of_measured": "60",
      "error_pct_of_predicted": "37.5",
      "interval_error_min": "120", "interval_error_pct_of_measured": "33.333333333333333",
      "interval_error_pct_of_predicted": "25",
      "warnings": "W_ABOVE_DOSE",
    ]
    #expect(row.columns(unlike: expected) == [])
  }

  @Test func leftOutReadingsAreCounted() throws {
    var series = KnownCurve.series(readings: [1.25, 0.5, 0, 0])
    series.readings[0].isExcluded = true
    let report = try report([series])
    let row = try #require(try rows(report).first)
    let expected = [
      "n": "2", "left_out": "2", "excluded_by_study": "1", "repeated_zeros": "1",
      "mouth_alcohol": "0", "peak_measured_g_per_kg": "0.5",
    ]
    #expect(expected.allSatisfy { row[$0.key] == $0.value }, "\(row)")
    #expect(
      report.notes.last
        == "Readings left out: 1 excluded by the study, 1 further zeros after the first.")
  }

  @Test func introductionStatesParametersOfPredictions() throws {
    let given = try report()
    #expect(
      given.introduction.first
        == "Predicted with k_a 64 /h (half-life 0.65 min) and beta 0.125 g/kg/h for all subjects.")
    #expect(!given.introduction.joined().contains("body water"))
    let fitted = try report(by: [Watson()], .fitted(starts: 1)).introduction.joined(separator: "\n")
    #expect(fitted.contains("fitted to the same readings"))
    #expect(fitted.contains("watson: body water / (B x weight), B 0.8 (for g/kg)"))
    let other = try report(
      by: [Widmark(), HumeWeyers(bloodWater: .perKilogram)], .leftOut(starts: 1)
    )
    .introduction.joined(separator: "\n")
    #expect(other.contains("all other subjects'"))
    #expect(other.contains("hume-weyers: body water / (B x weight), B 0.8 (for g/kg)"))
  }

  /// There is still a prediction of when the person was sober.
  @Test func seriesWithoutReadingsHasPredictionOnly() throws {
    let row = try #require(try rows(report([KnownCurve.series(readings: [])])).first)
    #expect(row["status"] == "no-readings")
    #expect(row["reason"] == "")
    #expect(row["sober_status"] == "no-readings")
    #expect(row["sober_predicted_min"].flatMap { Double($0) }.map { abs($0 - 480) < 1e-9 } == true)
    let compared = [
      "n", "above_dose", "bias_g_per_kg", "mae_g_per_kg", "rmse_g_per_kg", "peak_error_g_per_kg",
      "peak_measured_g_per_kg", "auc_measured_g_h_per_kg", "auc_error_pct", "error_min", "warnings",
    ]
    #expect(compared.allSatisfy { row[$0] == "" })
  }

  /// Readings that are never above zero have no area to take a percentage of.
  @Test func undefinedErrorsAreEmpty() throws {
    let row = try #require(try rows(report([KnownCurve.series(readings: [0, 0])])).first)
    #expect(row["status"] == "ok")
    #expect(row["sober_status"] == "never-above")
    let undefined = [
      "auc_error_pct", "sober_measured_min", "sober_first_below_min", "sober_last_above_min",
      "error_min", "warnings",
    ]
    #expect(undefined.allSatisfy { row[$0] == "" })
    #expect(row["auc_measured_g_h_per_kg"] == "0.0")
  }

  /// A curve that never leaves zero has no peak; what is missing to the measured one is all of it.
  @Test func zeroPredictionHasNoPeak() throws {
    let nothing = ConstantMethod(name: "nothing", r: 1e9)
    let row = try #require(try rows(report(by: [nothing])).first)
    #expect(row["status"] == "ok")
    #expect(row["sober_status"] == "predicted-never-above")
    #expect(row["peak_predicted_g_per_kg"] == "" && row["peak_predicted_min"] == "")
    #expect(row["peak_error_g_per_kg"] == "-1.25")
    #expect(row["auc_error_pct"] == "-100.0")
  }

  @Test func inapplicableMethodIsNotAFailure() throws {
    let ulrich = ConstantMethod(name: "men", r: 0.5, isForMenOnly: true)
    let report = try report([KnownCurve.series("woman", sex: .female)], by: [ulrich])
    let row = try #require(try rows(report).first)
    #expect(row["status"] == "not-applicable")
    #expect(row["sober_status"] == "not-applicable")
    #expect(row["reason"]?.hasPrefix("N_R_NOT_DEFINED: the men method has no formula") == true)
    #expect(
      row.filledColumns == [
        "method", "r_factor", "reason", "sober_first_below_min", "sober_known",
        "sober_last_above_min",
        "sober_measured_min", "sober_status", "sober_threshold_g_per_kg", "status", "subject",
      ])
    #expect(report.notes.count == 1)
  }

  @Test(arguments: failures)
  func failedPredictionStatesReason(_ expected: Failure) throws {
    let report = try report([expected.series], by: [expected.method], expected.parameters)
    let row = try #require(try rows(report).first)
    let reason = try #require(row["reason"])
    #expect(row["status"] == "failed")
    #expect(row["sober_status"] == "failed")
    #expect(reason.hasPrefix("\(expected.code): ") && reason.contains(expected.says))
    let filled = row.filledColumns.filter { !$0.hasPrefix("sober_") }
    #expect(filled == ["method", "r_factor", "reason", "status", "subject"])
    #expect(report.notes == ["\(reason) [man]"])
  }

  @Test func rowsAreOrderedBySeriesThenMethod() throws {
    let methods = ["z", "a", "m"].map { ConstantMethod(name: $0, r: 0.5) }
    let report = try report((1...5).map { KnownCurve.series("\($0)") }, by: methods)
    let rows = try rows(report)
    #expect(rows.map { $0["subject"] } == (1...5).flatMap { ["\($0)", "\($0)", "\($0)"] })
    #expect(rows.map { $0["r_factor"] } == (1...5).flatMap { _ in ["z", "a", "m"] })
  }

  // MARK: - For people

  @Test func notesWarningsAndFailuresOnce() throws {
    let narrow = ConstantMethod(name: "narrow", r: 0.5, range: 0.6...0.7)
    let fine = KnownCurve.series("3", readings: [0.8, 0.5, 0.25, 0])
    let report = try report(
      [KnownCurve.series("1"), KnownCurve.series("2"), fine, Sample.series(of: "4")],
      by: [narrow, KnownCurve.half])
    #expect(report.notes.count == 3)
    let codes = report.notes.map { $0.prefix { $0 != ":" } }
    #expect(codes == ["W_ABOVE_DOSE", "W_R_PUBLISHED_RANGE", "E_MEASURE_MISSING"])
    #expect(report.notes[0].hasSuffix(" [1, 2]"))
    #expect(report.notes[1].hasSuffix(" [1, 2, 3]"))
    #expect(report.notes[2].hasSuffix(" [4]"))
    let rows = try rows(report)
    #expect(
      rows.map { $0["warnings"] } == [
        "W_ABOVE_DOSE;W_R_PUBLISHED_RANGE", "W_ABOVE_DOSE", "W_ABOVE_DOSE;W_R_PUBLISHED_RANGE",
        "W_ABOVE_DOSE", "W_R_PUBLISHED_RANGE", "", "", "",
      ])
  }

  @Test func roundsForPeople() throws {
    let report = try report([KnownCurve.series(), Sample.series(of: "x", occasion: "fed")])
    let lines = report.rendered(as: .table).split(separator: "\n")
      .drop { !$0.hasPrefix("subject") }.prefix(4)
    #expect(
      lines.joined(separator: "\n") == """
        subject  occ.  status  method      r  dose  above   bias    MAE   RMSE    peak  AUC %  sober
        -------  ----  ------  ------  -----  ----  -----  -----  -----  -----  ------  -----  -----
        man      -     ok      half    0.500  1.00      1  0.094  0.281  0.286  -0.264   50.0  180.0
        x        fed   failed  half        -     -      -      -      -      -       -      -      -
        """)
  }

  @Test func linesFitATerminal() throws {
    let text = try report().rendered(as: .table)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }
}
