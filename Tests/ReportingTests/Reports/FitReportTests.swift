import AlcoholKinetics
import GSL
import StudyData
import TestSupport
import Testing

@testable import Reporting
@testable import Validation

@Suite struct FitReportTests {
  private func fit(
    _ exit: LeastSquaresExit = .smallStep, warnings: [FitWarning] = [],
    standardErrors: [FitParameter: Double] = [.ka: 1.5, .beta: 0.0123], residualSD: Double? = 0.05
  ) throws -> SeriesFit {
    SeriesFit(
      readings: 20, parameters: try KineticParameters(ka: 12.3456, beta: 0.15, r: 0.7),
      standardErrors: standardErrors, rss: 0.045, residualSD: residualSD,
      starts: [
        StartOutcome(rss: .infinity, iterations: 3, exit: .evaluationFailed),
        StartOutcome(rss: 0.045, iterations: 17, exit: exit),
      ],
      best: 1, readingsAboveDose: 4, warnings: warnings)
  }

  private func report(_ results: [Result<SeriesFit, SeriesFailure>]) -> Report {
    let fits = results.enumerated().map { index, result in
      StudyFit(
        series: Sample.series(of: "\(index + 1)", occasion: "fed"), rFactor: "watson",
        result: result)
    }
    return .fit(fits, provenance: Sample.provenance)
  }

  private func row(_ result: Result<SeriesFit, SeriesFailure>) throws -> [String: String] {
    try #require(try CSVText.rows(report([result]).rendered(as: .csv)).first)
  }

  @Test func fillsEveryColumn() throws {
    let row = try row(.success(try fit()))
    let expected = [
      "subject": "1", "occasion": "fed", "status": "ok", "reason": "", "n": "20",
      "r_factor": "watson", "r": "0.7", "r_se": "", "ka_per_h": "12.3456", "ka_se": "1.5",
      "beta_g_per_kg_h": "0.15", "beta_se": "0.0123", "rss": "0.045", "residual_sd": "0.05",
      "above_dose": "4", "iterations": "17", "starts": "2", "warnings": "",
    ]
    #expect(row == expected)
  }

  @Test func leavesEmptyWhatIsNotKnown() throws {
    let row = try row(
      .success(try fit(standardErrors: [.ka: .infinity, .beta: .nan], residualSD: nil)))
    #expect(["ka_se", "beta_se", "r_se", "residual_sd"].map { row[$0] } == ["", "", "", ""])
    #expect(row["status"] == "ok")
  }

  @Test func tellsAFitThatDidNotConverge() throws {
    let fit = try fit(.noProgress, warnings: [.notConverged(.noProgress), .kaRange])
    let row = try row(.success(fit))
    #expect(row["status"] == "not-converged")
    #expect(row["reason"] == "")
    #expect(row["warnings"] == "W_NOT_CONVERGED;W_KA_RANGE")
  }

  @Test(arguments: FailureCase.all)
  func saysWhyThereIsNoFit(_ expected: FailureCase) throws {
    let row = try row(.failure(expected.failure))
    let reason = try #require(row["reason"])
    #expect(row["status"] == "failed")
    #expect(reason.hasPrefix("\(expected.code): "))
    #expect(reason.contains(expected.says))
    let filled = row.filter { !$0.value.isEmpty }.keys.sorted()
    #expect(filled == ["occasion", "r_factor", "reason", "status", "subject"])
  }

  @Test func notesWarningsAndFailuresOnce() throws {
    let odd = try fit(warnings: [.aboveDose, .rRange])
    let results: [Result<SeriesFit, SeriesFailure>] = [
      .success(odd), .failure(.nothingMeasured), .success(odd), .success(try fit()),
    ]
    let notes = report(results).notes
    #expect(notes.count == 3)
    #expect(notes[0].hasPrefix("W_ABOVE_DOSE: ") && notes[0].hasSuffix(" [1/fed, 3/fed]"))
    #expect(notes[1].hasPrefix("W_R_RANGE: ") && notes[1].hasSuffix(" [1/fed, 3/fed]"))
    #expect(notes[2].hasPrefix("E_NOTHING_MEASURED: ") && notes[2].hasSuffix(" [2/fed]"))
  }

  @Test func roundsForPeople() throws {
    let text = report([.success(try fit()), .failure(.nothingMeasured)]).rendered(as: .table)
    let lines = text.split(separator: "\n").dropFirst(2).prefix(4)
    #expect(
      lines.joined(separator: "\n") == """
        subject  occ.  status   n  r factor      r   k_a   SE   beta     SE  resid. SD  above dose
        -------  ----  ------  --  --------  -----  ----  ---  -----  -----  ---------  ----------
        1        fed   ok      20  watson    0.700  12.3  1.5  0.150  0.012      0.050           4
        2        fed   failed   -  watson        -     -    -      -      -          -           -
        """)
  }

  @Test func keepsTheOrderOfSeries() throws {
    let results = try (0..<30).map { index -> Result<SeriesFit, SeriesFailure> in
      index % 3 == 0 ? .failure(.nothingMeasured) : .success(try fit())
    }
    let rows = try CSVText.rows(report(results).rendered(as: .csv))
    #expect(rows.map { $0["subject"] } == (1...30).map(String.init))
  }
}
