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

  @Test func forecastsAreTheSameForAnyThreads() async throws {
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
    // The truth lies between the readings at 240 and 300 min.
    #expect(rows.allSatisfy { $0["truth_from_min"] == "240.0" && $0["truth_to_min"] == "300.0" })
  }

  @Test func moreReadingsMakeItNarrower() async throws {
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
  @Test func noLastBitOfAReadingIsForecast() async throws {
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
  @Test func monteCarloErrorsAreHonest() async throws {
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

  @Test func registeredForecastsAreScoredUnlessTheyWereChanged() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let made = try await Command.promille(
      "forecast", study, "--prior", "fed", "--after", "first:4", "--register", folder("f.json"))
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("SHA-256"))
    let scored = try await Command.promille(
      "forecast", folder("f.json"), "--score", "--format", "csv")
    #expect(scored.status == 0, "\(scored.errors)")
    let rows = try CSVText.rows(scored.output)
    #expect(rows.count == 2 && rows.allSatisfy { $0["origin_readings"] == "4" })
    let text = try folder.read("f.json").replacingOccurrences(
      of: "quantilesMin", with: "quantilesMax")
    try text.write(toFile: folder("g.json"), atomically: true, encoding: .utf8)
    let refused = try await Command.promille("forecast", folder("g.json"), "--score")
    #expect(refused.status == 65 && refused.errors.contains("E_FORECAST_CHANGED"))
    // Later readings may be added; those that were known may not be changed.
    let path = study + "/readings.csv"
    let readings = try String(contentsOfFile: path, encoding: .utf8)
    try readings.replacingOccurrences(of: "ann,30,", with: "ann,31,")
      .write(toFile: path, atomically: true, encoding: .utf8)
    let other = try await Command.promille(
      "forecast", folder("f.json"), "--score", "--format", "table")
    let words = other.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(other.status == 1 && words.contains("when the forecast was registered"))
  }

  /// A digest proves who wrote a file only to those who know it: it can be made anew.
  @Test func damagedRegisteredForecastsSaySo() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let made = try await Command.promille(
      "forecast", study, "--prior", "fed", "--after", "first:4", "--draws", "100", "--register",
      folder("f.json"))
    #expect(made.status == 0, "\(made.errors)")
    let text = try folder.read("f.json")
    func score(_ text: String, _ arguments: String...) async throws -> Outcome {
      try folder.write(text, to: "g.json")
      return try await Command.promille(["forecast", folder("g.json"), "--score"] + arguments)
    }
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let content = try #require(document["content"] as? String)
    func resigned(_ change: (inout [String: Any]) -> Void) throws -> String {
      var whole = try #require(
        try JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Any])
      change(&whole)
      let bytes = try JSONSerialization.data(withJSONObject: whole, options: .sortedKeys)
      let sha256 = bytes.withUnsafeBytes(SHA256.hexDigest)
      let object = ["content": String(decoding: bytes, as: UTF8.self), "sha256": sha256]
      return String(
        decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys),
        as: UTF8.self)
    }
    func forecasts(_ change: @escaping (inout [String: Any]) -> Void) throws -> String {
      try resigned { whole in
        whole["forecasts"] = (whole["forecasts"] as? [[String: Any]])?.map { one in
          var one = one
          change(&one)
          return one
        }
      }
    }
    #expect(try await score(try resigned { _ in }).status == 0)
    let damaged = [
      String(text.prefix(3000)), String(text.prefix(60)), text.replacing("fed", with: "fad"),
      try resigned { $0["kind"] = "x" }, try resigned { $0["forecasts"] = nil },
      try resigned { $0["thresholdGPerKg"] = -1 },
      try forecasts { $0["quantilesMin"] = [Double]() },
      try forecasts { $0["quantilesMin"] = [1.0] },
      try forecasts { $0["quantilesMin"] = nil },
      try forecasts {
        $0["quantilesMin"] = Array((($0["quantilesMin"] as? [Double]) ?? []).reversed())
      },
      try forecasts { $0["subject"] = "bob" }, try forecasts { $0["known"] = nil },
    ]
    for text in damaged {
      let run = try await score(text)
      #expect(run.status == 65, "\(text.prefix(80)): \(run.status) \(run.errors)")
      #expect(run.errors.contains("error E_FORECAST_CHANGED: "))
    }
    // What was registered is not asked for anew.
    let other = try await score(text, "--threshold", "0.5")
    #expect(other.status == 64 && other.errors.contains("--threshold: not used"))
    let bare = try await Command.promille("forecast", folder("f.json"), "--prior", "fed")
    #expect(bare.status == 64 && bare.errors.contains("add --score"))
  }

  @Test func saysWhatIsWrong() async throws {
    let folder = try TemporaryFolder()
    let study = try study(folder)
    let missing = try await Command.promille("forecast", study)
    #expect(missing.status == 64 && missing.errors.contains("E_PRIOR_MISSING"))
    for (options, word) in [
      (["--prior", "nobody.json"], "E_POPULATION_FILE"), (["--prior", study], "E_POPULATION_FILE"),
      (["--prior", "fed", "--after", "first:-1"], "first:N"),
      (["--prior", "fed", "--threshold", "-1"], "--threshold"),
      (["--prior", "fed", "--draws", "3"], "--draws"),
      (["--prior", "fed", "--score", "--after", "first:2"], "--score"),
      (["--prior", "fed", "--holdout", "subject", "--prior-from", study], "--holdout"),
    ] {
      let run = try await Command.promille(["forecast", study] + options)
      #expect(run.status != 0 && run.errors.contains(word), "\(options): \(run.errors)")
    }
  }

  /// Of somebody whose sex is unknown both are believed, and that is said.
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

  @Test func fitsTakeAPrior() async throws {
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

  /// What population writes is a prior; so the same data by another door give the same row.
  @Test func populationsArePriors() async throws {
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
