import Foundation
import TestSupport
import Testing

/// The JSON that is printed is as the schemas want it. Reports that no snapshot has are held to them
/// by `ColumnPromiseTests`.
@Suite struct SchemaTests {
  private static let folder = PackageFolder.root.appending(path: "Tests/promilleTests/Snapshots")

  private static let snapshots =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".json") }.sorted()

  @Test func thereAreSnapshots() {
    #expect(Self.snapshots.count >= 9)
  }

  @Test(arguments: snapshots)
  func snapshotsFollowTheirSchemas(_ name: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    // What differs from machine to machine is masked.
    #expect(try SchemaChecker().problems(with: text.replacing("\": _", with: "\": 0")) == [])
  }

  @Test func seesWhatIsWrong() async throws {
    let run = try await Command.promille("check", "datasets/nacar-2021", "--format", "json")
    let checker = try SchemaChecker()
    #expect(try checker.problems(with: run.output) == [])
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
      #expect(try !checker.problems(with: spoilt).isEmpty, "\(wrong)")
    }
  }
}
