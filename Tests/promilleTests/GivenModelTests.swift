import TestSupport
import Testing

/// `sober` with models of one's own beside the methods for r, against numbers that were computed
/// independently, with SciPy (Tests/Tools/given_models.py).
@Suite struct GivenModelTests {
  /// Models that predict for everybody.
  private static let models = ["biased", "hourly", "right", "honest"]

  private static let methods = ["widmark", "watson", "forrest", "seidl", "ulrich"]

  private static let path = "Tests/Expectations/given-models"

  /// A run with models from files whose names they have.
  private func sober(
    _ models: [String], in folder: String = path, options: [String] = [], format: String = "csv"
  ) async throws -> Outcome {
    try await Command.promille(
      ["sober", "datasets/made-up-24", "--blood-breath-ratio", "2100"]
        + models.flatMap { ["--predictions", "\($0)=\(folder)/\($0).csv"] }
        + options + ["--format", format])
  }

  private func rows(of model: String, in folder: String = path) async throws -> [[String: String]] {
    try await sober([model], in: folder).rows
      .filter { $0["method"] == model && $0["status"] != "failed" }
  }

  private func pairs(_ run: Outcome) throws -> [[String: Any]] {
    try #require(try run.json["pairs"] as? [[String: Any]])
  }

  /// A curve in mmol/L is the curve in g/L: a millimole of ethanol is 0.0460684 g.
  @Test func curveMayBeInAnyUnitOfSheets() async throws {
    let folder = try TemporaryFolder()
    for (name, header, factor) in [
      ("litre", "bac_g_per_l", 1.0), ("molar", "BAC (mmol/L)", 1 / 0.0460684),
      ("percent", "blood mg%", 100),
    ] {
      var text = "subject,time_min,\(header)\n"
      for minute in stride(from: 0.0, through: 600, by: 10) {
        text += "1,\(minute),\(max(0, 1.2 - 0.003 * minute) * factor)\n"
      }
      try folder.write(text, to: "\(name).csv")
    }
    let run = try await Command.promille(
      ["sober", "datasets/nacar-2021", "--format", "csv", "--threshold", "0.1"]
        + ["litre", "molar", "percent"].flatMap {
          ["--predictions", "\($0)=\(folder("\($0).csv"))"]
        })
    let rows = try run.rows.filter { $0["subject"] == "1" }
    let times = ["litre", "molar", "percent"].map { name in
      rows.first { $0["method"] == name }.flatMap { Double($0["sober_predicted_min"] ?? "") }
    }
    let first = try #require(times[0] ?? nil, "\(run.output)\(run.errors)")
    for time in times { #expect(abs((time ?? 0) - first) < 1e-6, "\(times)") }
  }

  // MARK: Against independent numbers

  @Test(arguments: models + ["edges"])
  func givenCurvesGiveTimesWhereTheyCrossTheThreshold(_ model: String) async throws {
    let rows = try await rows(of: model)
    let expected = try PackageFolder.expectations("given-models").filter { $0["app"] == model }
    #expect(rows.count == expected.count)
    for (row, expected) in zip(rows, expected) {
      #expect(row["subject"] == expected["subject"])
      #expect(row["occasion"] == expected["occasion"])
      try expectSamePrediction(row, expected)
      try expectClose(row, expected, ["sober_last_above_min", "sober_first_below_min"], 1e-9)
    }
  }

  private func expectSamePrediction(
    _ row: [String: String], _ expected: [String: String]
  ) throws {
    let limits = ["sober_predicted_low_min", "sober_predicted_high_min"]
    try expectClose(row, expected, limits, 1e-9)
    switch expected["sober_predicted_min"] {
    case "never": #expect(row["status"] == "predicted-never-above")
    case "later": #expect(row["status"] == "predicted-later")
    default: return try expectClose(row, expected, ["sober_predicted_min"], 1e-9)
    }
    #expect(row["sober_predicted_min"] == "")
  }

  @Test(arguments: models)
  func errorsAndIntervalsOfAModelAreSummarisedAsExpected(_ model: String) async throws {
    let run = try await sober([model], options: ["--summary"])
    #expect(run.status == 0)
    let row = try #require(try run.rows.first { $0["method"] == model })
    let expected = try #require(
      try PackageFolder.expectations("given-models-summary").first { $0["app"] == model })
    let texts = [
      "people", "series", "minutes_from", "interval_series", "interval_held_least",
      "interval_held_most",
    ]
    for column in texts { #expect(row[column] == expected[column], "\(column)") }
    let numbers = expected.keys.filter { $0 != "app" && !texts.contains($0) }.sorted()
    try expectClose(row, expected, numbers, 1e-6)
  }

  @Test(arguments: models)
  func pairsOfAModelAndMethodsDifferAsExpected(_ model: String) async throws {
    let found = try pairs(try await sober([model], options: ["--summary"], format: "json"))
    let expected = try PackageFolder.expectations("given-models-pairs")
      .filter { $0["app"] == model }
    #expect(expected.count == Self.methods.count)
    for expected in expected {
      let names = [expected["method_a"], expected["method_b"]]
      let pair = try #require(
        found.first { pair in names.allSatisfy { $0 == name("a", pair) || $0 == name("b", pair) } })
      // The other way round, a difference has the other sign.
      let sign: Double = name("a", pair) == names[0] ? 1 : -1
      let difference = try #require(pair["mae_difference"] as? Double)
      #expect(agree(sign * difference, try expected.known("mae_difference"), relative: 1e-6))
      for column in ["subjects", "wilcoxon_p", "holm_p"] {
        let value = try #require(pair[column] as? Double, "\(column)")
        #expect(agree(value, try expected.known(column), relative: 1e-9), "\(column) of \(names)")
      }
    }
  }

  private func name(_ end: String, _ pair: [String: Any]) -> String? {
    pair["method_\(end)"] as? String
  }

  private func expectClose(
    _ row: [String: String], _ expected: [String: String], _ columns: [String],
    _ tolerance: Double
  ) throws {
    for column in columns {
      // A limit that is infinite is left empty.
      let wanted = try expected.number(column).flatMap { $0.isFinite ? $0 : nil }
      #expect(
        agree(try row.number(column), wanted, relative: tolerance, absolute: tolerance),
        "\(column) of \(row)")
    }
  }

  // MARK: What holds whatever the model

  @Test(arguments: [["biased"], ["biased", "right"], ["edges"]])
  func givenModelsDoNotChangeMethods(_ models: [String]) async throws {
    let choices: [[String]] = [[], ["--summary"]]
    for options in choices {
      let alone = try await sober([], options: options).rows
      let beside = try await sober(models, options: options).rows
      #expect(beside.filter { !models.contains($0["method"] ?? "") } == alone)
    }
  }

  @Test func hourlyCurvesAgreeWithFineOnesWithinTheStatedLimit() async throws {
    let run = try await sober(["hourly"])
    let said = try #require(run.complaints.first { $0.contains("W_PREDICTION_STEPS") })
    let words = said.split(separator: " ")
    let place = try #require(words.firstIndex(of: "most"))
    let limit = try #require(Double(words[place + 1]))
    let coarse = try run.rows.filter { $0["method"] == "hourly" }
    let fine = try await rows(of: "biased")
    #expect(coarse.count == fine.count)
    for (coarse, fine) in zip(coarse, fine) {
      let times = (
        try coarse.known("sober_predicted_min"), try fine.known("sober_predicted_min")
      )
      #expect(abs(times.0 - times.1) <= limit)
    }
  }

  /// The methods' k_a is the study's own, so that nothing is said of it either.
  @Test func fineCurvesAreNotWarnedOf() async throws {
    let run = try await sober(["biased", "honest"], options: ["--ka", "2.4"])
    #expect(run.complaints.isEmpty)
  }

  /// Hours in a column of minutes, and the other way round.
  @Test(arguments: [("sober_min", 1 / 60.0, "sober_h"), ("sober_h", 1, "sober_min")])
  func timesInAnotherUnitAreNamed(_ header: String, _ scale: Double, _ other: String) async throws {
    let folder = try TemporaryFolder()
    let lines = try await rows(of: "biased").map { row in
      "\(row["subject"] ?? ""),\(row["occasion"] ?? ""),\(try row.known("sober_predicted_min") * scale)\n"
    }
    try folder.write("subject,occasion,\(header)\n" + lines.joined(), to: "hours.csv")
    let run = try await sober(["hours"], in: folder.path, options: ["--summary"])
    let said = try #require(run.complaints.first { $0.contains("W_PREDICTION_SCALE") })
    #expect(said.contains("name the column \(other),"))
  }

  /// An app that says when somebody is sober, of a sheet with times of day.
  @Test func timesOfDayAreThoseSinceTheFirstDrink() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      Subject,Sex,Weight (kg),Time,Ethanol (g),BAC (g/L)
      ann,f,60,19:30,30,
      ann,,,20:30,,0.5
      ann,,,00:10,,0

      """, to: "night.csv")
    try folder.write("Subject,sober_time\nann,00:40\n", to: "clock.csv")
    try folder.write("Subject,sober_min\nann,310\n", to: "minutes.csv")
    let run = try await Command.promille(
      [
        "sober", folder("night.csv"), "--format", "csv", "--predictions", folder("clock.csv"),
        "--predictions", folder("minutes.csv"),
      ])
    let times = try run.rows.filter { ["clock", "minutes"].contains($0["method"]) }
      .map { $0["sober_predicted_min"] }
    #expect(times == ["310.0", "310.0"], "\(run.errors)")
  }

  @Test func ratiosThatNobodyHasAreWarnedOf() async throws {
    for (ratio, isFar) in [("21", true), ("2300", false)] {
      let run = try await Command.promille(
        ["sober", "datasets/made-up-24", "--blood-breath-ratio", ratio, "--format", "csv"])
      #expect(run.complaints.contains { $0.contains("W_BREATH_RATIO_FAR") } == isFar)
    }
  }

  /// One error fits all five people.
  @Test func methodsWithOneErrorForAllAreEstimated() async throws {
    let folder = try TemporaryFolder()
    let people = [(283.0, 210), (397, 295), (346, 260), (176, 135), (285, 220)]
    try folder.write(
      "subject,sex,age_y,height_cm,weight_kg\n"
        + people.indices.map { "p\($0),male,30,180,80\n" }.joined(), to: "subjects.csv")
    try folder.write(
      "subject,time_min,ethanol_g\n" + people.indices.map { "p\($0),0,40\n" }.joined(),
      to: "drinks.csv")
    try folder.write(
      "subject,time_min,bac_g_per_kg\n"
        + people.enumerated().map {
          "p\($0),60,0.5\np\($0),\($1.1),0.2\np\($0),\($1.1 + 30),0\n"
        }.joined(), to: "readings.csv")
    try folder.write(
      "subject,sober_min\n" + people.enumerated().map { "p\($0),\($1.0)\n" }.joined(),
      to: "app.csv")
    try folder.write("subject,sober_min\np0,283\n", to: "one.csv")
    let run = try await Command.promille(
      [
        "sober", folder.path, "--threshold", "0.1", "--summary", "--format", "csv",
        "--predictions", folder("app.csv"),
      ])
    let row = try #require(try run.rows.first { $0["method"] == "app" })
    let expected = try #require(
      try PackageFolder.expectations("time-errors").first { $0["study"] == "one-error-5" })
    for column in ["bias_pct", "bias_pct_low", "bias_pct_high", "mae_min", "mae_min_high"] {
      let (found, known) = (try row.known(column), try expected.known(column))
      #expect(abs(found - known) < 1e-5 * abs(known), "\(column)")
    }
    let one = try await Command.promille(
      [
        "sober", folder.path, "--threshold", "0.1", "--summary", "--format", "table",
        "--predictions", folder("one.csv"),
      ])
    #expect(one.output.contains("Not estimated for one: only one time is known."))
  }

  @Test(arguments: ["biased", "honest"])
  func givenTimesGiveTheSameRowAsTheirCurve(_ model: String) async throws {
    let curves = try await rows(of: model)
    let columns = [
      "subject", "occasion", "sober_predicted_min", "sober_predicted_low_min",
      "sober_predicted_high_min",
    ]
    let lines = curves.map { row in columns.map { row[$0] ?? "" }.joined(separator: ",") }
    let folder = try TemporaryFolder()
    let header = "subject,occasion,sober_min,low_min,high_min"
    try folder.write(([header] + lines).map { $0 + "\n" }.joined(), to: "\(model).csv")
    #expect(try await rows(of: model, in: folder.path) == curves)
  }
}
