import Foundation
import Testing

@testable import Reporting

@Suite struct ReportTests {
  private func section(_ name: String, rows: [Int], heading: String? = "h") -> Report.Section {
    let column = Column<Int>("n", heading: heading) { $0 }
    return Report.Section(name: name, table: Table([column], rows: rows))
  }

  private func report(
    _ sections: [Report.Section], introduction: [String] = [], notes: [String] = []
  ) -> Report {
    Report(
      introduction: introduction, sections: sections, notes: notes, provenance: Sample.provenance)
  }

  @Test func setsParagraphsApart() {
    let report = report(
      [section("a", rows: [1]), section("b", rows: [22])], introduction: ["One.", "Two."],
      notes: ["first", "second"])
    #expect(
      report.rendered(as: .table) == """
        One.
        Two.

        h
        -
        1

         h
        --
        22

        first
        second

        """)
  }

  @Test func terminalLeavesOutColumnsForPrograms() {
    let sections = [section("a", rows: []), section("b", rows: [1], heading: nil)]
    #expect(report(sections).rendered(as: .table).isEmpty)
    #expect(report(sections, notes: ["note"]).rendered(as: .table) == "note\n")
  }

  @Test func notesAreWrapped() {
    let word = String(repeating: "x", count: 60)
    let text = report([], notes: ["\(word) \(word)"]).rendered(as: .table)
    #expect(text == "\(word)\n  \(word)\n")
  }

  /// Titles come from a study's files, and files' names from its owner.
  @Test func controlCharactersAreEscapedOnTerminals() {
    let text = report([], introduction: ["t\u{1B}[2Jt"], notes: ["a\rb", "c\u{7}"])
      .rendered(as: .table)
    #expect(
      !text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
  }

  @Test func carriesTheFirstTableAsCSV() {
    let sections = [section("a", rows: [1, 2]), section("b", rows: [3])]
    let report = report(sections, introduction: ["One."], notes: ["note"])
    #expect(report.rendered(as: .csv) == "n\n1\n2\n")
    #expect(self.report([]).rendered(as: .csv).isEmpty)
  }

  @Test func carriesEverythingAsJSON() throws {
    let report = report([section("a", rows: [1]), section("b", rows: [], heading: nil)])
    #expect(
      report.rendered(as: .json) == """
        {
          "schema_version": 1,
          "provenance": {
            "tool": "promille",
            "version": "1.2.3",
            "command": "test",
            "options": {"study": "study", "starts": 8},
            "inputs": [{"file": "study/drinks.csv", "sha256": "00ff"}],
            "conversion_factors": {"blood_density_kg_per_l": 1.055, "blood_breath_ratio": 2100.0, \
        "serum_blood_ratio": 1.16}
          },
          "answer": null,
          "a": [
            {"n": 1}
          ],
          "b": [],
          "text": "h\\n-\\n1\\n"
        }

        """)
  }

  /// A document of thousands of rows does not repeat them as text.
  @Test func longTablesAreNoText() {
    let text = { (count: Int) in
      report([section("a", rows: Array(1...count))], introduction: ["One.", "Two."])
        .rendered(as: .json)
    }
    #expect(
      text(1000).contains(#""answer": "One.""#) && text(1000).contains(#""text": "One.\nTwo.\n"#))
    #expect(text(1001).contains(#""text": null"#))
  }

  @Test func formatsHaveTheirNames() {
    #expect(ReportFormat.allCases.map(\.rawValue) == ["table", "csv", "json", "ndjson", "arrow"])
  }
}
