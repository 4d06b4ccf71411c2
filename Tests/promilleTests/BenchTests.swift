import TestSupport
import Testing

/// The output of `promille bench` with a small number of rounds; speeds are not tested.
@Suite struct BenchTests {
  private static let columns = [
    "work", "unit", "per_s", "reference", "reference_per_s", "ratio", "target_ratio",
    "target_per_s", "met",
  ]

  @Test func csvHasARowPerWork() async throws {
    let run = try await Command.promille("bench", "--quick", "--format", "csv", "--quiet")
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.split(separator: "\n").first ?? "" == Self.columns.joined(separator: ","))
    let rows = try run.rows
    #expect(rows.map { $0["work"] ?? "" }.starts(with: ["one_curve_ka18", "one_curve_ka1"]))
    #expect(rows.allSatisfy { Double($0["per_s"] ?? "") ?? 0 > 0 })
    #expect(rows.allSatisfy { ["yes", "no", ""].contains($0["met"]) })
  }

  @Test func jsonHasMachineAndProvenance() async throws {
    let run = try await Command.promille("bench", "--quick", "--format", "json", "--quiet")
    #expect(try ColumnList().problems(with: run.output) == [])
    #expect(run.status == 0)
    let json = try run.json
    let machine = try #require((json["machine"] as? [[String: Any]])?.first)
    for name in ["cores", "architecture", "lanes_at_once", "system", "compiler", "build"] {
      #expect(machine[name] != nil, "\(name)")
    }
    let provenance = try #require(json["provenance"] as? [String: Any])
    #expect(provenance["version"] is String)
    #expect((provenance["options"] as? [String: Any])?["quick"] as? Bool == true)
  }

  @Test func quickRunsReportNoTargets() async throws {
    let run = try await Command.promille("bench", "--quick", "--format", "table")
    #expect(run.status == 0)
    #expect(run.output.contains("judge no target"))
  }

  @Test(arguments: ["0", "-1", "101", "x"])
  func roundsHaveLimits(rounds: String) async throws {
    let run = try await Command.promille("bench", "--rounds", rounds)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
  }
}
