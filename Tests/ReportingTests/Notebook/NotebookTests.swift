import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting

/// The notebook and its files. That it runs is tested by `Tests/Tools/check.py notebooks`.
@Suite struct NotebookTests {
  private let files: [StudyNotebook.File]

  init() throws {
    let study = try SmallEvaluation.evaluation(["ann", "b\"ob"])
    files =
      StudyNotebook(study, provenance: Sample.provenance, options: ["estimate": ["beta"]]).files
  }

  private func text(_ path: String) throws -> String {
    try #require(files.first { $0.path == path }).text
  }

  private func notebook() throws -> [String: Any] {
    let json = try JSONSerialization.jsonObject(with: Data(try text("results.ipynb").utf8))
    return try #require(json as? [String: Any])
  }

  private func cells() throws -> [[String: Any]] {
    try #require(try notebook()["cells"] as? [[String: Any]])
  }

  @Test func notebookFilesAreWritten() throws {
    let paths = files.map(\.path)
    #expect(Set(paths).count == paths.count)
    for name in ["check", "fit", "sober", "compare", "compare-summary"] {
      #expect(paths.contains("results/\(name).csv"))
      #expect(paths.contains("results/\(name).json"))
    }
    let code = try text("results.ipynb")
    for match in code.matches(of: /table\(\\"([a-z-]+)\\"\)/) {
      #expect(paths.contains("results/\(match.output.1).csv"), "\(match.output.1)")
    }
  }

  /// The notebook follows nbformat 4.5.
  @Test func notebookHasTheFormat() throws {
    let notebook = try notebook()
    #expect(notebook["nbformat"] as? Int == 4)
    #expect(notebook["nbformat_minor"] as? Int == 5)
    let cells = try cells()
    let ids = cells.compactMap { $0["id"] as? String }
    #expect(ids.count == cells.count && Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-zA-Z0-9_-]{1,64}/) != nil })
    for cell in cells {
      let kind = try #require(cell["cell_type"] as? String)
      let shared: Set = ["cell_type", "id", "metadata", "source"]
      let own: Set = kind == "code" ? ["outputs", "execution_count"] : []
      #expect(Set(cell.keys) == shared.union(own))
      let source = try #require(cell["source"] as? [String])
      #expect(!source.isEmpty && source.dropLast().allSatisfy { $0.hasSuffix("\n") })
      #expect(source.last?.hasSuffix("\n") == false)
    }
  }

  @Test func documentsHaveTheColumnsOfTheList() throws {
    let list = try ColumnList()
    for file in files where file.path.hasSuffix(".json") {
      #expect(try list.problems(with: file.text) == [], "\(file.path)")
    }
  }

  @Test func curvesCoverFitAndEveryMethod() throws {
    let rows = try CSVText.rows(try text("results/curves.csv"))
    let names = Set(rows.map { $0["curve"] })
    #expect(names == ["fitted", "widmark", "watson", "forrest", "seidl", "ulrich"])
    let fitted = rows.filter { $0["curve"] == "fitted" && $0["subject"] == "ann" }
    let times = try fitted.map { try #require(Double($0["time_min"] ?? "")) }
    #expect(times == times.indices.map { Double($0) })
    #expect(times.count > 360)
    for row in fitted {
      let number = { (column: String) in try #require(Double(row[column] ?? "")) }
      #expect(try number("low_g_per_kg") <= number("concentration_g_per_kg"))
      #expect(try number("concentration_g_per_kg") <= number("high_g_per_kg"))
    }
  }
}
