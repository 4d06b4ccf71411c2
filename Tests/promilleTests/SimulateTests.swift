import Foundation
import TestSupport
import Testing

@Suite struct SimulateTests {
  @Test func drinksOnTheCommandLineNeedNoStudy() async throws {
    let run = try await Command.promille(
      "simulate", "--drinks", "0:500ml@4.4%, 55:20ml@40%", "--sex", "male", "--age", "30",
      "--height", "180", "--weight", "80", "--r-factor", "0.7", "--ka", "6", "--beta", "0.15",
      "--every", "30", "--until", "120")
    #expect(run.status == 0)
    // 17.358 g and 6.312 g in 80 kg x 0.7, by the formula, before the blood is empty.
    let expected = [0, 30, 60, 90, 120].map { (minutes: Double) -> Double in
      let absorbed = [(0.0, 17.358), (55, 6.312)].reduce(0) { sum, drink in
        minutes < drink.0 ? sum : sum + drink.1 * (1 - exp(-6 * (minutes - drink.0) / 60))
      }
      return absorbed / 56 - 0.15 * minutes / 60
    }
    let values = try run.rows.map { Double($0["bac_g_per_kg"] ?? "") ?? .nan }
    #expect(try run.rows.map { $0["time_min"] } == ["0", "30", "60", "90", "120"])
    #expect(zip(values, expected).allSatisfy { abs($0 - $1) < 1e-12 })
    #expect(values.count == expected.count)
  }

  @Test(arguments: [("m", "male"), ("F", "female")])
  func sexMayBeALetter(letter: String, word: String) async throws {
    func run(_ sex: String) async throws -> String {
      try await Command.promille(
        "simulate", "--drinks", "0:500ml@4.4%", "--sex", sex, "--age", "30", "--height", "180",
        "--weight", "80", "--every", "30", "--until", "120"
      ).output
    }
    let curve = try await run(word)
    #expect(!curve.isEmpty)
    #expect(try await run(letter) == curve)
  }

  /// The band stands beside the same curve, which goes on until the band ends.
  @Test func bandsAccompanyCurves() async throws {
    let person = [
      "simulate", "--drinks", "0:500ml@4.4%", "--sex", "male", "--age", "30", "--height", "180",
      "--weight", "80", "--every", "10", "--r-factor",
    ]
    let plain = try await Command.promille(person + ["widmark"]).rows
    let rows = try await Command.promille(person + ["widmark", "--band"]).rows
    let last = try #require(rows.last?["bac_high_g_per_kg"].flatMap(Double.init))
    #expect(rows.count > plain.count && last < 0.02)
    for (row, bare) in zip(rows, plain) {
      #expect(bare.allSatisfy { row[$0.key] == $0.value } && bare["bac_low_g_per_kg"] == nil)
    }
    for row in rows {
      let low = try #require(row["bac_low_g_per_kg"].flatMap(Double.init))
      let high = try #require(row["bac_high_g_per_kg"].flatMap(Double.init))
      #expect(0 <= low && low <= high)
    }
    // Where nothing is known to spread, there is no band.
    let known = try await Command.promille(
      person + ["0.7", "--ka", "4", "--beta", "0.15", "--band"]
    ).rows
    #expect(known.allSatisfy { $0["bac_low_g_per_kg"] == "" && $0["bac_high_g_per_kg"] == "" })
    let folder = try TemporaryFolder()
    for options in [["--cohort", "3", "-o", folder("cohort")], ["datasets/nacar-2021", "--plot"]] {
      let refused = try await Command.promille(["simulate", "--band"] + options)
      #expect(refused.status == 64 && refused.errors.contains("--band"))
    }
  }

  @Test func curvesAreDrawnInCharacters() async throws {
    let run = try await Command.promille(
      "simulate", "--drinks", "0:500ml@4.4%", "--sex", "male", "--age", "30", "--height", "180",
      "--weight", "80", "--r-factor", "widmark,seidl", "--plot")
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "1: 1 widmark, 2 seidl (g/kg, hours on the clock of the drinks)")
    #expect(lines.count == 17)
    #expect(lines.contains { $0.contains("111") } && lines.contains { $0.contains("222") })
    #expect(lines.allSatisfy { $0.count <= 100 })
    let folder = try TemporaryFolder()
    let cohort = try await Command.promille(
      "simulate", "--cohort", "3", "-o", folder("cohort"), "--plot")
    #expect(cohort.status == 64)
  }

  @Test func curvesEndAtSobriety() async throws {
    let run = try await Command.promille("simulate", "datasets/nacar-2021", "--every", "10")
    #expect(run.status == 0)
    let curves = Dictionary(grouping: try run.rows) {
      "\($0["subject"] ?? "")/\($0["r_factor"] ?? "")"
    }
    #expect(!curves.isEmpty)
    for curve in curves.values {
      let values = curve.map { Double($0["bac_g_per_kg"] ?? "") ?? .nan }
      #expect(values.last == 0)
      #expect(values.dropLast().last ?? 0 > 0)
    }
  }

  @Test func equalSeedsGiveEqualCohorts() async throws {
    let folder = try TemporaryFolder()
    for (name, seed, subjects) in [("a", "3", "20"), ("b", "3", "20"), ("c", "4", "20")] {
      let run = try await Command.promille(
        "simulate", "--cohort", subjects, "--seed", seed, "--readings", "7", "-o", folder(name))
      #expect(run.status == 0)
      #expect(run.output.isEmpty && run.errors.isEmpty)
    }
    for file in ["subjects.csv", "drinks.csv", "readings.csv", "truth.csv"] {
      #expect(try folder.read("a/\(file)") == folder.read("b/\(file)"))
      #expect(try folder.read("a/\(file)") != folder.read("c/\(file)"))
    }
    #expect(try CSVText.rows(try folder.read("a/readings.csv")).count == 140)
    let check = try await Command.promille("check", folder("a"))
    #expect(check.status == 0)
    #expect(check.errors.isEmpty)
  }

  @Test func cohortDoesNotOverwriteAFolder() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("there")
    let run = try await Command.promille("simulate", "--cohort", "2", "-o", folder("there"))
    #expect(run.status == 73)
    #expect(run.complaints.first?.contains("E_OUTPUT") == true)
    #expect(try folder.contents == ["there"])
  }

  @Test(arguments: [
    ["simulate"], ["simulate", "--cohort", "3"], ["simulate", "x", "--drinks", "0:3g"],
    ["simulate", "--drinks", "0:3"], ["simulate", "--drinks", "x:3g"],
    ["simulate", "--drinks", "0:3ml"], ["simulate", "--drinks", "0:-3g"],
    ["simulate", "--drinks", "0:3g", "--every", "0"],
    ["simulate", "--drinks", "0:3g", "--until", "late"],
    ["simulate", "--drinks", "0:3g", "--weight", "800"],
    ["simulate", "--cohort", "0", "-o", "x"],
    ["simulate", "--cohort", "3", "-o", "x", "--every", "1e308"],
    ["simulate", "--cohort", "3", "-o", "x", "--r-spread", "1e3"],
    ["simulate", "--cohort", "3", "-o", "x", "--noise", "1e308"],
  ])
  func refusesImpossibleOptions(arguments: [String]) async throws {
    let run = try await Command.promille(arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
  }

  @Test func failedSimulationStatesReason() async throws {
    let run = try await Command.promille("simulate", "--drinks", "0:30g", "--r-factor", "watson")
    #expect(run.status == 1)
    #expect(run.errors.contains("watson: E_"))
  }
}
