import Foundation
import TestSupport
import Testing

/// `promille regress FOLDER`, on the golden results of the package and on some that tests make.
@Suite struct GoldenResultTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
    try folder.makeFolder("study/golden")
  }

  private func writeManifest(_ results: String...) throws {
    try folder.write(
      "{\"results\": [\(results.joined(separator: ", "))]}", to: "study/golden/manifest.json")
  }

  private func result(
    _ file: String, _ command: String, key: String = "\"subject\"", _ more: String = ""
  ) -> String {
    let words = command.split(separator: " ").map { "\"\($0)\"" }.joined(separator: ", ")
    return "{\"file\": \"\(file)\", \"command\": [\(words)], \"key\": [\(key)]\(more)}"
  }

  private static let sober = "sober {study} --r-factor widmark"

  // MARK: The package's own

  @Test func datasetsMatchGoldenResults() async throws {
    let run = try await Command.promille("regress", "datasets", "--format", "table")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  /// Studies that do not ship are passed over where they are absent; the rest has to hold anywhere.
  @Test func testStudiesMatchGoldenResults() async throws {
    let run = try await Command.promille(
      "regress", "Tests/Golden", "--studies", PackageFolder.shared(""), "--format", "table")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for table in ["cohort/recovery.csv", "worked-examples/r.csv", "nist/certification.csv"] {
      #expect(run.output.contains(table), "\(run.output)")
    }
  }

  /// Bars that no update of golden numbers may lower: the truth is recovered without bias to speak
  /// of, and 95 % intervals hold it about as often.
  @Test(arguments: ["cohort/golden/recovery", "cohort-lod/golden/recovery"])
  func cohortsRecoverTheTruth(_ name: String) throws {
    let file = PackageFolder.root.appending(path: "Tests/Golden/\(name).csv")
    let rows = try CSVText.rows(try String(contentsOf: file, encoding: .utf8))
    #expect(rows.map { $0["parameter"] } == ["ka_per_h", "beta_g_per_kg_h", "r"])
    let bars = [0.25, 0.003, 0.015]
    for (row, bar) in zip(rows, bars) {
      let number = { (column: String) in try #require(Double(row[column] ?? "")) }
      #expect(try number("n") >= 37)
      #expect(try abs(number("bias")) < bar)
      #expect(try number("covered") / number("intervals") > 0.88)
    }
  }

  // MARK: Drift

  @Test func updateWritesMissingGoldenTables() async throws {
    try writeManifest(result("sober.csv", Self.sober), result("fit.csv", "fit {study}"))
    let before = try await Command.promille("regress", study)
    #expect(before.status == 66)
    #expect(before.errors.contains("study/golden/sober.csv: error E_FILE_MISSING: "))
    let update = try await Command.promille("regress", study, "--update")
    #expect(update.status == 0)
    #expect(update.output.hasPrefix("Update golden results: 0 values in 3 tables\n"))
    let after = try await Command.promille("regress", study, "--format", "json")
    #expect(after.status == 0)
    #expect((try after.json["drifts"] as? [Any])?.isEmpty == true)
    #expect(
      (try after.json["results"] as? [[String: Any]])?.map { $0["status"] as? String } == [
        "ok", "ok", "ok",
      ])
    #expect(try folder.contents == ["study"])
    let again = try await Command.promille("regress", study, "--update")
    #expect(again.output == "No golden result changes.\n")
  }

  @Test func driftEndsWithOneUntilUpdated() async throws {
    try writeManifest(result("sober.csv", Self.sober))
    _ = try await Command.promille("regress", study, "--update")
    let golden = try folder.read("study/golden/sober.csv")
    let spoilt = golden.replacing(
      ",ok,,widmark,widmark,0.68,", with: ",ok,,widmark,widmark,0.69,")
    try folder.write(spoilt, to: "study/golden/sober.csv")
    let run = try await Command.promille("regress", study, "--format", "csv")
    #expect(run.status == 1)
    #expect(try run.rows.map { $0["old"] } == ["0.69", "0.69"])
    #expect(try run.rows.map { $0["new"] } == ["0.68", "0.68"])
    #expect(run.errors.contains("1 of 2 golden tables are not confirmed"))
    // Only an update writes.
    #expect(try folder.read("study/golden/sober.csv") == spoilt)
    let update = try await Command.promille("regress", study, "--update")
    #expect(update.status == 0)
    #expect(update.output.contains("- r: 2 values, most for subject bob: 0.69 -> 0.68"))
    #expect(try folder.read("study/golden/sober.csv") == golden)
  }

  /// A default that changes is seen, even where it moves no number.
  @Test func optionsArePartOfGoldenResults() async throws {
    try writeManifest(result("sober.csv", Self.sober))
    _ = try await Command.promille("regress", study, "--update")
    let golden = try folder.read("study/golden/options.csv")
    for update in [[], ["--update"]] {
      let over = try await Command.promille(
        ["regress", study, "-o", folder("study/golden/options.csv")] + update)
      #expect(over.status == 73)
    }
    #expect(
      golden.hasPrefix("table,option,value\nsober.csv,command,sober\nsober.csv,study,{study}\n"))
    #expect(golden.contains("\nsober.csv,r_factor,widmark\n"))
    #expect(golden.contains("\nsober.csv,ka_per_h,5.522\n"))
    try folder.write(
      golden.replacing("ka_per_h,5.522", with: "ka_per_h,17.0"), to: "study/golden/options.csv")
    let run = try await Command.promille("regress", study, "--format", "csv")
    #expect(run.status == 1)
    let row = try #require(try run.rows.first)
    #expect(row["row"] == "table sober.csv, option ka_per_h", "\(row)")
    #expect(row["old"] == "17.0" && row["new"] == "5.522")
    try writeManifest(result("options.csv", Self.sober))
    let taken = try await Command.promille("regress", study)
    #expect(taken.status == 65 && taken.errors.contains("choose another name"))
    try writeManifest(result("sober.csv", Self.sober))
    try FileManager.default.removeItem(atPath: folder("study/golden/options.csv"))
    try FileManager.default.createSymbolicLink(
      atPath: folder("study/golden/options.csv"), withDestinationPath: "/etc/passwd")
    let link = try await Command.promille("regress", study)
    #expect(link.status == 65 && link.errors.contains("is a link") && !link.errors.contains("root"))
    try writeManifest()
    #expect(try await Command.promille("regress", study).status == 0)
  }

  @Test func failedSubjectsArePartOfGoldenResults() async throws {
    _ = try SmallStudy.withBadSubject.write(to: folder)
    try writeManifest(
      result(
        "fit.csv", "fit {study}", key: "\"subject\"",
        ", \"columns\": [\"subject\", \"status\", \"reason\"]"))
    #expect(try await Command.promille("regress", study, "--update").status == 0)
    let golden = try folder.read("study/golden/fit.csv")
    #expect(golden.contains("bob,failed,"))
    #expect(try await Command.promille("regress", study).status == 0)
  }

  // MARK: Trouble

  @Test func failedResultLeavesGoldenTablesUnchanged() async throws {
    try writeManifest(result("a.csv", Self.sober), result("b.csv", Self.sober))
    _ = try await Command.promille("regress", study, "--update")
    let golden = try folder.read("study/golden/a.csv")
    try folder.write("subject\n", to: "study/golden/a.csv")
    try writeManifest(result("a.csv", Self.sober), result("b.csv", "fit /nowhere"))
    let run = try await Command.promille("regress", study, "--update")
    #expect(run.status == 1)
    #expect(run.errors.contains("E_GOLDEN: "))
    #expect(run.errors.contains("the command exited with 66"))
    #expect(try folder.read("study/golden/a.csv") == "subject\n")
    #expect(try folder.read("study/golden/b.csv") == golden)
  }

  @Test(arguments: [
    "fit {study} -o /dev/null", "fit {study} -qo /dev/null", "fit {study} --output=/dev/null",
    "fit {study} --format json", "fit {study} --residuals x.csv", "regress {study}",
    "regress --nist --update", "import x", "fit {study} --no-such-option", "--version",
    "fit --help",
  ])
  func manifestsMayOnlyRunResultCommands(_ command: String) async throws {
    try writeManifest(result("a.csv", command))
    let run = try await Command.promille("regress", study, "--update")
    #expect(run.status == 65, "\(run.errors)")
    #expect(run.errors.contains("manifest.json:1:43: error E_FILE_FORMAT: "), "\(run.errors)")
    #expect(try folder.contents == ["study"])
  }

  @Test(arguments: [
    (", \"columns\": [\"subject\", \"nothing\"]", "no column nothing"),
    (
      ", \"tolerances\": [{\"columns\": [\"x\"], \"absolute\": 1, \"reason\": \"in words\"}]",
      "no column x"
    ),
  ])
  func missingGoldenColumnsAreAnError(_ more: String, _ says: String) async throws {
    try writeManifest(result("a.csv", Self.sober, key: "\"subject\"", more))
    let run = try await Command.promille("regress", study, "--update")
    #expect(run.status == 65)
    #expect(run.errors.contains(says))
  }

  @Test(arguments: ["\"status\"", "\"person\""])
  func ambiguousGoldenKeysAreAnError(_ key: String) async throws {
    try writeManifest(result("a.csv", Self.sober, key: key))
    let run = try await Command.promille("regress", study, "--update")
    #expect(run.status == 65)
    #expect(run.errors.contains("several rows of the results have the same"))
  }

  @Test func folderWithoutGoldenResultsEndsWith66() async throws {
    let run = try await Command.promille("regress", folder("study/golden"))
    #expect(run.status == 66)
    #expect(run.errors.contains("error E_FILE_MISSING: "))
  }

  @Test func certificationRefusesFolders() async throws {
    let run = try await Command.promille("regress", "datasets", "--nist")
    #expect(run.status == 64)
    #expect(run.errors.contains("--nist takes no folders"))
  }
}
