import Foundation
import TestSupport
import Testing

/// The options of `fit`.
@Suite struct FitOptionTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
  }

  private func fit(_ options: String...) async throws -> [[String: String]] {
    let run = try await Command.promille(["fit", study, "--format", "csv"] + options)
    #expect(run.status == 0, "\(run.errors)")
    return try run.rows
  }

  private func number(_ row: [String: String], _ column: String) throws -> Double {
    try #require(row[column].flatMap { Double($0) }, "\(column)")
  }

  // MARK: Model and parameters

  /// The curve was made with k_a 4 /h, beta 0.15 g/kg/h and r 0.68, and rounded to 0.001 g/kg.
  @Test func fitRecoversTheTruth() async throws {
    let row = try await fit("--estimate", "ka,beta,r", "--details")[1]
    #expect(row["model"] == "widmark")
    for (name, value) in [("ka_per_h", 4.0), ("beta_g_per_kg_h", 0.15), ("r", 0.68)] {
      #expect(abs(try number(row, name) / value - 1) < 0.01)
    }
    for name in ["ka", "beta", "r"] {
      #expect(row["\(name)_identifiable"] == "yes")
      #expect(try number(row, "\(name)_low") < number(row, "\(name)_high"))
    }
  }

  /// A fixed parameter may also be in the list of estimated ones.
  @Test func fixedParametersAreHeld() async throws {
    for row in try await fit(
      "--fix", "ka=6.5", "--fix", "lag=15", "--fix", "r=0.7", "--details")
    {
      #expect(row["ka_per_h"] == "6.5")
      #expect(row["lag_min"] == "15.0")
      #expect(row["r"] == "0.7")
      #expect(row["r_factor"] == "fixed")
      #expect(["ka_se", "ka_low", "ka_high", "ka_identifiable"].allSatisfy { row[$0] == "" })
      #expect(row["beta_low"] != "")
    }
  }

  @Test func boundedParametersStayInBounds() async throws {
    for row in try await fit("--bound", "ka=5:20", "--estimate", "ka,beta,r") {
      #expect(row["ka_per_h"] == "")
      #expect(row["warnings"]?.contains("W_AT_BOUND") == true)
    }
  }

  /// Two starts and no intervals, because this model takes its time in a debug build.
  @Test func fitsMichaelisAndMenten() async throws {
    let row = try await fit(
      "--model", "michaelis-menten", "--fix", "km=0.01", "--r-factor", "0.68", "--starts", "2",
      "--interval", "none", "--details")[1]
    #expect(row["model"] == "michaelis-menten")
    #expect(row["beta_g_per_kg_h"] == nil)
    #expect(row["km_g_per_kg"] == "0.01")
    #expect(abs(try number(row, "vmax_g_per_kg_h") - 0.15) < 0.02)
  }

  @Test func choosesBetweenModels() async throws {
    let rows = try await fit("--model", "all", "--starts", "1", "--fix", "km=0.05")
    #expect(
      rows.map { $0["subject"] }
        == ["ann", "bob", "cem"].flatMap { Array(repeating: $0, count: 6) })
    // The curves are Widmark's.
    #expect(rows[6]["model"] == "widmark" && rows[6]["delta_aicc"] == "0.0")
    #expect(Set(rows[6..<12].compactMap { $0["model"] }).count == 6)
  }

  /// The highest reading is at 60 min; 0.24 g/kg at 240 min is the last one above 0.1.
  @Test(arguments: [
    ([], ["3", "120.0", "240.0"]),
    (["--limb-after", "130", "--limb-above", "0.05"], ["3", "180.0", "300.0"]),
    (["--limb-above", "0"], ["4", "120.0", "300.0"]),
  ])
  func drawsTheLineThroughTheLimb(_ options: [String], _ limb: [String]) async throws {
    let run = try await Command.promille(
      ["fit", study, "--method", "elimination-line", "--format", "csv"] + options)
    let row = try run.rows[1]
    #expect(["n", "limb_from_min", "limb_to_min"].map { row[$0] } == limb)
  }

  // MARK: Readings

  /// The last reading is 0 and below any limit; without a limit it is a reading of zero.
  @Test(arguments: [
    ([], "8", "0", "0"), (["--lod", "0.05"], "8", "1", "0"),
    (["--lod", "0.1"], "7", "1", "1"),
    (["--censor", "none"], "8", "0", "0"),
    (["--lod", "0.05", "--censor", "one-sided"], "8", "1", "0"),
  ])
  func censorsBelowDetection(
    _ options: [String], _ n: String, _ censored: String, _ repeated: String
  ) async throws {
    let run = try await Command.promille(["fit", study, "--format", "csv"] + options)
    let row = try run.rows[1]
    #expect(row["n"] == n)
    #expect(row["censored"] == censored)
    #expect(row["repeated_zeros"] == repeated)
  }

  @Test func dropsBelowDetection() async throws {
    let row = try await fit("--lod", "0.1", "--censor", "drop")[1]
    #expect(row["n"] == "6")
    #expect(row["below_detection"] == "2")
  }

  @Test func readingsSoonAfterADrinkAreLeftOut() async throws {
    let row = try await fit("--exclude-after-drink", "30", "--fix", "ka=4")[1]
    #expect(row["mouth_alcohol"] == "1")
    #expect(row["n"] == "7")
  }

  // MARK: Error

  @Test(arguments: [
    ("additive:0.02", "0.02", ""), ("proportional:0.05", "", "0.05"),
    ("combined:0.01,0.05", "0.01", "0.05"),
  ])
  func givenErrorIsUsed(_ error: String, _ sd: String, _ cv: String) async throws {
    let row = try await fit("--error", error, "--details")[1]
    #expect(row["error_sd"] == sd)
    #expect(row["error_cv"] == cv)
    #expect(row["aicc"] != "")
  }

  @Test func robustLossIgnoresOutliers() async throws {
    var bad = SmallStudy()
    bad.readings = bad.readings.replacing("bob,120,0.54", with: "bob,120,0.74")
    let path = try bad.write(to: folder, as: "bad")
    let options = ["--r-factor", "0.68", "--format", "csv"]
    let plain = try await Command.promille(["fit", path] + options).rows[1]
    let robust = try await Command.promille(["fit", path, "--loss", "bisquare"] + options).rows[1]
    let errors = try [plain, robust].map { abs(try number($0, "beta_g_per_kg_h") - 0.15) }
    #expect(errors[1] < errors[0] / 5)
    #expect(robust["aicc"] == "")
  }

  @Test func instrumentErrorNeedsAnInstrument() async throws {
    let run = try await Command.promille("fit", study, "--error", "instrument")
    #expect(run.status == 1)
    #expect(try run.rows.allSatisfy { $0["reason"]?.hasPrefix("E_INSTRUMENT_ERROR") == true })
  }

  // MARK: Intervals and search

  @Test func intervalsMayBeOmitted() async throws {
    for row in try await fit("--interval", "none") {
      #expect(row["ka_se"] != "")
      #expect(["ka_low", "ka_high", "ka_identifiable"].allSatisfy { row[$0] == "" })
    }
  }

  @Test func higherLevelWidensIntervals() async throws {
    let narrow = try await fit("--level", "0.5")[1]
    let wide = try await fit("--level", "0.99")[1]
    #expect(try number(wide, "beta_low") < number(narrow, "beta_low"))
    #expect(try number(wide, "beta_high") > number(narrow, "beta_high"))
  }

  @Test func bootstrapResamplesResiduals() async throws {
    let options = ["--replicates", "100", "--seed", "3"]
    let short = try await Command.promille(["fit", study, "--interval", "bootstrap"] + options)
    let long = try await Command.promille(
      ["fit", study, "--interval", "residual-bootstrap"] + options)
    #expect(short.output == long.output)
    #expect(short.status == 0)
  }

  /// Random numbers depend on what was measured, not on what people are called.
  @Test(arguments: ["bootstrap", "parametric-bootstrap"])
  func subjectNamesDoNotChangeFits(_ kind: String) async throws {
    let folder = try TemporaryFolder()
    let (one, other) = (folder("one"), folder("other"))
    for copy in [one, other] {
      let made = try await Command.promille("simulate", "--cohort", "3", "--seed", "4", "-o", copy)
      #expect(made.status == 0)
    }
    for file in ["subjects", "drinks", "readings"] {
      let url = URL(filePath: "\(other)/\(file).csv")
      let text = try String(contentsOf: url, encoding: .utf8)
      // The last comes first by name.
      try text.replacing("s000001", with: "zoe").replacing("s000003", with: "ann")
        .write(to: url, atomically: true, encoding: .utf8)
    }
    let options = ["--interval", kind, "--replicates", "100", "--format", "csv"]
    func rows(_ study: String) async throws -> [[String: String]] {
      try await Command.promille(["fit", study] + options).rows.map { row in
        row.filter { $0.key != "subject" }
      }
    }
    let (first, second) = (try await rows(one), try await rows(other))
    #expect(first.count == 3 && first == second)
  }

  @Test func jobsDoNotChangeFits() async throws {
    let options = ["--interval", "parametric-bootstrap", "--replicates", "100", "--format", "json"]
    async let one = Command.promille(["fit", study, "--jobs", "1"] + options)
    async let four = Command.promille(["fit", study, "--jobs", "4"] + options)
    #expect(try await one == four)
    #expect(try await one.status == 0)
  }

  @Test func jsonHasStartsAndCorrelations() async throws {
    let run = try await Command.promille(
      "fit", study, "--starts", "5", "--start-design", "halton", "--start-seed", "9", "--format",
      "json")
    let starts = try #require(try run.json["starts"] as? [[String: Any]])
    #expect(starts.map { $0["start"] as? Int } == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    let correlations = try #require(try run.json["correlations"] as? [[String: Any]])
    #expect(correlations.map { $0["subject"] as? String } == ["ann", "bob", "cem"])
  }

  // MARK: Residuals

  @Test func residualsAreWritten() async throws {
    let run = try await Command.promille(
      "fit", study, "--residuals", folder("residuals.csv"), "--exclude-after-drink", "20",
      "--fix", "ka=4")
    #expect(run.status == 0)
    let rows = try CSVText.rows(try folder.read("residuals.csv"))
    #expect(rows.count == 24)
    #expect(rows.map { $0["excluded"] }.prefix(2) == ["mouth-alcohol", ""])
    let alone = try await Command.promille(
      "fit", study, "--exclude-after-drink", "20", "--fix", "ka=4")
    #expect(run.output == alone.output)
  }

  /// Nothing is printed if the residuals cannot be written, so that half of the output is not taken for the whole.
  @Test func unwritableResidualsAreAnError() async throws {
    let run = try await Command.promille("fit", study, "--residuals", folder("no/where.csv"))
    #expect(run.status == 73)
    #expect(run.output.isEmpty)
    #expect(run.complaints.count == 1)
    #expect(run.errors.contains("choose another place with --residuals"))
  }
}
