import StudyData
import StudyFiles
import Testing

@testable import Certification

@Suite struct TableComparisonTests {
  private static let golden = ResultTable(
    columns: ["subject", "occasion", "r", "status"],
    rows: [["1", "", "0.5", "ok"], ["1", "b", "100", "ok"], ["2", "", "", "failed"]])

  private func comparison(
    with rows: [[String]], columns: [String]? = nil, rules: [GoldenRule] = []
  ) -> TableComparison {
    TableComparison(
      of: Self.golden, with: ResultTable(columns: columns ?? Self.golden.columns, rows: rows),
      key: ["subject", "occasion"], rules: rules)
  }

  /// The golden rows with another r of one of them.
  private func rows(_ index: Int, r: String) -> [[String]] {
    var rows = Self.golden.rows
    rows[index][2] = r
    return rows
  }

  @Test func sameTablesHaveNoDrift() {
    let comparison = comparison(with: Self.golden.rows)
    #expect(comparison.drifts.isEmpty)
    #expect(comparison.comparedValues == 12)
    #expect(comparison.updated == Self.golden)
  }

  @Test func orderOfRowsAndColumnsIsIgnored() {
    let columns = ["status", "r", "occasion", "subject"]
    let comparison = comparison(
      with: Self.golden.rows.reversed().map { $0.reversed() }, columns: columns)
    #expect(comparison.drifts.isEmpty)
    #expect(comparison.updated.columns == columns)
  }

  @Test func withoutRuleAnyDifferenceIsADrift() {
    let drifts = comparison(with: rows(0, r: "0.5000000000000001")).drifts
    #expect(
      drifts == [
        Drift(
          kind: .value, row: "subject 1", column: "r", old: "0.5", new: "0.5000000000000001",
          difference: 0.5000000000000001 - 0.5, tolerance: 0)
      ])
    // The same number in other digits is no difference of 0 or less.
    #expect(comparison(with: rows(0, r: "0.50")).drifts.isEmpty)
  }

  /// r changes from 0.5 (subject 1) or 100 (occasion b of subject 1).
  @Test(arguments: [
    (0, "0.75", 0.25, 0.0, true), (0, "0.7500001", 0.25, 0.0, false),
    (0, "0.25", 0.25, 0.0, true), (0, "0.2499999", 0.25, 0.0, false),
    (1, "101", 0.0, 0.01, true), (1, "101.0001", 0.0, 0.01, false),
    (1, "99", 0.0, 0.01, true), (1, "98.9999", 0.0, 0.01, false),
    // Whichever is more.
    (0, "0.75", 0.25, 0.01, true), (1, "101", 0.25, 0.01, true), (1, "100.5", 0.5, 0.001, true),
  ])
  func toleranceIsAbsoluteOrOfTheGoldenNumber(
    row: Int, r: String, absolute: Double, relative: Double, isSame: Bool
  ) throws {
    let rule = GoldenRule(
      columns: ["r"], .within(absolute: absolute, relative: relative), because: "a test")
    let comparison = comparison(with: rows(row, r: r), rules: [rule])
    #expect(comparison.drifts.isEmpty == isSame)
    // What is close enough keeps its old digits.
    #expect(comparison.updated.rows[row][2] == (isSame ? Self.golden.rows[row][2] : r))
  }

  @Test func columnRulePrecedesGeneralRule() {
    let rules = [
      GoldenRule(columns: ["*"], .within(absolute: 10, relative: 0), because: "a test"),
      GoldenRule(columns: ["r"], .within(absolute: 0.1, relative: 0), because: "a test"),
    ]
    #expect(comparison(with: rows(0, r: "1"), rules: rules).drifts.map(\.tolerance) == [0.1])
    #expect(comparison(with: rows(0, r: "1"), rules: [rules[0]]).drifts.isEmpty)
  }

  @Test func wordsAndMissingValuesHaveNoTolerance() {
    let rule = GoldenRule(columns: ["*"], .within(absolute: 1e9, relative: 0), because: "a test")
    for r in ["", "n/a"] {
      let drifts = comparison(with: rows(0, r: r), rules: [rule]).drifts
      #expect(drifts.map(\.new) == [r])
      #expect(drifts.map(\.difference) == [nil])
    }
    #expect(comparison(with: rows(2, r: "0.5"), rules: [rule]).drifts.map(\.old) == [""])
  }

  @Test func addedAndRemovedRowsAreDrifts() {
    let new = ["3", "", "1", "ok"]
    let comparison = comparison(with: [Self.golden.rows[1], new])
    #expect(
      comparison.drifts == [
        Drift(kind: .rowGone, row: "subject 1"), Drift(kind: .rowGone, row: "subject 2"),
        Drift(kind: .rowNew, row: "subject 3"),
      ])
    #expect(comparison.updated.rows == [Self.golden.rows[1], new])
  }

  @Test func addedAndRemovedColumnsAreDrifts() {
    let comparison = comparison(
      with: Self.golden.rows.map { Array($0[0...2]) + ["7"] },
      columns: ["subject", "occasion", "r", "n"])
    #expect(
      comparison.drifts == [
        Drift(kind: .columnGone, column: "status"), Drift(kind: .columnNew, column: "n"),
      ])
    #expect(comparison.comparedValues == 9)
    #expect(comparison.updated.rows[0] == ["1", "", "0.5", "7"])
  }

  @Test func withoutGoldenTableEveryRowIsNew() {
    let comparison = TableComparison(
      of: nil, with: Self.golden, key: ["subject", "occasion"], rules: [])
    #expect(comparison.drifts.map(\.kind) == [.rowNew, .rowNew, .rowNew])
    #expect(comparison.updated == Self.golden)
  }

  @Test func keepsSelectedColumns() {
    let leftOut = GoldenRule(columns: ["r"], .leftOut, because: "a test")
    #expect(Self.golden.kept(nil, rules: [leftOut]).columns == ["subject", "occasion", "status"])
    let kept = Self.golden.kept(["r", "subject", "x"], rules: [])
    #expect(kept.columns == ["subject", "r"])
    #expect(kept.rows == [["1", "0.5"], ["1", "100"], ["2", ""]])
  }
}
