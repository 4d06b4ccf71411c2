import AlcoholKinetics
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting
@testable import Validation

@Suite struct SobrietyReportTests {
  private static let parameters = try? ModelParameters(
    .widmark, [.ka: 18, .beta: 0.15, .r: 0.7])
  private static let reached = MeasuredSobriety.reached(lastAbove: 3.5, first: 4)

  private func prediction(_ time: Hours?) throws -> Result<SobrietyPrediction, SeriesFailure> {
    .success(SobrietyPrediction(outcome: time.map { .at($0) } ?? .neverAbove))
  }

  private func report(
    _ prediction: Result<SobrietyPrediction, SeriesFailure>,
    measured: MeasuredSobriety = reached, threshold: GramsPerKilogram = 0,
    parameters: ModelParameters? = Self.parameters
  ) -> Report {
    let score = Score(
      Sample.series(), by: "watson", parameters: parameters, time: prediction,
      SobrietyEvidence(
        uses: [], threshold: SobrietyThreshold(concentration: threshold, origin: .given),
        measured: measured, doubts: []))
    return .sobriety(
      [score], options: PredictionOptions(threshold: threshold), provenance: Sample.provenance)
  }

  private func row(_ report: Report) throws -> [String: String] {
    try #require(try CSVText.rows(report.rendered(as: .csv)).first)
  }

  @Test func fillsEveryColumn() throws {
    let row = try row(report(try prediction(3), threshold: 0.2))
    let expected = [
      "subject": "man", "occasion": "", "status": "ok", "reason": "", "r_factor": "watson",
      "r": "0.7", "ka_per_h": "18.0", "beta_g_per_kg_h": "0.15", "threshold_g_per_kg": "0.2",
      "sober_predicted_min": "180.0", "sober_measured_min": "225.0",
      "sober_first_below_min": "240.0", "sober_last_above_min": "210.0", "error_min": "-45.0",
      "error_pct_of_measured": "-20.0", "error_pct_of_predicted": "-25.0",
      "error_min_first_below": "-60.0", "error_pct_of_measured_first_below": "-25.0",
    ]
    #expect(expected.allSatisfy { row[$0.key] == $0.value }, "\(row)")
    let percentage = try #require(row["error_pct_of_predicted_first_below"].flatMap { Double($0) })
    #expect(abs(percentage + 100.0 / 3) < 1e-12)
  }

  @Test(arguments: [
    (3.0, "-30.0", "-14.285714285714286"), (3.75, "0.0", "0.0"), (8, "240.0", "100.0"),
  ])
  func statesTheErrorOutsideTheInterval(time: Double, error: String, percent: String) throws {
    let row = try row(report(try prediction(Hours(time))))
    #expect(row["interval_error_min"] == error)
    let found = try #require(row["interval_error_pct_of_measured"].flatMap { Double($0) })
    #expect(abs(found - (Double(percent) ?? .nan)) < 1e-12)
  }

  @Test func introductionStatesParametersOfPredictions() throws {
    let report = report(try prediction(3))
    #expect(
      report.introduction[0].contains(
        "k_a 5.522 /h (half-life 7.5 min), lag 3.41 min and beta 0.138 g/kg/h"))
    #expect(report.introduction[2].hasPrefix("r of watson: body water / (B x weight), B 0.8 "))
    let other = Report.sobriety(
      [], options: PredictionOptions(models: ["My app"]), provenance: Sample.provenance)
    #expect(other.introduction[0] == "Compared models: My app.")
  }

  /// The true time may lie anywhere between the last reading above the threshold and the next.
  @Test func statesTheErrorAgainstBothEndsOfTheInterval() throws {
    let row = try row(report(try prediction(3)))
    #expect(row["error_min_last_above"] == "-30.0")
    let percentages = try ["measured", "predicted"].map { reference in
      try #require(row["error_pct_of_\(reference)_last_above"].flatMap { Double($0) })
    }
    #expect(abs(percentages[0] + 100.0 / 7) < 1e-12)
    #expect(abs(percentages[1] + 100.0 / 6) < 1e-12)
  }

  @Test(
    arguments: [
      (reached, 3.0, "ok"), (reached, nil, "predicted-never-above"),
      (.neverAbove(first: 0.5), 3, "never-above"), (.notReached(lastAbove: 3.5), 3, "not-reached"),
      (.noReadings, 3, "no-readings"),
    ] as [(MeasuredSobriety, Double?, String)])
  func statusStatesWhetherTimesAreComparable(
    measured: MeasuredSobriety, time: Double?, status: String
  ) throws {
    let report = report(try prediction(time.map { Hours($0) }), measured: measured)
    let row = try row(report)
    #expect(row["status"] == status)
    #expect(row["reason"] == "")
    #expect(row["sober_predicted_min"] == (time == nil ? "" : "180.0"))
    let errors = ["error_min", "error_pct_of_measured", "error_pct_of_predicted"].map { row[$0] }
    #expect(errors.allSatisfy { ($0 == "") == (status != "ok") })
    #expect(report.notes.isEmpty)
  }

  @Test func inapplicableMethodIsNotAFailure() throws {
    let report = report(.failure(.problem(.methodNotDefined("ulrich", for: .female))))
    let row = try row(report)
    #expect(row["status"] == "not-applicable")
    #expect(row["reason"]?.hasPrefix("N_R_NOT_DEFINED: the ulrich method has no formula") == true)
    #expect(row["r"] == "")
    #expect(report.notes.count == 1)
  }

  @Test(arguments: FailureCase.all)
  func failedPredictionStatesReason(_ expected: FailureCase) throws {
    let report = report(.failure(expected.failure))
    let row = try row(report)
    let reason = try #require(row["reason"])
    #expect(row["status"] == "failed")
    #expect(reason.hasPrefix("\(expected.code): ") && reason.contains(expected.says))
    #expect(["r", "ka_per_h", "sober_predicted_min", "error_min"].allSatisfy { row[$0] == "" })
    #expect(row["sober_measured_min"] == "225.0" && row["sober_first_below_min"] == "240.0")
    // That a model has no prediction is said once for all.
    #expect(report.notes == (expected.failure == .curveMissing ? [] : ["\(reason) [man]"]))
  }

  /// A curve from outside has a time, but neither parameters nor r.
  @Test func foreignCurvesHaveNoParameters() throws {
    let row = try row(report(.success(SobrietyPrediction(outcome: .at(3))), parameters: nil))
    #expect(row["status"] == "ok")
    #expect(["r", "ka_per_h", "beta_g_per_kg_h"].allSatisfy { row[$0] == "" })
    #expect(row["error_min"] == "-45.0")
  }

  @Test(
    arguments: [
      (reached, "210-240"), (.notReached(lastAbove: 3.5), "> 210"),
      (.neverAbove(first: 0.5), "< 30"),
      (.noReadings, nil),
    ] as [(MeasuredSobriety, String?)])
  func tableShowsTheInterval(measured: MeasuredSobriety, interval: String?) throws {
    let text = report(try prediction(3), measured: measured).rendered(as: .table)
    #expect(text.contains("  measured") == (interval != nil))
    if let interval { #expect(text.contains("  \(interval)")) }
  }

  @Test func statesTheThreshold() throws {
    let report = report(try prediction(3), threshold: 0.2)
    #expect(report.introduction.joined().contains("0.2 g/kg"))
  }

  /// Every combination of measured and predicted times states the limits of its error.
  @Test(
    arguments: [
      (reached, .at(3), "-60.0", "-30.0", "-45.0"),
      (reached, .neverAbove, "-240.0", "-210.0", "-240 to -210"),
      (reached, .laterThan(3), "-60.0", "", "> -60"),
      (.notReached(lastAbove: 3.5), .at(3), "", "-30.0", "< -30"),
      (.notReached(lastAbove: 3.5), .laterThan(3), "", "", nil),
      (.neverAbove(first: 0.5), .at(3), "150.0", "180.0", "150 to 180"),
      (.neverAbove(first: 0.5), .neverAbove, "-30.0", "0.0", "-30 to 0"),
      (.noReadings, .at(3), "", "", nil),
    ] as [(MeasuredSobriety, SobrietyPrediction.Outcome, String, String, String?)])
  func statesTheLimitsOfTheError(
    measured: MeasuredSobriety, outcome: SobrietyPrediction.Outcome, least: String, most: String,
    shown: String?
  ) throws {
    let report = report(
      .success(SobrietyPrediction(outcome: outcome)), measured: measured)
    let row = try row(report)
    #expect(row["known"] == measured.knowledge.rawValue)
    #expect(row["error_min_least"] == least && row["error_min_most"] == most)
    let text = report.rendered(as: .table)
    #expect(shown.map { text.contains("  \($0)") } ?? true, "\(text)")
  }

  /// Every origin of a threshold has its words in the introduction.
  @Test func introductionStatesOriginOfTheThreshold() throws {
    let words = SobrietyThreshold.Origin.allCases.map { origin in
      let score = Score(
        Sample.series(), by: "watson", time: .failure(.curveMissing),
        SobrietyEvidence(
          uses: [], threshold: SobrietyThreshold(concentration: 0.1, origin: origin),
          measured: Self.reached, doubts: []))
      return Report.sobriety([score], options: PredictionOptions(), provenance: Sample.provenance)
        .introduction.joined(separator: "\n")
    }
    #expect(words[0].contains("Sober: at most 0.1 g/kg.\n"))
    #expect(words[1].contains("Sober: at most 0.1 g/kg, the limit of detection."))
    #expect(words[2].contains("Sober: at most 0.1 g/kg, the resolution of the instrument."))
    #expect(
      words[3].contains("because the study states neither limit of detection nor resolution."))
  }

  @Test func statusesHaveTheirNames() {
    #expect(
      Score.TimeStatus.allCases.map(\.rawValue) == [
        "ok", "predicted-never-above", "predicted-later", "never-above", "not-reached",
        "no-readings", "not-applicable", "failed",
      ])
  }
}
