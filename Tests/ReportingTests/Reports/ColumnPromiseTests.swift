import Foundation
import StudyData
import Testing
import Validation

@testable import Reporting

/// The names and order of the columns that programs read. They are a promise: a column may be added,
/// none may go or change its meaning without a new schema version.
@Suite struct ColumnPromiseTests {
  private static let fit = [
    "subject", "occasion", "status", "reason", "n", "r_factor", "r", "r_se", "ka_per_h", "ka_se",
    "beta_g_per_kg_h", "beta_se", "rss", "residual_sd", "above_dose", "iterations", "starts",
    "warnings",
  ]

  private static let sobriety = [
    "subject", "occasion", "status", "reason", "r_factor", "r", "ka_per_h", "beta_g_per_kg_h",
    "threshold_g_per_kg", "sober_predicted_min", "sober_measured_min", "sober_last_above_min",
    "error_min", "error_pct_of_measured", "error_pct_of_predicted", "error_min_last_above",
    "error_pct_of_measured_last_above", "error_pct_of_predicted_last_above",
  ]

  private static let series = [
    "subject", "occasion", "sex", "age_y", "height_cm", "weight_kg", "drinks", "ethanol_g",
    "readings", "excluded", "first_min", "last_min", "max_g_per_kg", "errors", "warnings",
  ]

  private static let findings = [
    "severity", "code", "file", "line", "column", "message", "remedy",
  ]

  private func header(_ report: Report) throws -> [String] {
    try #require(try CSVText.records(report.rendered(as: .csv)).first)
  }

  @Test func ofFits() throws {
    #expect(try header(.fit([], provenance: Sample.provenance)) == Self.fit)
  }

  @Test func ofSobriety() throws {
    let report = Report.sobriety(
      [], options: PredictionOptions(), provenance: Sample.provenance)
    #expect(try header(report) == Self.sobriety)
  }

  @Test func ofChecks() throws {
    let report = Report.check(Sample.study(), provenance: Sample.provenance)
    #expect(try header(report) == Self.series)
    let error = StudyError(kind: .badData, diagnostics: [Sample.finding])
    #expect(try header(.check(error, provenance: Sample.provenance)) == Self.findings)
  }

  @Test func areTheKeysOfJSON() throws {
    let study = Sample.study([Sample.series(diagnostics: [Sample.finding])])
    let report = Report.check(study, provenance: Sample.provenance)
    let json = try JSONSerialization.jsonObject(with: Data(report.rendered(as: .json).utf8))
    let document = try #require(json as? [String: Any])
    let keys = { (name: String) in
      (document[name] as? [[String: Any]])?.first.map { Set($0.keys) }
    }
    #expect(keys("series") == Set(Self.series))
    #expect(keys("findings") == Set(Self.findings))
    #expect(Set(document.keys) == ["schema_version", "provenance", "series", "findings"])
  }

  @Test func namesAreSnakeCase() {
    for name in Self.fit + Self.sobriety + Self.series + Self.findings {
      #expect(name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "_") }, "\(name)")
    }
  }
}
