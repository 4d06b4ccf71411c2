import TestSupport
import Testing

@testable import Certification
@testable import Estimation
@testable import Reporting
@testable import StudyData
@testable import StudyFiles

@Suite struct RegressionReportTests {
  private static let result = GoldenResult(
    file: "datasets/x/golden/fit.csv", command: ["fit", "{study}", "--estimate", "ka"],
    location: SourceLocation(file: "datasets/x/golden/manifest.json", line: 3, column: 7),
    key: ["subject"], columns: nil, truth: nil,
    rules: [GoldenRule(columns: ["r"], .within(absolute: 0.01, relative: 0), because: "a test")])

  private static let golden = ResultTable(
    columns: ["subject", "r", "n"], rows: [["1", "0.5", "7"], ["2", "0.7", "8"]])

  private static func outcome(with rows: [[String]]) -> GoldenOutcome {
    let found = ResultTable(columns: golden.columns, rows: rows)
    let comparison = TableComparison(
      of: golden, with: found, key: result.key, rules: result.rules)
    return GoldenOutcome(result, .compared(comparison))
  }

  private static let same = outcome(with: golden.rows)
  /// r of the first by 0.25, n of both, and a third row.
  private static let drifted = outcome(
    with: [["1", "0.75", "9"], ["2", "0.705", "8.5"], ["3", "", ""]])
  private static let failed = GoldenOutcome(result, .failed("the command ended with 65"))
  private static let absent = GoldenOutcome(result, .absent("not free"))

  private func report(_ outcomes: GoldenOutcome...) -> Report {
    .regression(outcomes, provenance: Sample.provenance)
  }

  @Test func csvHasARowPerDrift() throws {
    let rows = try CSVText.rows(report(Self.same, Self.drifted, Self.absent).rendered(as: .csv))
    #expect(rows.count == 4)
    let file = Self.result.file
    #expect(
      rows[3].columns(unlike: [
        "file": file, "drift": "row-new", "row": "subject 3", "column": "", "old": "", "new": "",
        "difference": "", "tolerance": "",
      ]) == [])
    #expect(
      rows[0].columns(unlike: [
        "file": file, "drift": "value", "row": "subject 1", "column": "r", "old": "0.5",
        "new": "0.75", "difference": "0.25", "tolerance": "0.01",
      ]) == [])
    #expect(rows[1...2].map { $0["difference"] } == ["2.0", "0.5"])
    #expect(rows[1...2].map { $0["tolerance"] } == ["0.0", "0.0"])
  }

  @Test func tableStatesTheOutcomeOfEveryGoldenTable() {
    let text = report(Self.same, Self.drifted, Self.failed, Self.absent).rendered(as: .table)
    #expect(text.contains("Golden tables: 1 ok, 1 drifted, 1 failed, 1 absent."))
    #expect(text.contains("Values compared: 12."))
    #expect(text.contains("x/fit.csv failed: the command ended with 65"))
    #expect(text.contains("x/fit.csv absent: not free"))
    #expect(text.contains("x/fit.csv  subject 3"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func summaryFitsACommitMessage() {
    #expect(
      Report.summary(ofUpdating: [Self.same, Self.drifted, Self.absent]) == """
        Update golden results: 3 values in 1 table

        datasets/x/golden/fit.csv (fit {study} --estimate ka):
        - 1 row more: subject 3
        - r: subject 1: 0.5 -> 0.75
        - n: 2 values, most for subject 1: 7 -> 9

        """)
    #expect(Report.summary(ofUpdating: [Self.same]) == "No golden result changes.\n")
  }
}
