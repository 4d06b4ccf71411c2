import Foundation
import TestSupport
import Testing

/// The table of coverage that the article `FittingAndUncertainty.md` prints is the one that
/// `Tests/Tools/coverage.py` made, and it is as the article says.
@Suite struct CoverageArticleTests {
  private func rows() throws -> [[String]] {
    let file = PackageFolder.root
      .appending(path: "Sources/Validation/Documentation.docc/FittingAndUncertainty.md")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == 8 && $0[0] != "design" }
  }

  @Test func everyRow() throws {
    let kept = try PackageFolder.expectations("fit-coverage").map { row in
      [
        "design", "interval", "censor", "n", "beta_covered_pct", "ka_covered_pct", "ka_open",
        "beta_bias_pct",
      ].map { row[$0] ?? "" }
    }
    #expect(kept.count == 28)
    #expect(try rows() == kept.map { $0.dropLast() + ["\($0[7]) %"] })
  }

  @Test func wellSampledIntervalsHoldTheTruth() throws {
    for row in try PackageFolder.expectations("fit-coverage")
    where row["design"] == "well-sampled" && row["censor"] == "m3" {
      let covered = try #require(Double(row["beta_covered_pct"] ?? ""))
      #expect((93...97).contains(covered), "\(row)")
    }
  }
}
