import GSL
import TestSupport
import Testing

@testable import Certification
@testable import Estimation
@testable import Reporting

@Suite struct CertificationReportTests {
  private static let passed = Result {
    Report.certification(try NISTCertification(), provenance: Sample.provenance)
  }

  private func passed() throws -> Report {
    try Self.passed.get()
  }

  private func failed() throws -> Report {
    let engine = LeastSquaresEngine(
      .gsl, far: [.init(method: .subspace2D, scaling: .levenberg, iterationLimit: 10)])
    let certification = try NISTCertification(by: engine, .initial)
    return .certification(certification, provenance: Sample.provenance)
  }

  @Test func csvRowsHaveTheScores() throws {
    let rows = try CSVText.rows(try passed().rendered(as: .csv))
    let scores = try NISTCertification().scores
    #expect(rows.count == 54)
    for (row, score) in zip(rows, scores) {
      let expected = [
        "problem": score.problem.name,
        "difficulty": score.problem.difficulty.rawValue,
        "start": "\(score.start)",
        "lre_min": "\(score.digits)",
        "lre_sd_min": "\(score.standardDeviationDigits)",
        "lre_rss": "\(score.rssDigits)",
        "iterations": "\(score.iterations)",
        "method": score.method,
        "status": "ok",
      ]
      #expect(row.columns(unlike: expected) == [])
    }
  }

  @Test func tableStatesTheVerdict() throws {
    let text = try passed().rendered(as: .table)
    #expect(text.contains("solved: 54 of 54, average 10."))
    #expect(text.contains("required 9.4: passed"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func failedSolvesAreReported() throws {
    let report = try failed()
    let rows = try CSVText.rows(report.rendered(as: .csv))
    #expect(rows.contains { $0["status"] == "not_converged" })
    #expect(rows.allSatisfy { $0["method"] == "subspace_2d/levenberg" })
    #expect(report.notes[0].hasSuffix("required 9.4: failed"))
  }
}
