import TestSupport
import Testing

/// The food state of a subject selects the typical parameters, unless an option overrides it.
@Suite struct FoodOptionTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    var small = SmallStudy()
    small.subjects = """
      subject,sex,age_y,height_cm,weight_kg,food
      ann,female,30,165,60,fasted
      bob,male,40,180,70,fed
      cem,male,50,175,70,

      """
    study = try small.write(to: folder)
  }

  private func ka(_ options: [String], _ study: String) async throws -> [String] {
    let run = try await Command.promille(
      ["sober", study, "--r-factor", "widmark", "--format", "csv"] + options)
    #expect(run.status == 0)
    return try run.rows.map { "\($0["subject"] ?? "") \($0["ka_per_h"] ?? "")" }
  }

  @Test func foodDecidesParametersBySubject() async throws {
    let expected = ["ann 5.522", "bob 4.65", "cem 5.522"]
    #expect(try await ka([], study) == expected)
    let whole = try await Command.promille(
      "sober", study, "--r-factor", "widmark", "--format", "json")
    #expect(whole.output.contains("\"food\": \"by subject\""))
    #expect(whole.output.contains("\"ka_per_h\": null"))
    let compared = try await Command.promille(
      "compare", study, "--r-factor", "widmark", "--format", "csv")
    #expect(try compared.rows.map { $0["ka_per_h"] } == ["5.522", "4.65", "5.522"])
    let table = try await Command.promille("sober", study, "--details", "--format", "table")
    #expect(table.output.contains("typical of fed people, by what the study says of each subject"))
    for (form, name) in [("csv", "folder"), ("sqlite", "study.sqlite"), ("events", "events.csv")] {
      let run = try await Command.promille("export", study, "--to", form, "-o", folder(name))
      #expect(run.status == 0, "\(run.errors)")
      #expect(try await ka([], folder(name)) == expected, "\(form)")
    }
  }

  /// Held parameters of fits and curves follow, too.
  @Test func foodDecidesFixedParametersOfFitsAndCurves() async throws {
    let fits = try await Command.promille(
      "fit", study, "--estimate", "beta,r", "--interval", "none", "--format", "csv")
    #expect(try fits.rows.map { $0["ka_per_h"] } == ["5.522", "4.65", "5.522"])
    func peak(_ options: [String]) async throws -> [String: String] {
      let run = try await Command.promille(
        ["simulate", study, "--r-factor", "0.7", "--beta", "0.15", "--quiet"] + options)
      return Dictionary(grouping: try run.rows) { $0["subject"] ?? "" }
        .mapValues { rows in
          "\(rows.compactMap { Double($0["bac_g_per_kg"] ?? "") }.max() ?? 0)"
        }
    }
    let (own, fasted, fed) = (
      try await peak([]), try await peak(["--food", "fasted"]), try await peak(["--food", "fed"])
    )
    #expect(own["ann"] == fasted["ann"] && own["bob"] == fed["bob"] && own["cem"] == fasted["cem"])
    #expect(fasted["bob"] != fed["bob"])
  }

  @Test func foodOptionOverridesWithAWarning() async throws {
    for format in ["csv", "json"] {
      let run = try await Command.promille(
        "sober", study, "--r-factor", "widmark", "--food", "fed", "--format", format)
      let told = run.errors.split(separator: "\n").filter { $0.contains("W_FOOD_OVERRIDDEN") }
      #expect(told.count == 1 && told[0].contains("\"ann\" was fasted; --food fed"))
      #expect(format == "csv" || run.output.contains("\"food\": \"fed\""))
    }
    #expect(try await ka(["--food", "fed"], study) == ["ann 4.65", "bob 4.65", "cem 4.65"])
    let preset = try await Command.promille(
      "compare", study, "--preset", "nacar-2021", "--format", "csv")
    #expect(preset.errors.contains("--preset nacar-2021 overrides"))
    // An option that says the same as the study overrides nothing.
    let plain = try SmallStudy().write(to: folder, as: "plain")
    try folder.write("{\"promille\": {\"food\": \"fed\"}}", to: "plain/datapackage.json")
    let same = try await Command.promille("sober", plain, "--food", "fed", "--format", "csv")
    #expect(!same.errors.contains("W_FOOD"))
    #expect(try await ka([], plain) == ["ann 4.65", "bob 4.65", "cem 4.65"])
    let whole = try await Command.promille("sober", plain, "--format", "json")
    #expect(whole.output.contains("\"food\": \"fed\""))
    #expect(whole.output.contains("\"ka_per_h\": 4.65"))
  }

  @Test func checkRefusesUnknownFoodWords() async throws {
    var small = SmallStudy()
    small.subjects = small.subjects.replacing("weight_kg", with: "weight_kg,food")
      .replacing(",60\n", with: ",60,fasting\n").replacing(",70\n", with: ",70,\n")
    let study = try small.write(to: folder, as: "other")
    let run = try await Command.promille("check", study)
    #expect(run.status != 0)
    #expect((run.output + run.errors).contains("E_WORD"))
    #expect((run.output + run.errors).contains("did you mean fasted?"))
  }
}
