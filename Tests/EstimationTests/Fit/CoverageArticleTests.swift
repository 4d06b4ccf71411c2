import Foundation
import TestSupport
import Testing

/// The table of coverage that the article `FittingAndUncertainty.md` prints is the one that
/// `Tests/Tools/coverage.py` made, and it is as the article says.
@Suite struct CoverageArticleTests {
  private func rows(columns: Int) throws -> [[String]] {
    let file = PackageFolder.root
      .appending(path: "Sources/Estimation/Documentation.docc/FittingAndUncertainty.md")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == columns && $0[0] != "design" }
  }

  @Test func articleTableMatchesCoverage() throws {
    let kept = try PackageFolder.expectations("fit-coverage").map { row in
      [
        "design", "interval", "censor", "n", "beta_covered_pct", "ka_covered_pct", "ka_open",
        "beta_bias_pct",
      ].map { row[$0] ?? "" }
    }
    #expect(kept.count == 28)
    #expect(try rows(columns: 8) == kept.map { $0.dropLast() + ["\($0[7]) %"] })
  }

  /// The table of wrong models and few readings.
  @Test func articleTableMatchesCoverageOfWrongModels() throws {
    let kept = try PackageFolder.expectations("fit-coverage-wrong").map { row in
      let warnings = (row["study_warnings"] ?? "").split(separator: ";").map { "`\($0)`" }
      return [
        row["design"] ?? "", "`\(row["options"] ?? "")`",
      ]
        + ["n", "beta_covered_pct", "ka_covered_pct", "r_covered_pct", "open", "warned"]
        .map { row[$0] ?? "" } + [warnings.isEmpty ? "-" : warnings.joined(separator: ", ")]
    }
    #expect(try rows(columns: 9) == kept)
  }

  @Test func onlyWrongModelsAreWarnedOf() throws {
    let rows = try PackageFolder.expectations("fit-coverage-wrong")
    for row in rows {
      let warnings = row["study_warnings"] ?? ""
      let isModelled = row["options"]?.contains("--correlation exponential") == true
      switch row["design"] {
      case "right": #expect(warnings.isEmpty, "\(row)")
      case "ar1-0.6", "ar1-0.6-12-readings":
        #expect(isModelled || warnings.contains("W_STUDY_CORRELATED"), "\(row)")
      case "michaelis-menten": #expect(!warnings.isEmpty, "\(row)")
      default: break
      }
    }
    let answered = rows.filter { row in
      let options = row["options"] ?? ""
      return options.contains("robust")
        || (row["design"] == "ar1-0.6" && options.contains("--correlation exponential"))
    }
    #expect(answered.count == 5)
    for row in answered {
      for name in ["beta", "ka", "r"] {
        let covered = try #require(Double(row["\(name)_covered_pct"] ?? ""))
        #expect((92...97).contains(covered), "\(row) \(name) \(covered)")
      }
    }
  }

  /// The table of error models of a study and of each subject.
  @Test func articleTableMatchesCoverageOfErrorModels() throws {
    let kept = try PackageFolder.expectations("fit-coverage-errors")
    #expect(
      try rows(columns: 7)
        == kept.map { row in
          [row["design"] ?? "", "`\(row["options"] ?? "")`"]
            + ["people", "beta_covered_pct", "ka_covered_pct", "r_covered_pct"].map {
              row[$0] ?? ""
            }
            + ["\(row["beta_width_pct"] ?? "") / \(row["ka_width_pct"] ?? "")"]
        })
    for row in kept where row["options"]?.contains("subject") == false {
      for name in ["beta", "ka", "r"] {
        let covered = try #require(Double(row["\(name)_covered_pct"] ?? ""))
        #expect((92...97).contains(covered), "\(row) \(name) \(covered)")
      }
    }
  }

  /// The table of the default where errors come in runs: beta, k_a and r are held wherever the test fires.
  @Test func articleTableMatchesCoverageOfRuns() throws {
    let kept = try PackageFolder.expectations("fit-coverage-runs")
    let names = ["beta", "ka", "r"]
    func held(_ row: [String: String]) -> String {
      names.map { row["\($0)_covered_pct"] ?? "" }.joined(separator: " / ")
    }
    let pairs = stride(from: 0, to: kept.count, by: 2).map { (kept[$0], kept[$0 + 1]) }
    #expect(pairs.count == 14)
    #expect(
      try rows(columns: 5).filter { $0[0].hasSuffix("readings") }
        == pairs.map { usual, none in
          [
            usual["design"] ?? "", usual["fired"] ?? "", held(usual), held(none),
            "\(usual["beta_width_pct"] ?? "") / \(none["beta_width_pct"] ?? "")",
          ]
        })
    for (usual, none) in pairs {
      for name in names where usual["fired"] == "10" {
        let covered = try #require(Double(usual["\(name)_covered_pct"] ?? ""))
        #expect((92...97).contains(covered), "\(usual) \(name)")
      }
      if usual["design"]?.hasPrefix("independent") == true { #expect(held(usual) == held(none)) }
    }
  }

  @Test func wellSampledIntervalsCoverTheTruth() throws {
    for row in try PackageFolder.expectations("fit-coverage")
    where row["design"] == "well-sampled" && row["censor"] == "m3" {
      let covered = try #require(Double(row["beta_covered_pct"] ?? ""))
      #expect((93...97).contains(covered), "\(row)")
    }
  }
}
