import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting

@Suite struct ModelsReportTests {
  private func fit(_ deviance: Double, k: Int, _ warnings: [FitWarning] = []) -> SeriesFit {
    KnownFit.fit(
      criteria: InformationCriteria(deviance: deviance, parameters: k, readings: 20),
      isConverged: !warnings.contains(.notConverged(.noProgress)), warnings: warnings)
  }

  /// AICc: -50 + 6 + 24/16 = -42.5, -54 + 8 + 40/15, -48 + 8 + 40/15, and none.
  private var selection: ModelSelection {
    ModelSelection(
      Sample.series(of: "1", occasion: "fed"),
      [
        .success(fit(-48, k: 4, [.kaRange])), .success(fit(-50, k: 3)),
        .success(fit(-54, k: 4, [.singleStart])), .failure(.tooFewReadings(found: 3, needed: 5)),
      ])
  }

  private func report(_ selections: [ModelSelection]) -> Report {
    .models(selections, provenance: Sample.provenance)
  }

  @Test func ranksWithinASeries() throws {
    let rows = try CSVText.rows(report([selection]).rendered(as: .csv))
    let best = [
      "subject": "1", "occasion": "fed", "model": "michaelis-menten", "status": "ok",
      "reason": "", "k": "4", "n": "20", "deviance": "-54.0", "aicc": "-43.333333333333333",
      // 1 / (1 + e^(-5/12) + e^-3)
      "delta_aicc": "0.0", "weight": "0.5851280238686147", "bic": "-42.017070905784035",
      "warnings": "W_SINGLE_START",
    ]
    #expect(rows[0].columns(unlike: best) == [])
    #expect(
      rows.map { $0["model"] }
        == ["michaelis-menten", "widmark-lag", "widmark", "michaelis-menten-lag"])
    #expect(rows[3]["status"] == "failed")
    #expect(rows[3]["reason"]?.hasPrefix("E_TOO_FEW_READINGS: ") == true)
    #expect(rows[3].filledColumns == ["model", "occasion", "reason", "status", "subject"])
  }

  @Test func roundsForPeople() {
    let lines = report([selection]).rendered(as: .table).split(separator: "\n")
      .drop { !$0.hasPrefix("subject") }.prefix(6)
    #expect(
      lines.joined(separator: "\n") == """
        subject  occ.  model                 status       k   n  -2 ln L   AICc  delta  weight    BIC
        -------  ----  --------------------  -----------  -  --  -------  -----  -----  ------  -----
        1        fed   michaelis-menten      ok           4  20    -54.0  -43.3    0.0   0.585  -42.0
        1        fed   widmark-lag           ok           3  20    -50.0  -42.5    0.8   0.386  -41.0
        1        fed   widmark               implausible  4  20    -48.0  -37.3    6.0   0.029  -36.0
        1        fed   michaelis-menten-lag  failed       -   -        -      -      -       -      -
        """)
  }

  /// Warnings and failures are noted as in the report of one fit, with the model's name.
  @Test func notesFailuresAndEveryWarning() {
    let notes = report([selection]).notes
    #expect(notes.count == 3)
    #expect(notes[0].hasPrefix("michaelis-menten: W_SINGLE_START: "))
    #expect(notes[1].hasPrefix("widmark: W_KA_RANGE: "))
    #expect(notes[2].hasPrefix("michaelis-menten-lag: E_TOO_FEW_READINGS: "))
  }

  @Test func linesFitATerminal() {
    let text = report([selection]).rendered(as: .table)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }
}
