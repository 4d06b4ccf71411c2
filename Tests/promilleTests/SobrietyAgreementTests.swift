import TestSupport
import Testing

/// `sober` against numbers that were computed independently, with mpmath (Tests/Tools).
@Suite struct SobrietyAgreementTests {
  private static let study = "datasets/nacar-2021"

  private static let numbers = [
    "r", "sober_predicted_min", "sober_measured_min", "sober_first_below_min",
    "sober_last_above_min", "error_min", "error_pct_of_measured", "error_pct_of_predicted",
    "error_min_first_below", "error_pct_of_measured_first_below",
    "error_pct_of_predicted_first_below", "interval_error_min",
    "interval_error_pct_of_measured", "interval_error_pct_of_predicted",
  ]

  private func sober(_ options: String...) async throws -> [[String: String]] {
    let run = try await Command.promille(
      ["sober", Self.study, "--preset", "nacar-2021", "--r-factor", "all"]
        + (options.isEmpty ? ["--threshold", "0"] : options)
        + ["--format", "csv"])
    #expect(run.status == 0)
    // The readings are known to be no concentrations, of which the first is shown.
    let repeated =
      "promille: findings that repeat are shown once; promille check --format json lists all"
    #expect(run.complaints.allSatisfy { $0.contains("W_READING_SCALE") || $0 == repeated })
    return try run.rows
  }

  private func expectClose(
    _ row: [String: String], _ expected: [String: String], _ columns: [String]
  ) throws {
    for column in columns {
      let found = try #require(row[column].flatMap { Double($0) }, "\(column) of \(row)")
      let wanted = try #require(expected[column].flatMap { Double($0) }, "\(column)")
      #expect(abs(found - wanted) <= 1e-9 * abs(wanted), "\(column) of \(row)")
    }
  }

  @Test func sobrietyPredictionsAgreeWithReference() async throws {
    let rows = try await sober()
    let comparable = rows.filter { $0["status"] == "ok" }
    let expected = try PackageFolder.expectations("nacar-2021-sober")
    #expect(comparable.count == expected.count)
    for (row, expected) in zip(comparable, expected) {
      #expect(row["subject"] == expected["subject"])
      #expect(row["r_factor"] == expected["r_factor"])
      try expectClose(row, expected, Self.numbers)
    }
    // What is left is the method that has no formula for women.
    let others = rows.filter { $0["status"] != "ok" }
    #expect(others.map { $0["status"] } == ["not-applicable"])
    #expect(others.map { $0["r_factor"] } == ["ulrich"])
  }

  /// For a curve that is never above the threshold the reference has 0 minutes; the command states the status and
  /// leaves the time empty.
  @Test(arguments: ["0.2", "0.5"])
  func sobrietyThresholdsAgreeWithReference(_ threshold: String) async throws {
    let rows = try await sober("--threshold", threshold)
      .filter { $0["status"] != "not-applicable" }
    let expected = try PackageFolder.expectations("nacar-2021-sober-thresholds")
      .filter { $0["threshold_g_per_kg"] == threshold }
    #expect(rows.count == 19)
    #expect(rows.count == expected.count)
    for (row, expected) in zip(rows, expected) {
      #expect(row["subject"] == expected["subject"])
      #expect(row["r_factor"] == expected["r_factor"])
      #expect(row["threshold_g_per_kg"] == threshold)
      try expectSameTime(row, expected)
    }
  }

  private func expectSameTime(_ row: [String: String], _ expected: [String: String]) throws {
    let isNeverAbove = expected["sober_predicted_min"].flatMap { Double($0) } == 0
    guard isNeverAbove else {
      #expect(row["status"] == "ok")
      return try expectClose(row, expected, Self.numbers)
    }
    #expect(row["status"] == "predicted-never-above")
    try expectClose(
      row, expected, ["r", "sober_measured_min", "sober_first_below_min", "sober_last_above_min"])
    let empty = ["sober_predicted_min", "error_min", "error_pct_of_predicted"]
    #expect(empty.allSatisfy { row[$0] == "" })
  }

  /// The thesis' own curves; 11 to 30 % is what it says of them.
  @Test func givenPredictionsAgreeWithReference() async throws {
    let file = "\(Self.study)/thesis-predictions.csv"
    let run = try await Command.promille(
      "sober", Self.study, "--predictions", file, "--threshold", "0", "--format", "csv")
    #expect(run.status == 0)
    let rows = try run.rows.filter { $0["method"] == "thesis-predictions" }
    let expected = try PackageFolder.expectations("nacar-2021-thesis-sober")
    #expect(rows.count == expected.count)
    for (row, expected) in zip(rows, expected) {
      #expect(row["subject"] == expected["subject"])
      #expect(row["r_factor"] == "thesis-predictions")
      try expectClose(row, expected, Array(Self.numbers.dropFirst()))
    }
  }
}
