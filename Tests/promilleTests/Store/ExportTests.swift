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

  /// The output of `fit` for a study, without the study's name.
  private func fit(_ study: String) async throws -> String {
    try await Command.promille("fit", study, "--estimate", "ka,beta,r").output
  }

  @Test(arguments: ["csv", "sqlite", "json"])
  func exportedStudyGivesTheSameFit(_ target: String) async throws {
    let out = "out.\(target)"
    let done = try await Command.promille("export", study, "--to", target, "-o", folder(out))
    #expect(done.status == 0 && done.output.isEmpty)
    // The readings are known to be no concentrations.
    #expect(
      done.complaints.allSatisfy {
        $0.contains("W_READING_SCALE") || $0.hasPrefix("promille: findings that repeat")
      })
    #expect(try await fit(folder(out)) == fit(study))
    #expect(try folder.contents == [out])
  }

  /// The table of numbers gives the same fits, and a message lists the number of each subject.
  @Test func nonmemHoldsNumbersAndGivesTheSameFits() async throws {
    var small = SmallStudy()
    small.subjects = """
      subject,sex,age_y,height_cm,weight_kg,diet
      ann,female,30,165,60,none
      bob,male,40,180,80,
      """
    small.drinks = """
      subject,occasion,time_min,duration_min,ethanol_g,ethanol_g_per_kg,route
      ann,first,0,15,30,,oral
      ann,2,0,0,,0.5,iv
      bob,first,0,0,40,,oral
      """
    small.readings = """
      subject,occasion,time_min,brac_mg_per_l,lod
      """ + "\n"
      + ["ann,first", "ann,2", "bob,first"].flatMap { series in
        zip([30, 60, 90, 120, 180, 240], [0.20, 0.27, 0.25, 0.21, 0.12, 0.01]).map {
          "\(series),\($0),\($1),0.02\n"
        }
      }.joined()
    let place = try small.write(to: folder)
    let done = try await Command.promille(
      "export", place, "--to", "nonmem", "-o", folder("events.csv"))
    #expect(done.status == 0 && done.output.isEmpty, "\(done.errors)")
    #expect(done.errors.contains(#"ID 1: "ann", ID 2: "bob""#), "\(done.errors)")
    let lines = try folder.read("events.csv").split(separator: "\n")
    for field in lines.dropFirst().flatMap({ $0.split(separator: ",") }) {
      #expect(field == "." || Double(field) != nil, "\(field)")
    }
    let columns = ["status", "n", "ka_per_h", "ka_low", "beta_g_per_kg_h", "beta_high", "rss"]
    let rows = try await [place, folder("events.csv")].asyncMap { study in
      try await Command.promille("fit", study, "--fix", "r=0.65", "--fix", "lag=0").rows
        .map { row in columns.map { row[$0] ?? "" } }
    }
    #expect(rows[0].count == 3 && rows[1].count == 3)
    for (row, again) in zip(rows[0], rows[1]) {
      for (text, other) in zip(row, again) where text != other {
        let (number, same) = (try #require(Double(text)), try #require(Double(other)))
        #expect(abs(number - same) <= 1e-9 * abs(number), "\(text), not \(other)")
      }
    }
  }

  /// Damaged JSON documents are refused with the place of the damage.
  @Test(arguments: [
    ("[]", "the study is not an object"), ("{", "the file is not JSON"), ("{}", "has no series"),
    (#"{"series": [{"subject": {"subject": "a", "sex": "x"}}]}"#, "sex is \"x\""),
    (
      #"{"series": [{"subject": {"subject": "a"}, "readings": [{"time_min": 1, "value": null}]}]}"#,
      "has no value"
    ),
  ])
  func damagedDocumentsAreRefused(_ text: String, _ complaint: String) async throws {
    try folder.write(text, to: "study.json")
    let run = try await Command.promille("fit", folder("study.json"))
    #expect(run.status == 65 && run.output.isEmpty)
    #expect(run.complaints.first?.contains("study.json:1") == true)
    #expect(run.complaints.first?.contains("error E_FILE_FORMAT: ") == true)
    #expect(run.complaints.first?.contains(complaint) == true, "\(run.errors)")
  }

  @Test func databaseIsExportedToAFolder() async throws {
    _ = try await Command.promille("export", study, "--to", "sqlite", "-o", folder("a.sqlite"))
    _ = try await Command.promille("export", folder("a.sqlite"), "--to", "csv", "-o", folder("b"))
    _ = try await Command.promille("export", study, "--to", "csv", "-o", folder("c"))
    for file in ["subjects.csv", "drinks.csv", "readings.csv", "datapackage.json"] {
      #expect(try folder.read("b/\(file)") == folder.read("c/\(file)"))
    }
  }

  /// UUIDs and sources that a study gives come back from every form, and a database knows its records by UUIDs.
  @Test(arguments: ["csv", "sqlite", "events", "json"])
  func givenUUIDsAndSourcesSurviveExport(_ target: String) async throws {
    var small = SmallStudy()
    small.drinks = """
      subject,time_min,ethanol_g,uuid
      ann,0,30,5D3B6F8E-0B1C-4C8E-9A55-9E6F3C1D2B40
      bob,0,40,
      cem,0,40,
      """
    small.readings = """
      subject,time_min,bac_g_per_kg,uuid,source
      ann,60,0.675,,
      bob,60,0.675,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b41,"AL-1, overdue"
      bob,120,0.54,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b42,
      cem,60,0.675,,
      """
    let place = try small.write(to: folder)
    let database = folder("study.sqlite")
    _ = try await Command.promille("import", place, "--into", database)
    let out = folder(target == "json" ? "out.json" : "out")
    #expect(
      try await Command.promille("export", database, "--to", target, "-o", out).status == 0)
    let json = try await Command.promille("export", database, "--to", "json").output
    #expect(json.contains("\"5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40\""))
    let ofOut = try await Command.promille("export", out, "--to", "json").output
    #expect(ofOut.components(separatedBy: "5d3b6f8e").count == 4)
    #expect(ofOut.components(separatedBy: "\"source\": \"AL-1, overdue\"").count == 2)
    #expect(try SchemaChecker().problems(with: ofOut, as: "study.schema.json") == [])
    let again = try await Command.promille("import", out, "--into", database)
    #expect(try again.rows.map { $0["added"] } == ["0", "0", "0"])
    #expect(try again.rows.map { $0["changed"] } == ["0", "0", "0"])
    small.readings = small.readings.replacing("bob,120", with: "bob,125")
    let corrected = try await Command.promille(
      "import", try small.write(to: folder, as: "corrected"), "--into", database)
    #expect(try corrected.rows.map { $0["changed"] } == ["0", "0", "1"])
  }

  /// From one database to another goes all there is.
  @Test func databaseIsCopiedWhole() async throws {
    let (first, second) = (folder("a.sqlite"), folder("b.sqlite"))
    _ = try await Command.promille("import", study, "--into", first)
    let done = try await Command.promille("export", first, "--to", "sqlite", "-o", second)
    #expect(done.status == 0 && done.output.isEmpty, "\(done.errors)")
    for command in [["check"], ["fit"]] {
      let ofFirst = try await Command.promille([command[0], first] + command.dropFirst())
      let ofSecond = try await Command.promille([command[0], second] + command.dropFirst())
      #expect(ofFirst.status == 0)
      #expect(ofSecond == ofFirst)
    }
    #expect(try folder.contents == ["a.sqlite", "b.sqlite"])
    let nowhere = try await Command.promille(
      "export", first, "--to", "sqlite", "-o", folder("nowhere/b.sqlite"))
    #expect(nowhere.status == 73)
    #expect(nowhere.errors.contains("error E_STORE_NOT_WRITABLE: "), "\(nowhere.errors)")
  }

  @Test func jsonExportHoldsTheWholeStudy() async throws {
    let document = try await Command.promille("export", study, "--to", "json").json
    let series = try #require(document["series"] as? [[String: Any]])
    #expect(series.count == 4)
    let readings = series.compactMap { $0["readings"] as? [[String: Any]] }
    #expect(readings.map(\.count) == [20, 18, 21, 27])
    #expect(readings[0][1]["time_min"] as? Double == 10)
    #expect(readings[0][1]["value"] as? Double == 2.45)
    #expect(readings[0][1]["unit"] as? String == "bac_g_per_kg")
  }

  @Test(arguments: ["csv", "sqlite"])
  func exportDoesNotOverwrite(_ target: String) async throws {
    try folder.write("mine", to: "out")
    let done = try await Command.promille("export", study, "--to", target, "-o", folder("out"))
    #expect(done.status == 73)
    #expect(done.errors.contains("E_OUTPUT"))
    #expect(try folder.read("out") == "mine")
  }

  @Test func exportWithoutParentFolderIsRefused() async throws {
    let done = try await Command.promille(
      "export", study, "--to", "csv", "-o", folder("nowhere/out"))
    #expect(done.status == 73)
    #expect(try folder.contents.isEmpty)
  }
}

extension Array {
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
