import Foundation
import TestSupport
import Testing

/// `promille population --r-factor` with several methods.
@Suite struct PopulationRankingTests {
  private static let options = [
    "--random", "beta,r", "--common", "ka", "--starts", "2", "--format", "json",
  ]

  /// Four men and two women, all of whom have an r of 0.7.
  private static func study(_ folder: TemporaryFolder) throws -> String {
    var subjects = "subject,sex,age_y,height_cm,weight_kg\n"
    var drinks = "subject,time_min,ethanol_g_per_kg\n"
    var readings = "subject,time_min,bac_g_per_kg\n"
    for person in 1...6 {
      let sex = person > 4 ? "female" : "male"
      subjects += "p\(person),\(sex),\(20 + 3 * person),\(165 + 3 * person),\(60 + 5 * person)\n"
      drinks += "p\(person),0,0.7\n"
      for (index, time) in [0.4, 1, 2, 3, 4].enumerated() {
        let error = 0.01 * Double((person * 5 + index * 3) % 7 - 3)
        let beta = 0.15 * (1 + 0.08 * Double(person % 3 - 1))
        let r = 0.7 * (1 + 0.06 * Double(person % 4 - 2))
        let level = 0.7 / r * (1 - exp(-3 * time)) - beta * time + error
        readings += "p\(person),\(60 * time),\(level)\n"
      }
    }
    try FileManager.default.createDirectory(
      atPath: folder("study"), withIntermediateDirectories: true)
    try folder.write(subjects, to: "study/subjects.csv")
    try folder.write(drinks, to: "study/drinks.csv")
    try folder.write(readings, to: "study/readings.csv")
    return folder("study")
  }

  private static func rows(_ run: Outcome, _ table: String) throws -> [[String: Any]] {
    let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return try #require(document?[table] as? [[String: Any]])
  }

  @Test func methodsWithoutFormulaForAllAreNotRanked() async throws {
    let folder = try TemporaryFolder()
    let study = try Self.study(folder)
    let run = try await Command.promille(["population", study, "--r-factor", "all"] + Self.options)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("ulrich is not ranked: it has 4 of 6 people."))
    let fits = try Self.rows(run, "population")
    #expect(
      fits.map { $0["r_factor"] as? String } == ["none", "widmark", "watson", "forrest", "seidl"])
    #expect(fits.allSatisfy { $0["people"] as? Int == 6 })
    #expect(fits.count { $0["standing"] as? String == "first" } == 1)
    #expect(fits.allSatisfy { $0["difference"] is Double && $0["first_pct"] is Double })
  }

  /// A sentence and two tables; what a method explains follows from the spreads of r in JSON.
  @Test func tableStatesTheAnswerFirst() async throws {
    let folder = try TemporaryFolder()
    let study = try Self.study(folder)
    let command = ["population", study, "--r-factor", "all"]
    let fits = try Self.rows(try await Command.promille(command + Self.options), "population")
    let spreads = Dictionary(
      uniqueKeysWithValues: try fits.map {
        (try #require($0["r_factor"] as? String), try #require($0["r_spread"] as? Double))
      })
    let table = command + Self.options.dropLast() + ["table"]
    let run = try await Command.promille(table)
    #expect(run.output.hasPrefix("What is typical, and how do people differ? 6 people, "))
    #expect(run.output.contains(" fits best"))
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 25 && lines.allSatisfy { $0.count <= 100 }, "\(run.output)")
    let rows = lines.map { $0.split(separator: " ") }
    for (method, spread) in spreads {
      let row = try #require(rows.first { $0.first ?? "" == method }, "\(method)")
      let none = try #require(spreads["none"])
      let explained = 100 * (1 - spread * spread / (none * none))
      if method != "none" {
        let shown = row.dropFirst().lazy.compactMap { Double($0) }.first
        #expect(abs(try #require(shown) - explained) <= 0.501, "\(row)")
      }
      #expect(rows.count { $0.first ?? "" == method } == 1)
    }
    let detailed = try await Command.promille(table + ["--details"]).output
    #expect(detailed.hasPrefix(lines[0]) && detailed.contains("covariance"))
  }

  @Test func rankedLikelihoodsUseTheSamePeople() async throws {
    let folder = try TemporaryFolder()
    let study = try Self.study(folder)
    let run = try await Command.promille(
      ["population", study, "--r-factor", "none,ulrich", "--diagnostics", "--simulations", "100"]
        + Self.options)
    // Series were left out.
    #expect(run.status == 1, "\(run.errors)")
    let remark = "Not in the ranking, as ulrich cannot be used for them: p5, p6."
    #expect(run.errors.contains(remark), "\(run.errors)")
    #expect(try Self.rows(run, "population").map { $0["people"] as? Int } == [4, 4])
    let leftOut = try Self.rows(run, "left_out")
    #expect(leftOut.map { $0["subject"] as? String } == ["p5", "p6"])
    #expect(leftOut.allSatisfy { $0["r_factor"] as? String == "ulrich" })
  }

  @Test func singleMethodIsNotRanked() async throws {
    let folder = try TemporaryFolder()
    let study = try Self.study(folder)
    let run = try await Command.promille(
      ["population", study, "--r-factor", "seidl"] + Self.options)
    let fit = try #require(try Self.rows(run, "population").first)
    #expect(fit["standing"] is NSNull && fit["difference"] as? Double == 0)
    let typical = try Self.rows(run, "typical")
    #expect(typical.first { $0["parameter"] as? String == "beta" }?["df"] as? Int == 5)
  }
}
