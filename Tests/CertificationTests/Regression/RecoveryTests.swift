import StudyData
import StudyFiles
import Testing

@testable import Certification

@Suite struct RecoveryTests {
  private static let truth = ResultTable(
    columns: ["subject", "ka_per_h", "r", "unrelated"],
    rows: [["1", "4", "0.7", ""], ["2", "6", "0.7", ""], ["3", "8", "0.7", ""]])

  private static let columns = [
    "subject", "ka_per_h", "ka_low", "ka_high", "ka_identifiable", "r",
  ]

  /// Errors of k_a by hand: 1 and -2, so bias -0.5 and RMSE sqrt(5/2); of r: 0.1.
  @Test func recoveryCountsDeterminedEstimates() throws {
    let estimates = ResultTable(
      columns: Self.columns,
      rows: [
        ["3", "1000", "9", "", "no", ""],
        ["1", "5", "3", "6", "yes", "0.8"],
        ["2", "4", "3", "5", "yes", ""],
        ["4", "4", "3", "5", "yes", "0.7"],
      ])
    let table = ResultTable.recovery(of: Self.truth, by: estimates, key: ["subject"])
    #expect(table.columns == ["parameter", "n", "bias", "rmse", "intervals", "covered"])
    #expect(table.rows.map { $0[0] } == ["ka_per_h", "r"])
    // Of three intervals, one of them open, only the first subject's holds the truth.
    #expect(table.rows[0][1] == "2" && table.rows[0][2] == "-0.5")
    #expect(abs(try #require(Double(table.rows[0][3])) - 2.5.squareRoot()) < 1e-15)
    #expect(table.rows[0][4...] == ["3", "1"])
    #expect(table.rows[1][1] == "1" && table.rows[1][4...] == ["0", "0"])
    #expect(abs(try #require(Double(table.rows[1][2])) - 0.1) < 1e-15)
  }

  @Test func openIntervalCoversValuesBeyondItsOnlyEnd() {
    let estimates = ResultTable(
      columns: Self.columns,
      rows: [["1", "1000", "3", "", "no", ""], ["2", "1000", "", "6", "no", ""]])
    let row = ResultTable.recovery(of: Self.truth, by: estimates, key: ["subject"]).rows[0]
    #expect(row == ["ka_per_h", "0", "", "", "2", "2"])
  }
}
