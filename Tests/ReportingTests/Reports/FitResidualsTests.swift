import TestSupport
import Testing

@testable import Estimation
@testable import Reporting

@Suite struct FitResidualsTests {
  /// One reading of each use.
  private static let readings = ReadingUse.allCases.flatMap { KnownFit.readings(1, $0) }

  private let rows: [[String: String]]

  /// Series without a fit have no residuals.
  init() throws {
    let fits = KnownFit.study([
      .failure(.nothingMeasured), .success(KnownFit.fit(readings: Self.readings)),
    ])
    rows = try CSVText.rows(Report.residuals(of: fits).csv)
    try #require(rows.count == Self.readings.count)
  }

  @Test func fillsEveryColumn() {
    #expect(
      rows.first == [
        "subject": "2", "occasion": "fed", "time_min": "30.0", "observed_g_per_kg": "0.5",
        "limit_g_per_kg": "", "predicted_g_per_kg": "0.25", "residual_g_per_kg": "0.25",
        "sd_g_per_kg": "0.125", "standardised": "2.5", "leverage": "0.36", "cook": "0.0",
        "excluded": "", "censored": "no",
      ])
  }

  /// A censored reading is fitted, but has no residual of its own kind.
  @Test func censoredReadingsAreMarked() {
    let row = rows[1]
    #expect(row["censored"] == "yes")
    #expect(row["limit_g_per_kg"] == "0.0625")
    #expect(row["excluded"] == "")
    #expect(["standardised", "cook"].allSatisfy { row[$0] == "" })
  }

  /// Readings left out are there with their prediction and the reason.
  @Test func leftOutReadingsStateReason() {
    #expect(
      rows.dropFirst(2).map { $0["excluded"] } == [
        "excluded-by-study", "mouth-alcohol", "before-drinking", "below-detection", "repeated-zero",
      ])
    #expect(rows.dropFirst(2).allSatisfy { $0["predicted_g_per_kg"] == "0.25" })
    #expect(rows.dropFirst(2).allSatisfy { $0["sd_g_per_kg"] == "" && $0["censored"] == "no" })
  }
}
