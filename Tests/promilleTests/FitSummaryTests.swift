import Foundation
import TestSupport
import Testing

/// `promille fit --summary`
@Suite struct FitSummaryTests {
  private let folder: TemporaryFolder
  private let study: String

  /// Nothing was measured of cem, so that he cannot be fitted.
  private static let options = ["--loss", "bisquare", "--interval", "wald"]

  init() throws {
    folder = try TemporaryFolder()
    var small = SmallStudy()
    small.readings = SmallStudy.readings(of: "ann", "bob")
    small.readings += "cem,50,0\ncem,124,0\ncem,253,0\ncem,318,0\n"
    study = try small.write(to: folder)
  }

  private func fit(_ more: String...) async throws -> Outcome {
    try await Command.promille(["fit", study] + Self.options + more)
  }

  @Test func csvSummarisesSuccessfulFits() async throws {
    let fits = try await fit()
    #expect(try fits.rows.map { $0["status"] } == ["ok", "ok", "failed"])
    let run = try await fit("--summary", "--format", "csv")
    #expect(run.status == fits.status)
    let rows = try run.rows
    #expect(rows.map { $0["parameter"] } == ["ka", "beta"])
    #expect(rows.map { $0["unit"] } == ["1/h", "g/kg/h"])
    for (row, column) in zip(rows, ["ka_per_h", "beta_g_per_kg_h"]) {
      let counts = ["subjects", "exact", "series", "undetermined", "failed"].map { row[$0] }
      #expect(counts == ["2", "2", "2", "0", "1"], "\(row)")
      let values = try fits.rows.prefix(2).map { try #require(Double($0[column] ?? "")) }
      for (column, value) in [("min", values.min()), ("max", values.max())] {
        let found = try #require(Double(row[column] ?? ""))
        #expect(abs(found / (value ?? .nan) - 1) < 1e-14)
      }
      let (typical, median) = (Double(row["typical"] ?? ""), Double(row["median"] ?? ""))
      let middle = (values[0] * values[1]).squareRoot()
      #expect(abs(try #require(typical) / middle - 1) < 1e-9)
      #expect(abs(try #require(median) / middle - 1) < 1e-14)
    }
  }

  @Test func jsonSummaryMatchesCSV() async throws {
    let rows = try await fit("--summary", "--format", "csv").rows
    let run = try await fit("--summary", "--format", "json")
    #expect(try ColumnList().problems(with: run.output) == [])
    let parameters = try #require(try run.json["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["parameter"] as? String } == ["ka", "beta"])
    #expect(parameters.map { $0["failed"] as? Int } == [1, 1])
    for (parameter, row) in zip(parameters, rows) {
      for column in ["mean", "sd", "typical", "typical_high", "cv_pct", "median", "min", "max"] {
        let number = try #require(parameter[column] as? Double)
        let expected = try #require(Double(row[column] ?? ""))
        // Foundation may read another last digit.
        #expect(abs(number / expected - 1) < 1e-15, "\(column)")
      }
    }
    let provenance = try #require(try run.json["provenance"] as? [String: Any])
    #expect((provenance["options"] as? [String: Any])?["summary"] as? Bool == true)
  }

  @Test func summaryTableIsReadable() async throws {
    let run = try await fit("--summary", "--format", "table")
    let lines = run.output.split(separator: "\n").map { $0.replacing(/\ +/, with: " ") }
    #expect(
      lines.contains(
        "parameter unit subjects exact typical CV % median"))
    #expect(lines.contains { $0.hasPrefix("k_a 1/h 2 2 4.") })
    #expect(lines.contains { $0.hasPrefix("beta g/kg/h 2 2 0.1") })
    #expect(lines.contains { $0.contains("every reading is zero") && $0.contains("[cem]") })
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func failedFitIsCountedAndEndsWithOne() async throws {
    let bad = try SmallStudy.withBadSubject.write(to: folder, as: "bad")
    let run = try await Command.promille("fit", bad, "--summary")
    #expect(run.status == 1)
    #expect(try run.rows.map { $0["subjects"] } == ["2", "2"])
    #expect(try run.rows.map { $0["failed"] } == ["1", "1"])
    #expect(run.errors.contains("error E_RANGE: "))
  }
}
