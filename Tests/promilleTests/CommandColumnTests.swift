import Foundation
import TestSupport
import Testing

/// The columns that commands print are those of the list.
@Suite struct CommandColumnTests {
  private let list: ColumnList
  private let folder: TemporaryFolder
  private let database: String

  init() async throws {
    list = try ColumnList()
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

  private func columns(of table: String, _ command: String) -> [String] {
    list.columns(of: table, command).map(\.name)
  }

  @Test(arguments: commands)
  func databaseResultsHaveDeclaredColumns(_ table: String, _ command: [String]) async throws {
    let arguments = command.map { $0 == "DATABASE" ? database : $0 }
    let csv = try await Command.promille(arguments + ["--format", "csv", "--quiet"])
    let header = try CSVText.records(csv.output).first
    #expect(header == columns(of: table, command[0]))
    let json = try await Command.promille(arguments + ["--format", "json", "--quiet"])
    #expect(try list.problems(with: json.output) == [])
  }

  @Test func simulationsHaveDeclaredColumns() async throws {
    let simulate = ["simulate", "datasets/nacar-2021", "--every", "60"]
    let whole = try await Command.promille(simulate + ["--band"])
    #expect(try CSVText.records(whole.output).first == columns(of: "simulated", "simulate"))
    let bare = try await Command.promille(simulate)
    let band = ["bac_low_g_per_kg", "bac_high_g_per_kg"]
    #expect(
      try CSVText.records(bare.output).first
        == columns(of: "simulated", "simulate").filter { !band.contains($0) })
  }

  /// Documents that no snapshot has.
  @Test(arguments: [
    "check Tests/Golden/worked-examples", "fit datasets/nacar-2021 --estimate ka,beta,r --details",
    "fit datasets/nacar-2021 --error combined:0.01,0.05 --interval wald --derived all",
    "fit datasets/nacar-2021 --prior fasted --interval none",
    "fit datasets/nacar-2021 --model all --estimate ka,beta,r --starts 1",
    "fit datasets/nacar-2021 --model michaelis-menten --starts 1 --interval none",
    "compare Tests/Golden/worked-examples", "compare Tests/Golden/worked-examples --summary",
    "regress Tests/Golden/worked-examples", "regress --nist", "init TEMPLATE",
    "regress --engines datasets/nacar-2021 --people 0",
    "population datasets/nacar-2021 --r-factor 0.7 --common ka --starts 1",
    "forecast datasets/nacar-2021 --prior fasted",
    "forecast datasets/nacar-2021 --prior fasted --score",
  ])
  func documentsHaveDeclaredColumns(_ command: String) async throws {
    let arguments = command.split(separator: " ").map { word in
      switch word {
      case "TEMPLATE": folder("template")
      default: String(word)
      }
    }
    let run = try await Command.promille(arguments + ["--format", "json", "--quiet"])
    #expect(try list.problems(with: run.output) == [], "\(run.errors)")
  }

  /// Columns that say something in no row of a study are details; a reason is there where a fit fails.
  @Test(arguments: [[], ["--estimate", "ka,beta,r", "--error", "combined"]])
  func fitResultsHaveNoEmptyColumns(_ options: [String]) async throws {
    let run = try await Command.promille(
      ["fit", "datasets/made-up-24", "--blood-breath-ratio", "2100", "--format", "csv"] + options)
    let rows = try run.rows
    let names = try #require(try CSVText.records(run.output).first)
    #expect(rows.count == 30 && names.count <= 45)
    #expect(names.filter { name in rows.allSatisfy { $0[name] == "" } } == ["reason"])
  }

  @Test func snapshotsHaveDeclaredColumns() throws {
    let folder = PackageFolder.root.appending(path: "Tests/promilleTests/Snapshots")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".json") }
    #expect(names.count >= 9)
    for name in names {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      // What differs from machine to machine is masked.
      let problems = try list.problems(with: text.replacing("\": _", with: "\": 0"))
      #expect(problems == [], "\(name)")
    }
  }

  @Test func schemaCheckerDetectsErrors() async throws {
    let run = try await Command.promille("check", "datasets/nacar-2021", "--format", "json")
    #expect(try list.problems(with: run.output) == [])
    for (right, wrong) in [
      ("\"schema_version\": 1", "\"schema_version\": 2"), ("\"check\"", "\"fit\""),
      ("\"subject\": \"1\"", "\"subject\": 1"), ("\"subject\": \"1\"", "\"subject\": null"),
      ("\"sex\": \"male\"", "\"sex\": \"m\""), ("\"drinks\": 2", "\"drinks\": 2.5"),
      ("\"drinks\": 2", "\"drinks\": -2"), ("\"drinks\": 2", "\"drink\": 2"),
      ("\"age_y\": 23.0", "\"age_y\": \"23\""), ("\"severity\": \"warning\"", "\"severity\": 1"),
      ("\"blood_breath_ratio\": 2100.0", "\"blood_breath_ratio\": 0"),
    ] {
      let spoilt = run.output.replacing(right, with: wrong)
      #expect(spoilt != run.output)
      #expect(try !list.problems(with: spoilt).isEmpty, "\(wrong)")
    }
  }

  @Test func studiesFollowTheirSchema() async throws {
    let run = try await Command.promille("export", "datasets/nacar-2021", "--to", "json")
    let checker = try SchemaChecker()
    let schema = "study.schema.json"
    #expect(try checker.problems(with: run.output, as: schema) == [])
    for (right, wrong) in [("\"ethanol_g\"", "\"ethanol\""), ("false}", "\"no\"}")] {
      let spoilt = run.output.replacing(right, with: wrong)
      #expect(try !checker.problems(with: spoilt, as: schema).isEmpty)
    }
  }
}
