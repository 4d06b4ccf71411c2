import Foundation
import TestSupport
import Testing

/// `promille export`: what is written is the study.
@Suite struct ExportTests {
  private let folder: TemporaryFolder
  private let study = PackageFolder.dataset("nacar-2021")

  init() throws {
    folder = try TemporaryFolder()
  }

  /// What a command says of a study, but for its name.
  private func fit(_ study: String) async throws -> String {
    try await Command.promille("fit", study, "--estimate", "ka,beta,r").output
  }

  @Test(arguments: ["csv", "sqlite"])
  func whatIsWrittenGivesTheSameFit(_ target: String) async throws {
    let done = try await Command.promille("export", study, "--to", target, "-o", folder("out"))
    #expect(done.status == 0 && done.output.isEmpty)
    // The readings are known to be no concentrations.
    #expect(done.complaints.allSatisfy { $0.contains("W_READING_SCALE") })
    #expect(try await fit(folder("out")) == fit(study))
    #expect(try folder.contents == ["out"])
  }

  @Test func aDatabaseBecomesAFolderAgain() async throws {
    _ = try await Command.promille("export", study, "--to", "sqlite", "-o", folder("a.sqlite"))
    _ = try await Command.promille("export", folder("a.sqlite"), "--to", "csv", "-o", folder("b"))
    _ = try await Command.promille("export", study, "--to", "csv", "-o", folder("c"))
    for file in ["subjects.csv", "drinks.csv", "readings.csv", "datapackage.json"] {
      #expect(try folder.read("b/\(file)") == folder.read("c/\(file)"))
    }
  }

  /// UUIDs that a study gives come back from every form, and a database knows its records by them.
  @Test(arguments: ["csv", "sqlite", "nonmem"])
  func givenUUIDsComeBack(_ target: String) async throws {
    var small = SmallStudy()
    small.drinks = """
      subject,time_min,ethanol_g,uuid
      ann,0,30,5D3B6F8E-0B1C-4C8E-9A55-9E6F3C1D2B40
      bob,0,40,
      cem,0,40,
      """
    small.readings = """
      subject,time_min,bac_g_per_kg,uuid
      ann,60,0.675,
      bob,60,0.675,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b41
      bob,120,0.54,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b42
      cem,60,0.675,
      """
    let place = try small.write(to: folder)
    let database = folder("study.sqlite")
    _ = try await Command.promille("import", place, "--into", database)
    let out = folder("out")
    #expect(
      try await Command.promille("export", database, "--to", target, "-o", out).status == 0)
    let json = try await Command.promille("export", database, "--to", "json").output
    #expect(json.contains("\"5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40\""))
    let ofOut = try await Command.promille("export", out, "--to", "json").output
    #expect(ofOut.components(separatedBy: "5d3b6f8e").count == 4)
    let again = try await Command.promille("import", out, "--into", database)
    #expect(try again.rows.map { $0["added"] } == ["0", "0", "0", "0"])
    #expect(try again.rows.map { $0["changed"] } == ["0", "0", "0", "0"])
    small.readings = small.readings.replacing("bob,120", with: "bob,125")
    let corrected = try await Command.promille(
      "import", try small.write(to: folder, as: "corrected"), "--into", database)
    #expect(try corrected.rows.map { $0["changed"] } == ["0", "0", "1", "0"])
  }

  /// From one database to another goes all there is.
  @Test func aDatabaseIsCopiedWhole() async throws {
    let (first, second) = (folder("a.sqlite"), folder("b.sqlite"))
    _ = try await Command.promille("import", study, "--into", first)
    _ = try await Command.promille("fit", first, "--store", first)
    _ = try await Command.promille("vitals", first, "--set-above", "HeartRate=90")
    let done = try await Command.promille("export", first, "--to", "sqlite", "-o", second)
    #expect(done.status == 0 && done.output.isEmpty, "\(done.errors)")
    for command in [["runs", "--show", "1"], ["vitals", "--settings"], ["check"], ["fit"]] {
      let ofFirst = try await Command.promille([command[0], first] + command.dropFirst())
      let ofSecond = try await Command.promille([command[0], second] + command.dropFirst())
      #expect(ofFirst.status == 0)
      #expect(ofSecond == ofFirst)
    }
    #expect(try folder.contents == ["a.sqlite", "b.sqlite"])
    let nowhere = try await Command.promille(
      "export", first, "--to", "sqlite", "-o", folder("nowhere/b.sqlite"))
    #expect(nowhere.status == 73)
    #expect(nowhere.errors.contains("error E_STORE_NOT_MADE: "), "\(nowhere.errors)")
  }

  @Test func jsonHoldsEverything() async throws {
    let document = try await Command.promille("export", study, "--to", "json").json
    let series = try #require(document["series"] as? [[String: Any]])
    #expect(series.count == 4)
    let readings = series.compactMap { $0["readings"] as? [[String: Any]] }
    #expect(readings.map(\.count) == [20, 18, 21, 27])
    #expect(readings[0][1]["time_min"] as? Double == 10)
    #expect(readings[0][1]["value"] as? Double == 2.45)
    #expect(readings[0][1]["unit"] as? String == "bac_g_per_kg")
  }

  @Test func petabHasBothTables() async throws {
    _ = try await Command.promille("export", study, "--to", "petab", "-o", folder("out"))
    let measurements = try folder.read("out/measurements.tsv").split(separator: "\n")
    #expect(measurements.count == 87)
    #expect(measurements[0] == "observableId\tsimulationConditionId\tmeasurement\ttime")
    #expect(measurements[4] == "bac_g_per_kg\tc1\t2.17\t0.5")
    let conditions = try folder.read("out/conditions.tsv").split(separator: "\n")
    #expect(conditions.count == 5)
    #expect(conditions[1].hasPrefix("c1\t1\t1.0\t23.0\t1.8\t76.0\t0.0\t0.0\t17.358"))
    #expect(Set(conditions.map { $0.split(separator: "\t").count }) == [12])
  }

  @Test(arguments: ["csv", "sqlite", "petab"])
  func nothingIsWrittenOver(_ target: String) async throws {
    try folder.write("mine", to: "out")
    let done = try await Command.promille("export", study, "--to", target, "-o", folder("out"))
    #expect(done.status == 73)
    #expect(done.errors.contains("E_OUTPUT"))
    #expect(try folder.read("out") == "mine")
  }

  @Test func aFolderWithoutPlaceIsNotMade() async throws {
    let done = try await Command.promille(
      "export", study, "--to", "csv", "-o", folder("nowhere/out"))
    #expect(done.status == 73)
    #expect(try folder.contents.isEmpty)
  }
}
