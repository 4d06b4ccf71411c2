import TestSupport
import Testing

/// Drinks by name.
@Suite struct DrinkNameTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func study(_ drink: String) throws -> String {
    var study = SmallStudy()
    study.drinks = "subject,time_min,drink,volume_ml\n"
    study.drinks += ["ann", "bob", "cem"].map { "\($0),0,\(drink),500\n" }.joined()
    return try study.write(to: folder)
  }

  @Test func drinkNamesAreBuiltIn() async throws {
    let run = try await Command.promille("check", try study("lager"))
    #expect(run.status == 0)
    #expect(try run.rows.map { $0["ethanol_g"] } == Array(repeating: "19.725", count: 3))
  }

  @Test func ownDrinkCatalogueIsUsed() async throws {
    try folder.write(
      #"[{"id": 1, "name": "nectar", "volumes_ml": [100], "percentage": 10, "type": "wine"}]"#,
      to: "own.json")
    let arguments = ["check", try study("nectar"), "--drinks-catalogue", folder("own.json")]
    let run = try await Command.promille(arguments)
    #expect(try run.rows.map { $0["ethanol_g"] } == Array(repeating: "39.45", count: 3))
    let other = try await Command.promille("check", try study("nectar"))
    #expect(other.status == 65)
    #expect(other.errors.contains("E_DRINK"))
  }

  @Test func badCatalogueEndsWith65() async throws {
    try folder.write("[", to: "own.json")
    let run = try await Command.promille(
      "fit", try study("lager"), "--drinks-catalogue", folder("own.json"))
    #expect(run.status == 65)
    #expect(run.errors.contains("own.json:1:2: error E_FILE_FORMAT: "))
  }
}
