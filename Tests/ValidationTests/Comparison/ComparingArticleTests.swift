import Foundation
import TestSupport
import Testing

/// The table that the article `ComparingMethods.md` prints is the one that
/// `Tests/Tools/interval_coverage.py` made, and it is as the article says.
@Suite struct ComparingArticleTests {
  private let kept: [[String: String]]

  init() throws {
    kept = try PackageFolder.expectations("interval-coverage")
  }

  @Test func articleTableMatchesIntervalCoverage() throws {
    let file = PackageFolder.root
      .appending(path: "Sources/Validation/Documentation.docc/ComparingMethods.md")
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| ") }
      .map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == 7 && Double($0[1]) != nil }
    let columns = ["numbers", "subjects", "percentile", "expanded", "bca", "student_t", "taken"]
    #expect(kept.count == 18)
    #expect(rows == kept.map { row in columns.map { row[$0] ?? "" } })
  }

  @Test func chosenIntervalCoversMeanOfNormalNumbers() throws {
    for row in kept {
      let taken = try #require(Double(row["taken"] ?? ""))
      let percentile = try #require(Double(row["percentile"] ?? ""))
      #expect(taken > percentile, "\(row)")
      if row["numbers"] == "normal" { #expect((93...97).contains(taken), "\(row)") }
    }
  }
}
