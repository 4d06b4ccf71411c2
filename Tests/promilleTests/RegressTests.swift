import TestSupport
import Testing

/// The output of `promille regress --nist`. Last digits differ from machine to machine, so that numbers are held to
/// bars and only what is stable to a snapshot.
@Suite struct RegressTests {
  private static let columns = [
    "problem", "difficulty", "start", "lre_min", "lre_sd_min", "lre_rss", "iterations", "method",
    "status",
  ]

  @Test func csvHasARowPerSolve() async throws {
    let run = try await Command.promille("regress", "--nist", "--format", "csv")
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.split(separator: "\n").first ?? "" == Self.columns.joined(separator: ","))
    let rows = try run.rows
    let stable = rows.map { row in
      ["problem", "difficulty", "start", "method", "status"].map { row[$0] ?? "" }
        .joined(separator: ",") + "\n"
    }
    try Snapshot.expect(stable.joined(), named: "regress-nist.csv")
    let digits = try rows.map { try #require(Double($0["lre_min"] ?? "")) }
    #expect(digits.count == 54)
    #expect(digits.allSatisfy { (4...11).contains($0) })
    #expect(digits.reduce(0, +) / 54 >= 9.4)
    #expect(rows.allSatisfy { Int($0["iterations"] ?? "") ?? 0 > 0 })
  }

  @Test func tableEndsWithTheAverages() async throws {
    let run = try await Command.promille("regress", "--nist", "--format", "table")
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(lines.contains { $0.hasPrefix("all ") && $0.contains(" 54      54 ") })
    #expect(lines.contains { $0.hasPrefix("solved: 54 of 54") && $0.hasSuffix(": passed") })
    #expect(lines.last?.contains("9.4") == true)
  }

  @Test func jsonHasTheAverages() async throws {
    let run = try await Command.promille("regress", "--nist", "--format", "json")
    #expect(run.status == 0)
    let json = try run.json
    #expect((json["certification"] as? [[String: Any]])?.count == 54)
    let averages = try #require(json["averages"] as? [[String: Any]])
    #expect(averages.map { $0["difficulty"] as? String } == ["lower", "average", "higher", "all"])
    #expect(averages.map { $0["n"] as? Int } == [16, 22, 16, 54])
    let provenance = try #require(json["provenance"] as? [String: Any])
    #expect(provenance["command"] as? String == "regress")
    #expect((provenance["options"] as? [String: Any])?["nist"] as? Bool == true)
    #expect((provenance["inputs"] as? [Any])?.isEmpty == true)
  }

  /// A page that a laboratory can file, with everything that was checked.
  @Test func qualificationIsOnePage() async throws {
    let folder = try TemporaryFolder()
    let place = folder("page.html")
    let run = try await Command.promille(
      "regress", "datasets/nacar-2021", "Tests/Golden/worked-examples", "--report", place)
    #expect(run.status == 0, "\(run.errors)")
    let bare = try await Command.promille(
      "regress", "datasets/nacar-2021", "Tests/Golden/worked-examples")
    #expect(run.output == bare.output)
    let page = try folder.read("page.html")
    #expect(page.hasPrefix("<!DOCTYPE html>") && !page.contains("<script"))
    for part in [
      "Qualification of Promille", "Program, SHA-256", "54 of 54 solved", "all passed",
      "Least squares find certified minima.", "nacar-2021/fit.csv", "worked-examples/r.csv",
      "the examples print five or six digits", "not checked", ">Provenance</h2>",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(page.matches(of: /[0-9a-f]{64}/).count > 10)
  }

  @Test func qualificationNamesFailedChecks() async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy().write(to: folder)
    try folder.makeFolder("study/golden")
    try folder.write(
      #"{"results": [{"file": "a.csv", "command": ["check", "{study}"], "key": ["subject"]}]}"#,
      to: "study/golden/manifest.json")
    #expect(try await Command.promille("regress", study, "--update").status == 0)
    let table = try folder.read("study/golden/a.csv")
    try folder.write(table.replacing("bob", with: "<b>eve"), to: "study/golden/a.csv")
    let run = try await Command.promille("regress", study, "--report", folder("page.html"))
    #expect(run.status == 1)
    let page = try folder.read("page.html")
    #expect(page.contains("Not qualified: 1 of 3 checks failed.") && page.contains("not met"))
    #expect(page.contains(">NO") && !page.contains("<b>eve"))
  }

  @Test func qualificationWithoutGoldenResultsHasNISTOnly() async throws {
    let folder = try TemporaryFolder()
    let run = try await Command.promille("regress", "--report", folder("page.html"))
    #expect(run.status == 0 && run.output.hasPrefix("problem,"), "\(run.errors)")
    #expect(try folder.read("page.html").contains("Qualified: 1 check, all passed."))
  }

  @Test(arguments: [
    ["--engines", "--report", "a.html"], ["--update", "--report", "a.html"],
    ["--report", "a.pdf"], ["--nist", "--people", "5"],
  ])
  func qualificationRefusesOtherOutputs(_ more: [String]) async throws {
    let run = try await Command.promille(["regress", "datasets"] + more)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
  }

  @Test func certificationNeedsNoFiles() async throws {
    let run = try await Command.shell("cd / && promille regress --nist --format csv | wc -l")
    #expect(run.status == 0)
    #expect(run.output.filter(\.isNumber) == "55")
  }

  @Test func regressNeedsAFolderOrNIST() async throws {
    let run = try await Command.promille("regress")
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("--nist"))
  }
}
