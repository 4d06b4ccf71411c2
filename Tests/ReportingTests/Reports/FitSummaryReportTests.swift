import AlcoholKinetics
import StudyData
import TestSupport
import Testing

@testable import Reporting
@testable import Validation

@Suite struct FitSummaryReportTests {
  private func fit(
    _ subject: String, occasion: String? = nil, ka: Double, isIdentifiable: Bool? = true,
    isAtBound: Bool = false, isConverged: Bool = true
  ) -> StudyFit {
    let estimates: [FitParameter: ParameterEstimate] = [
      .ka: KnownFit.estimate(ka, isIdentifiable: isIdentifiable, isAtBound: isAtBound),
      .lag: KnownFit.estimate(0.25, isIdentifiable: true),
    ]
    return StudyFit(
      series: Sample.series(of: subject, occasion: occasion), rFactor: "watson",
      result: .success(KnownFit.fit(estimates: estimates, isConverged: isConverged)))
  }

  private func rows(_ fits: [StudyFit]) throws -> [[String: String]] {
    let report = Report.fitSummary(fits, options: FitOptions(), provenance: Sample.provenance)
    return try CSVText.rows(report.rendered(as: .csv))
  }

  /// a counts by the mean of 2 and 4; b and c by what they have: 3, 8 and 1.
  @Test func fillsEveryColumn() throws {
    let failed = StudyFit(
      series: Sample.series(of: "f"), rFactor: "watson", result: .failure(.nothingMeasured))
    let fits = [
      fit("a", occasion: "1", ka: 2), fit("a", occasion: "2", ka: 4), fit("b", ka: 8),
      fit("c", ka: 1, isIdentifiable: nil), fit("d", ka: 97, isIdentifiable: false),
      fit("e", ka: 1000, isAtBound: true), fit("g", ka: 50, isConverged: false), failed,
    ]
    let rows = try rows(fits)
    let expected = [
      "parameter": "ka", "unit": "1/h", "subjects": "3", "series": "4", "undetermined": "2",
      "failed": "2", "mean": "4.0", "sd": "3.605551275463989", "cv_pct": "90.138781886599728",
      "median": "3.0", "min": "1.0", "max": "8.0",
    ]
    #expect(rows[0].columns(unlike: expected) == [])
    // Times are in min.
    #expect(rows[1]["parameter"] == "lag" && rows[1]["unit"] == "min")
    #expect(rows[1]["mean"] == "15.0" && rows[1]["sd"] == "0.0")
    #expect(rows.count == 2)
  }

  @Test func nothingDeterminedLeavesNumbersEmpty() throws {
    let row = try #require(try rows([fit("a", ka: 2, isIdentifiable: false)]).first)
    #expect(row["subjects"] == "0" && row["undetermined"] == "1")
    #expect(["mean", "sd", "cv_pct", "median", "min", "max"].allSatisfy { row[$0] == "" })
    let one = try #require(try rows([fit("a", ka: 2)]).first)
    #expect(one["mean"] == "2.0" && one["sd"] == "" && one["cv_pct"] == "")
  }

  @Test func peopleAreToldWhatCounts() throws {
    let report = Report.fitSummary(
      [fit("a", ka: 2), fit("b", ka: 3)], options: FitOptions(), provenance: Sample.provenance)
    let text = report.rendered(as: .table)
    #expect(text.contains("estimates that the readings determine"))
    #expect(text.contains("k_a"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  /// Made-up fits, summed up by NumPy (Tests/Tools/fit_summary.py).
  @Test func agreesWithNumPy() throws {
    let table = try PackageFolder.expectations("fit-summary-fits")
    let expected = try PackageFolder.expectations("fit-summary")
    #expect(expected.count == 3)
    for row in expected {
      let parameter = try #require(row["parameter"].flatMap(FitParameter.init))
      let fits = table.map { fit(in: $0, parameter) }
      let summary = try #require(ParameterSummary.summaries(of: fits).first)
      #expect(row["subjects"] == "\(summary.values?.count ?? 0)", "\(row)")
      #expect(row["series"] == "\(summary.series)", "\(row)")
      #expect(row["undetermined"] == "\(summary.undetermined)", "\(row)")
      #expect(row["failed"] == "\(summary.failed)", "\(row)")
      let numbers: [(String, Double?)] = [
        ("mean", summary.values?.mean), ("sd", summary.values?.standardDeviation),
        ("cv_pct", summary.coefficientOfVariation), ("median", summary.values?.median),
        ("min", summary.values?.quantile(0)), ("max", summary.values?.quantile(1)),
      ]
      for (name, found) in numbers {
        let wanted = row[name].flatMap { Double($0) }
        #expect((found == nil) == (wanted == nil), "\(name) of \(row)")
        guard let found, let wanted else { continue }
        #expect(abs(found - wanted) <= 1e-12 * abs(wanted), "\(name) of \(row)")
      }
    }
  }

  private func fit(in row: [String: String], _ parameter: FitParameter) -> StudyFit {
    let estimate = KnownFit.estimate(
      row[parameter.columnName].flatMap { Double($0) } ?? .nan,
      isIdentifiable: row["\(parameter.rawValue)_identifiable"] == "yes")
    return StudyFit(
      series: Sample.series(of: row["subject"] ?? "", occasion: row["occasion"]),
      rFactor: "estimated",
      result: .success(
        KnownFit.fit(estimates: [parameter: estimate], isConverged: row["status"] == "ok")))
  }
}
