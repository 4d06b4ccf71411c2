import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@Suite struct ForecastCommandTests {
  /// Two people, seven readings each down to 0.12 g/kg.
  private func study(_ folder: TemporaryFolder) throws -> String {
    var small = SmallStudy()
    small.subjects = "subject,sex,weight_kg\nann,female,62\nbob,male,80\n"
    small.drinks = "subject,time_min,ethanol_g\nann,0,35\nbob,0,45\n"
    small.readings = "subject,time_min,bac_g_per_kg\n"
    for (name, factor) in [("ann", 1.1), ("bob", 1)] {
      for (minute, level) in [
        (15, 0.35), (30, 0.652), (60, 0.675), (120, 0.540), (180, 0.390), (240, 0.240), (300, 0.12),
      ] { small.readings += "\(name),\(minute),\(factor * level)\n" }
    }
    return try small.write(to: folder)
  }

  @Test func threadCountDoesNotChangeForecasts() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let one = try await Command.promille(
      "forecast", study, "--prior", "fed", "--score", "--format", "csv", "--jobs", "1")
    let four = try await Command.promille(
      "forecast", study, "--prior", "fed", "--score", "--format", "csv", "--jobs", "4")
    #expect(one.status == 0, "\(one.errors)")
    #expect(one.output == four.output)
    let rows = try CSVText.rows(one.output)
    #expect(Set(rows.compactMap { $0["method"] }).isSuperset(of: ["forecast", "prior", "widmark"]))
    #expect(rows.allSatisfy { Double($0["crps_min"] ?? "").map { $0 >= 0 } ?? false })
    for row in rows where row["method"] == "forecast" {
      let level = ["50", "80", "90", "95"]
      let lows = level.compactMap { Double(row["low_\($0)_min"] ?? "") }
      #expect(lows == lows.sorted(by: >) && lows.count == 4)
      #expect(["yes", "no"].contains(row["covered_90"]))
    }
    // A number counts with the time since the reading before wherever it says another thing than the reading.
    for row in rows where row["low_90_min"] == "" {
      let median = try #require(Double(row["median_min"] ?? ""))
      var before = Double(row["origin_min"] ?? "") ?? 0
      var score = 0.0
      for time in [15.0, 30, 60, 120, 180, 240, 300] where time > before {
        if (median <= time) != (time >= 300) { score += time - before }
        before = time
      }
      #expect(abs(score - (try #require(Double(row["crps_min"] ?? "")))) < 1e-6, "\(row)")
      let crossing = try #require(Double(row["truth_min"] ?? ""))
      let interpolated = try #require(Double(row["interpolated_crps_min"] ?? ""))
      #expect(abs(interpolated - abs(median - crossing)) < 1e-6)
    }
    // The truth lies between the readings at 240 and 300 min.
    #expect(rows.allSatisfy { $0["truth_from_min"] == "240.0" && $0["truth_to_min"] == "300.0" })
  }

  /// Half an hour ahead of the reading at 30 min is that at 60 min; no other reading is as far from one.
  @Test func errorsAreGroupedByHorizon() async throws {
    let folder = try TemporaryFolder()
    let run = try await Command.promille(
      "forecast", try study(folder), "--prior", "fed", "--score", "--format", "json")
    let errors = try #require(try run.json["forecast_errors"] as? [[String: Any]])
    let readings = try #require(try run.json["forecast_readings"] as? [[String: Any]])
    for method in ["forecast", "last-reading"] {
      let row = try #require(
        errors.first { $0["method"] as? String == method && $0["horizon_min"] as? Double == 30 })
      let own = readings.filter {
        $0["method"] as? String == method && $0["origin_min"] as? Double == 30
          && $0["time_min"] as? Double == 60
      }.compactMap { $0["error_g_per_kg"] as? Double }
      #expect(own.count == 2 && row["n"] as? Int == 2 && row["subjects"] as? Int == 2)
      let mean = try #require(row["mae_g_per_kg"] as? Double)
      #expect(abs(mean - own.reduce(0) { $0 + abs($1) } / 2) < 1e-9)
      #expect(abs(try #require(row["mae_g_per_l"] as? Double) - 1.055 * mean) < 1e-9)
    }
    // From 15 min on the reading at 240 min is the nearest to four hours ahead, from 60 min on that at 300 min.
    let far = errors.filter {
      $0["method"] as? String == "forecast" && $0["horizon_min"] as? Double == 240
    }
    #expect(far.compactMap { $0["n"] as? Int } == [8])
  }

  /// The forecasts of the first person are unchanged, since nobody is completed before; those of the second learn from
  /// the first.
  @Test func priorsLearnFromCompletedPeople() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    func medians(_ options: String...) async throws -> [String: [String]] {
      let run = try await Command.promille(
        ["forecast", study, "--prior", "fed", "--score", "--draws", "300", "--format", "csv"]
          + options)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("2 people are completed") == !options.isEmpty)
      let rows = try CSVText.rows(run.output).filter { $0["method"] == "prior" }
      return Dictionary(grouping: rows) { $0["subject"] ?? "" }.mapValues {
        $0.map { $0["median_min"] ?? "" }
      }
    }
    let alone = try await medians()
    let (before, others) = (
      try await medians("--learn", "before"), try await medians("--learn", "others")
    )
    #expect(before["ann"] == alone["ann"] && before["bob"] != alone["bob"])
    #expect(others["ann"] != alone["ann"] && others["bob"] == before["bob"])
    // Nobody learns from the own series, in whichever study it stands.
    #expect(try await medians("--learn-from", study) == others)
    // Whose last reading is above the threshold is not completed.
    let running = try await Command.promille(
      "forecast", study, "--prior", "fed", "--learn", "others", "--threshold", "0.125", "--format",
      "csv")
    #expect(running.status == 0 && running.errors.contains("1 person is completed"))
  }

  @Test func moreReadingsNarrowTheForecast() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    var widths: [Double] = []
    for after in ["first:0", "first:3", "200"] {
      let run = try await Command.promille(
        "forecast", study, "--prior", "fed", "--after", after, "--at", "260", "--format", "json")
      #expect(run.status == 0, "\(run.errors)")
      let rows = try #require(try run.json["forecasts"] as? [[String: Any]])
      let row = try #require(rows.first)
      let high = try #require(row["high_90_min"] as? Double)
      widths.append(high - (try #require(row["low_90_min"] as? Double)))
      let chance = try #require(row["probability_below"] as? Double)
      #expect((0...1).contains(chance))
      #expect((try run.json["forecast_curve"] as? [Any])?.isEmpty == false)
    }
    #expect(widths == widths.sorted(by: >))
  }

  private static func numbers(
    _ study: String, seed: Int = 1
  ) async throws -> (rows: [[String: Any]], curve: [[String: Any]]) {
    let run = try await Command.promille(
      "forecast", study, "--prior", "fed", "--after", "first:4", "--at", "260", "--format", "json",
      "--seed", "\(seed)")
    #expect(run.status == 0, "\(run.errors)")
    return (
      try #require(try run.json["forecasts"] as? [[String: Any]]),
      try #require(try run.json["forecast_curve"] as? [[String: Any]])
    )
  }

  /// Draws do not depend on what a conversion leaves of a reading, nor do digits say more than draws know.
  @Test func forecastIsInsensitiveToRoundingOfReadings() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let known = try await Self.numbers(study)
    let path = study + "/readings.csv"
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    for (unit, change) in [
      ("bac_g_per_kg", { (level: Double) in level.nextUp }),
      ("bac_g_per_l", { (level: Double) in level * 1.055 }),
    ] {
      let other = try lines.enumerated().map { index, line -> String in
        guard index > 0 else { return "subject,time_min,\(unit)" }
        let cells = line.split(separator: ",")
        return "\(cells[0]),\(cells[1]),\(change(try #require(Double(cells[2]))))"
      }
      try other.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
      let twin = try await Self.numbers(study)
      for (one, other) in zip(known.rows + known.curve, twin.rows + twin.curve) {
        for (name, value) in one {
          guard let value = value as? Double else { continue }
          let same = try #require(other[name] as? Double, "\(name)")
          #expect(agree(value, same, relative: 1e-6), "\(unit) \(name): \(value) \(same)")
        }
      }
      #expect(known.curve.count == twin.curve.count)
    }
    // A number to 1e-5 g/kg at the most.
    for row in known.curve {
      let median = try #require(row["median_g_per_kg"] as? Double)
      #expect(abs(median * 1e6 - (median * 1e6).rounded()) < 1e-6, "\(median)")
    }
  }

  /// Over seeds the median and the end of the interval spread as their standard errors say.
  @Test func monteCarloErrorsMatchSpreadOverSeeds() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    var numbers: [String: [Double]] = [:]
    for seed in 1...16 {
      let row = try #require(try await Self.numbers(study, seed: seed).rows.first)
      for name in ["median_min", "median_se_min", "not_before_min", "not_before_se_min"] {
        numbers[name, default: []].append(try #require(row[name] as? Double))
      }
    }
    for name in ["median", "not_before"] {
      let values = try #require(numbers["\(name)_min"])
      let errors = try #require(numbers["\(name)_se_min"])
      let mean = values.reduce(0, +) / 16
      let spread = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 15).squareRoot()
      let said = (errors.reduce(0) { $0 + $1 * $1 } / 16).squareRoot()
      #expect((0.4...2.5).contains(spread / said), "\(name): \(spread), said \(said)")
    }
  }

  @Test func wrongUsesAreReported() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let missing = try await Command.promille("forecast", study)
    #expect(missing.status == 64 && missing.errors.contains("E_OPTION"))
    for (options, word) in [
      (["--prior", "nobody.json"], "E_FILE_UNREADABLE"), (["--prior", study], "E_FILE_UNREADABLE"),
      (["--prior", "fed", "--after", "first:-1"], "first:N"),
      (["--prior", "fed", "--threshold", "-1"], "--threshold"),
      (["--prior", "fed", "--draws", "3"], "--draws"),
      (["--prior", "fed", "--score", "--after", "first:2"], "--score"),
      (["--prior", "fed", "--holdout", "subject", "--prior-from", study], "--holdout"),
      (["--prior", "fed", "--holdout", "subject", "--learn", "others"], "--learn"),
    ] {
      let run = try await Command.promille(["forecast", study] + options)
      #expect(run.status != 0 && run.errors.contains(word), "\(options): \(run.errors)")
    }
  }

  /// Forecasts for a subject of unknown sex mix both sexes, with a warning.
  @Test(arguments: ["fasted", "fed", "unknown"])
  func peopleOfUnknownSexAreForecast(prior: String) async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    try "subject,weight_kg\nann,62\nbob,80\n".write(
      toFile: study + "/subjects.csv", atomically: true, encoding: .utf8)
    let run = try await Command.promille(
      "forecast", study, "--prior", prior, "--after", "first:4", "--format", "table")
    #expect(run.status == 0, "\(run.errors)")
    let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("W_PRIOR_OUTSIDE") && words.contains("sex unknown"))
    let fit = try await Command.promille("fit", study, "--prior", prior, "--format", "csv")
    #expect(fit.status == 0, "\(fit.errors)")
    #expect(
      try CSVText.rows(fit.output).allSatisfy {
        $0["warnings"]?.contains("W_PRIOR_OUTSIDE") == true
      })
  }

  @Test func fitsAcceptAPrior() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let fit = try await Command.promille("fit", study, "--prior", "fed", "--format", "csv")
    #expect(fit.status == 0, "\(fit.errors)")
    let rows = try CSVText.rows(fit.output)
    #expect(rows.count == 2)
    for row in rows {
      let ratio = try #require(Double(row["ka_sd_over_prior_sd"] ?? ""))
      #expect(ratio > 0 && ratio < 1)
      #expect(row["beta_sd_over_prior_sd"] != "")
    }
    // Row by row and all at once are the same.
    let whole = try await Command.promille(
      "fit", study, "--prior", "fed", "--format", "json", "-q")
    let posterior = try #require(try whole.json["posterior"] as? [[String: Any]])
    #expect(posterior.count == 8)
    #expect(
      posterior.allSatisfy { ["determined", "prior-dominated"].contains($0["verdict"] as? String) })
    let both = try await Command.promille("fit", study, "--prior", "fed", "--estimate", "ka")
    #expect(both.status == 64)
  }

  /// The output of `population` is a prior: the same data by another way give the same row.
  @Test func populationResultsAreReadAsPriors() async throws {
    let folder = try TemporaryFolder()
    var small = SmallStudy()
    small.subjects = "subject,sex,weight_kg\n"
    small.drinks = "subject,time_min,ethanol_g\n"
    small.readings = "subject,time_min,bac_g_per_kg\n"
    for (index, factor) in [1.2, 1, 0.9, 1.1, 0.95].enumerated() {
      small.subjects += "p\(index),male,80\n"
      small.drinks += "p\(index),0,45\n"
      for (minute, level) in [(15, 0.35), (30, 0.652), (60, 0.675), (120, 0.540), (180, 0.390)] {
        small.readings += "p\(index),\(minute),\(factor * level)\n"
      }
    }
    let study = try small.write(to: folder)
    let made = try await Command.promille(
      "population", study, "--random", "ka,beta,r", "--starts", "1", "-o", folder("p.json"))
    #expect(made.status == 0, "\(made.errors)")
    let fit = try await Command.promille(
      "fit", study, "--prior", folder("p.json"), "--format", "csv")
    #expect(fit.status == 0, "\(fit.errors)")
    let replay = try await Command.promille(
      "forecast", study, "--prior", folder("p.json"), "--holdout", "subject", "--score",
      "--threshold", "0.45", "--format", "csv")
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(try CSVText.rows(replay.output).count > 50)
  }
}
