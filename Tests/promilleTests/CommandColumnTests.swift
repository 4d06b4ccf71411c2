import Reporting
import TestSupport
import Testing

@testable import promille

/// The columns of what the command says without the library's reports: of databases and simulations.
/// The article on columns has them, and the schemas.
@Suite struct CommandColumnTests {
  private let folder: TemporaryFolder
  private let database: String

  init() async throws {
    folder = try TemporaryFolder()
    database = folder("study.sqlite")
    _ = try await Command.promille(
      "import", "datasets/nacar-2021", "--into", database, "--quiet")
  }

  /// The table that CSV carries, and the arguments after the database.
  static let commands: [(String, [String])] = [
    ("drinks", ["drinks"]),
    ("imported", ["import", "datasets/nacar-2021", "--into", "DATABASE"]),
  ]

  private static func columns(of table: String) -> [String]? {
    ResultCatalogue.all.commands.flatMap(\.tables).first { $0.name == table }?.columns.map(\.name)
  }

  @Test(arguments: commands)
  func areDocumented(_ table: String, _ command: [String]) async throws {
    let arguments = command.map { $0 == "DATABASE" ? database : $0 }
    let csv = try await Command.promille(arguments + ["--format", "csv", "--quiet"])
    let header = try CSVText.records(csv.output).first
    #expect(header == Self.columns(of: table))
    let json = try await Command.promille(arguments + ["--format", "json", "--quiet"])
    #expect(try SchemaChecker().problems(with: json.output) == [])
  }

  @Test func ofSimulationsAreDocumented() async throws {
    let simulate = ["simulate", "datasets/nacar-2021", "--every", "60"]
    let whole = try await Command.promille(simulate + ["--band"])
    #expect(try CSVText.records(whole.output).first == Self.columns(of: "simulated"))
    let bare = try await Command.promille(simulate)
    let band = ["bac_low_g_per_kg", "bac_high_g_per_kg"]
    #expect(
      try CSVText.records(bare.output).first
        == Self.columns(of: "simulated")?.filter { !band.contains($0) })
  }

  @Test func studiesFollowTheirSchema() async throws {
    let run = try await Command.promille("export", "datasets/nacar-2021", "--to", "json")
    let checker = try SchemaChecker()
    #expect(try checker.problems(with: run.output) == [])
    for (right, wrong) in [("\"ethanol_g\"", "\"ethanol\""), ("false}", "\"no\"}")] {
      #expect(try !checker.problems(with: run.output.replacing(right, with: wrong)).isEmpty)
    }
  }
}
