import TestSupport
import Testing

/// `--store`, and `promille runs`.
@Suite struct RunsTests {
  private let folder: TemporaryFolder
  private let study: String
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
    database = folder("runs.sqlite")
  }

  @Test(arguments: ["fit", "compare", "sober"])
  func aRunIsKeptAndPrintedAsEver(_ command: String) async throws {
    let bare = try await Command.promille(command, study)
    let kept = try await Command.promille(command, study, "--store", database)
    #expect(kept.output == bare.output && kept.status == bare.status)
    let runs = try await Command.promille("runs", database).rows
    #expect(runs.map { $0["command"] } == [command])
    #expect(runs.map { $0["study"] } == [study])
    #expect(try runs.map { $0["results"] } == ["\(bare.rows.count)"])
    let shown = try await Command.promille("runs", database, "--show", "1").rows
    #expect(Set(shown.map { $0["subject"] }) == ["ann", "bob", "cem"])
  }

  @Test func parametersHaveTheirIntervals() async throws {
    let fit = try await Command.promille("fit", study, "--store", database).rows[1]
    let shown = try await Command.promille("runs", database, "--show", "1").rows
    let beta = shown.first { $0["subject"] == "bob" && $0["quantity"] == "beta" }
    #expect(beta?["value"] == fit["beta_g_per_kg_h"])
    #expect(beta?["low"] == fit["beta_low"] && beta?["high"] == fit["beta_high"])
    #expect(beta?["identifiable"] == "yes")
  }

  /// A run keeps every number that the columns of its results declare, once, and the parameters of a fit
  /// by themselves.
  @Test(arguments: [
    ([], ["ka", "beta", "r", "n", "rss", "starts"], ["ka_per_h", "ka_se", "beta_low"]),
    (["--method", "elimination-line"], ["n", "beta60_g_per_kg_h", "beta_se", "c0_low"], ["beta"]),
    (["--model", "all"], ["k", "n", "deviance"], ["ka", "ka_per_h"]),
  ])
  func everyDeclaredNumberIsKeptOnce(
    _ arguments: [String], _ kept: [String], _ others: [String]
  ) async throws {
    _ = try await Command.promille(["fit", "datasets/nacar-2021", "--store", database] + arguments)
    let rows = try await Command.promille("runs", database, "--show", "1").rows
    let names = rows.map { [$0["subject"], $0["method"], $0["quantity"]] }
    #expect(Set(names).count == names.count)
    let quantities = Set(rows.compactMap { $0["quantity"] })
    #expect(quantities.isSuperset(of: kept) && quantities.isDisjoint(with: others))
  }

  @Test func runsAreCompared() async throws {
    for beta in ["0.15", "0.15", "0.2"] {
      _ = try await Command.promille("sober", study, "--beta", beta, "--store", database)
    }
    let same = try await Command.promille("runs", database, "--compare", "1", "2")
    #expect(same.status == 0)
    #expect(try same.rows.isEmpty)
    let other = try await Command.promille(
      "runs", database, "--compare", "1", "3", "--format", "json")
    #expect(other.status == 1)
    let options = try #require(try other.json["options"] as? [[String: Any]])
    #expect(options.map { $0["option"] as? String } == ["beta_g_per_kg_h"])
  }

  /// beta differs by a quarter of the larger; no two numbers can differ by more than twice that.
  @Test(arguments: [("0.2", 1), ("2", 0)] as [(String, Int32)])
  func differencesWithinTheToleranceDoNotCount(tolerance: String, status: Int32) async throws {
    for beta in ["0.15", "0.2"] {
      _ = try await Command.promille("sober", study, "--beta", beta, "--store", database)
    }
    let run = try await Command.promille(
      "runs", database, "--compare", "1", "2", "--tolerance", tolerance)
    #expect(run.status == status)
    #expect(try run.rows.isEmpty == (status == 0))
  }

  @Test func anUnknownRunEndsWith66() async throws {
    _ = try await Command.promille("sober", study, "--store", database)
    let run = try await Command.promille("runs", database, "--show", "2")
    #expect(run.status == 66)
    #expect(run.errors.contains("E_STORE_NOT_FOUND"))
  }
}
