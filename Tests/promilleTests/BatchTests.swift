import TestSupport
import Testing

/// One bad subject stops nobody else.
@Suite struct BatchTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy.withBadSubject.write(to: folder, as: "bad")
  }

  @Test func fitContinuesAfterABadSubject() async throws {
    let run = try await Command.promille("fit", study, "--format", "csv")
    #expect(run.status == 1)
    let rows = try run.rows
    #expect(rows.map { $0["subject"] } == ["ann", "bob", "cem"])
    #expect(rows.map { $0["status"] } == ["ok", "failed", "ok"])
    #expect(rows[1]["reason"]?.hasPrefix("E_RANGE: ") == true)
    #expect(rows[1]["reason"]?.contains("bad/readings.csv:10:8") == true)
    #expect(rows[1]["ka_per_h"] == "")
    let ka = try #require(rows[2]["ka_per_h"].flatMap { Double($0) })
    #expect((1...10).contains(ka))
    #expect(run.errors.contains("bad/readings.csv:10:8: error E_RANGE: "))
  }

  @Test func soberContinuesAfterABadSubject() async throws {
    let run = try await Command.promille(
      "sober", study, "--r-factor", "widmark", "--format", "csv")
    #expect(run.status == 1)
    let rows = try run.rows
    #expect(rows.map { $0["subject"] } == ["ann", "bob", "cem"])
    #expect(rows.map { $0["status"] } == ["ok", "failed", "ok"])
    #expect(rows[1]["reason"]?.hasPrefix("E_RANGE: ") == true)
    #expect(rows[1]["sober_predicted_min"] == "")
  }

  @Test func compareContinuesAfterABadSubject() async throws {
    let run = try await Command.promille(
      "compare", study, "--r-factor", "widmark,watson", "--format", "csv")
    #expect(run.status == 1)
    let rows = try run.rows
    #expect(rows.map { $0["subject"] } == ["ann", "ann", "bob", "bob", "cem", "cem"])
    #expect(rows.map { $0["status"] } == ["ok", "ok", "failed", "failed", "ok", "ok"])
    #expect(rows[2]["reason"]?.hasPrefix("E_RANGE: ") == true)
    #expect(rows[2]["r"] == "")
    #expect(run.errors.contains("2 of 6 rows have no result"))
  }

  @Test func compareOfEstimatesContinuesAfterABadSubject() async throws {
    let study = try SmallEstimates.withBadSubject.write(to: folder)
    let run = try await Command.promille(
      "compare", study, "--r-factor", "widmark,ulrich", "--format", "csv")
    #expect(run.status == 1)
    let rows = try run.rows
    let names = ["ann", "bea", "cem", "dan", "eve"]
    #expect(rows.map { $0["subject"] } == names.flatMap { [$0, $0] })
    let woman = ["ok", "not-applicable"]
    #expect(
      rows.map { $0["status"] } == woman + woman + ["failed", "failed", "ok", "ok"] + woman)
    for row in rows where row["subject"] == "cem" {
      #expect(row["reason"]?.hasPrefix("E_RANGE: ") == true)
      #expect(row["reason"]?.contains("study/estimates.csv:4:23") == true)
      #expect(["r_observed", "r_error"].allSatisfy { row[$0] == "" })
    }
    #expect(rows.filter { $0["status"] == "ok" }.allSatisfy { $0["r_error"] != "" })
    #expect(run.errors.contains("study/estimates.csv:4:23: error E_RANGE: "))
    #expect(run.errors.contains("2 of 10 rows have no result"))
  }

  /// The summary is of those who are left, and says how many they are.
  @Test func summaryOfEstimatesCountsRemainingSubjects() async throws {
    let study = try SmallEstimates.withBadSubject.write(to: folder)
    let run = try await Command.promille(
      "compare", study, "--r-factor", "widmark", "--by", "sex", "--format", "csv")
    #expect(run.status == 1)
    let rows = try run.rows
    #expect(rows.map { $0["sex"] } == ["all", "male", "female"])
    #expect(rows.map { $0["n"] } == ["4", "1", "3"])
  }

  @Test func checkLocatesABadEstimate() async throws {
    let study = try SmallEstimates.withBadSubject.write(to: folder)
    let run = try await Command.promille("check", study, "--format", "csv")
    #expect(run.status == 65)
    #expect(try run.rows.map { $0["errors"] } == ["0", "0", "1", "0", "0"])
    #expect(run.errors.contains("study/estimates.csv:4:23: error E_RANGE: "))
  }

  @Test func jsonHasTheSameRows() async throws {
    let run = try await Command.promille("fit", study, "--format", "json")
    #expect(run.status == 1)
    let fits = try #require(try run.json["fits"] as? [[String: Any]])
    #expect(fits.map { $0["status"] as? String } == ["ok", "failed", "ok"])
    let reason = try #require(fits[1]["reason"] as? String)
    #expect(reason.hasPrefix("E_RANGE: "))
  }

  @Test func tableStatesReasonOfAFailure() async throws {
    let run = try await Command.promille("fit", study, "--format", "table")
    #expect(run.status == 1)
    #expect(run.output.contains("\nbob      failed"))
    #expect(run.output.contains("(E_RANGE) [bob]"))
  }

  /// Readings with errors fail a given prediction as they fail promille's own.
  @Test func givenPredictionsDoNotHideBadReadings() async throws {
    try folder.write(SmallStudy().readings, to: "predictions.csv")
    let run = try await Command.promille(
      "sober", study, "--predictions", folder("predictions.csv"), "--format", "csv")
    #expect(run.status == 1)
    let rows = try run.rows.filter { $0["method"] == "predictions" }
    #expect(rows.map { $0["status"] } == ["ok", "failed", "ok"])
    #expect(rows[1]["reason"]?.hasPrefix("E_RANGE: ") == true)
  }

  /// A method without a formula for a subject is not a failure.
  @Test func inapplicableMethodIsNoFailure() async throws {
    let study = try SmallStudy().write(to: folder)
    let run = try await Command.promille("sober", study, "--r-factor", "ulrich")
    #expect(run.status == 0)
    #expect(try run.rows.map { $0["status"] } == ["not-applicable", "ok", "ok"])
  }

  @Test func missingMeasureFailsOnlyItsSubject() async throws {
    var small = SmallStudy()
    small.subjects = small.subjects.replacing("bob,male,40,180,70", with: "bob,male,40,,70")
    let study = try small.write(to: folder)
    let run = try await Command.promille("fit", study, "--r-factor", "forrest")
    #expect(run.status == 1)
    #expect(try run.rows.map { $0["status"] } == ["ok", "failed", "ok"])
    #expect(try run.rows[1]["reason"]?.hasPrefix("E_MEASURE_MISSING: ") == true)
  }
}
