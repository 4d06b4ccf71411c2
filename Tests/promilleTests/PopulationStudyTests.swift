import Foundation
import TestSupport
import Testing

/// `promille population` on several studies.
@Suite struct PopulationStudyTests {
  /// Two folders, in whose names studies are told apart; both have a subject 1.
  private static func studies(_ folder: TemporaryFolder) throws -> [String] {
    try [("one", 0.12, 0), ("two", 0.2, 7)].map { name, beta, salt in
      var drinks = "subject,time_min,ethanol_g_per_kg\n"
      var readings = "subject,time_min,bac_g_per_kg\n"
      for person in 1...6 {
        drinks += "\(person),0,0.7\n"
        for (index, time) in [0.4, 1, 2, 3, 4].enumerated() {
          let error = 0.01 * Double((person * 5 + index * 3 + salt) % 7 - 3)
          let own = beta * (1 + 0.02 * Double(person % 3 - 1))
          let r = 0.65 * (1 + 0.03 * Double(person % 4 - 2))
          let level = 0.7 / r * (1 - exp(-3 * time)) - own * time + error
          readings += "\(person),\(60 * time),\(level)\n"
        }
      }
      try FileManager.default.createDirectory(
        atPath: folder(name), withIntermediateDirectories: true)
      try folder.write("subject\n1\n2\n3\n4\n5\n6\n", to: "\(name)/subjects.csv")
      try folder.write(drinks, to: "\(name)/drinks.csv")
      try folder.write(readings, to: "\(name)/readings.csv")
      return folder(name)
    }
  }

  private static let options = [
    "--common", "ka", "--random", "beta,r", "-q", "--format", "json",
  ]

  @Test func spreadBetweenStudiesIsEstimated() async throws {
    let folder = try TemporaryFolder()
    let studies = try Self.studies(folder)
    let nested = try await Command.promille(
      ["population"] + studies + ["--study-level", "beta", "--starts", "1"] + Self.options)
    #expect(nested.status == 0, "\(nested.errors)")
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(nested.output.utf8)) as? [String: Any])
    let rows = try #require(document["studies"] as? [[String: Any]])
    #expect(rows.map { $0["parameter"] as? String } == ["beta"])
    // ln(0.2 / 0.12) / 2, squared.
    let variance = try #require(rows[0]["variance"] as? Double)
    #expect(variance > 0.03 && variance < 0.12, "\(variance)")
    let people = try #require(document["individuals"] as? [[String: Any]])
    #expect(people.first?["subject"] as? String == "one/1")
    #expect(people.last?["subject"] as? String == "two/6")

    // What was written is read again; whoever is not of one of the studies differs by both variances.
    try folder.write(nested.output, to: "population.json")
    let again = try await Command.promille(
      ["population"] + studies
        + ["--study-level", "beta", "--evaluate", folder("population.json")] + Self.options)
    func objective(_ text: String) throws -> Double {
      let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      let row = (document?["population"] as? [[String: Any]])?.first
      return try #require(row?["ofv"] as? Double)
    }
    #expect(
      abs(try objective(again.output) - (try objective(nested.output))) < 1e-6)
  }

  @Test(arguments: [
    (["one", "--study-level", "beta"], "--study-column"),
    (["one", "two", "--study-column", "site"], "--study-level"),
    (["one", "one", "--study-level", "all"], "named twice"),
    (["one", "two", "--study-level", "beta", "--method", "quadrature"], "quadrature"),
    (["one", "two", "--study-level", "ka"], "ka"),
    (["one", "--study-level", "beta", "--study-column", "site"], "site"),
  ])
  func impossibleStudyOptionsAreRefused(_ arguments: [String], _ name: String) async throws {
    let folder = try TemporaryFolder()
    _ = try Self.studies(folder)
    let named = arguments.map { ["one", "two"].contains($0) ? folder($0) : $0 }
    let run = try await Command.promille(["population"] + named + Self.options)
    #expect(run.status == 64)
    #expect(run.errors.contains(name), "\(run.errors)")
  }
}
