import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Reporting

/// The list of column names and the questions about columns.
@Suite struct ColumnNameTests {
  @Test func caseSchemaHasEveryUnit() throws {
    let file = PackageFolder.root.appending(path: "schemas/case-file.schema.json")
    var text = try String(contentsOf: file, encoding: .utf8)
    let names = ConcentrationUnit.allCases.map { "        \"\($0.rawValue)\"" }
    let list = "\"examples\": [\n\(names.joined(separator: ",\n"))\n      ]"
    if ProcessInfo.processInfo.environment["PROMILLE_UPDATE_SNAPSHOTS"] == "1" {
      text.replace(/"examples": \[[^\]]*\]/, with: list)
      try Data(text.utf8).write(to: file)
    }
    #expect(text.contains(list))
  }

  @Test func nameListFitsATerminal() {
    #expect(ColumnName.list.split(separator: "\n").allSatisfy { $0.count <= 90 })
    for name in ColumnName.all { #expect(ColumnName.list.contains("\n  \(name.name) ")) }
  }

  // MARK: Questions

  private static let unit = Diagnostic(
    .columnUnit, at: SourceLocation(file: "night.csv", line: 1, column: 3),
    message: "the column \"Result\" states no unit: 0.31, 0.4", remedy: "say what it is",
    statements: ["Result=bac_mg_per_100ml", "Result=brac_mg_per_l", "Result=brac_g_per_210l"])

  private static func question(_ finding: Diagnostic = unit) throws -> ColumnQuestion {
    try #require(ColumnQuestion(finding, headers: ["Time", "Result"]))
  }

  @Test func questionListsNumberedChoices() throws {
    #expect(
      try Self.question().text(width: 90) == """
        night.csv:1:3: the column "Result" states no unit: 0.31, 0.4; say what it is
          1  mg/100 ml of whole blood  bac_mg_per_100ml
          2  mg/L of breath            brac_mg_per_l
          3  g/210 L of breath         brac_g_per_210l
        Number or name (Enter: leave the column out; q: stop): 
        """)
  }

  @Test(arguments: [20, 40, 80]) func questionFitsATerminal(width: Int) throws {
    let lines = try Self.question().text(width: width).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= max(width, 32) }, "\(lines)")
  }

  @Test func answersMayBeNumbersNamesOrEmpty() throws {
    let question = try Self.question()
    #expect(question.answer(to: "2\n") == .choice(ColumnChoice(["Result"], is: "brac_mg_per_l")))
    #expect(
      question.answer(to: " BRAC_mg_per_l ")
        == .choice(ColumnChoice(["Result"], is: "brac_mg_per_l"))
    )
    // A name that was not offered.
    #expect(question.answer(to: "lod") == .choice(ColumnChoice(["Result"], is: "lod")))
    #expect(question.answer(to: "\n") == .choice(ColumnChoice(["Result"], is: "ignore")))
    #expect(question.answer(to: "q") == .stop && question.answer(to: "Quit") == .stop)
    for text in ["0", "4", "-1", "99999999999999999999", "breath", "\u{1B}[A", "brac_mg"] {
      guard case .notUnderstood = question.answer(to: text) else {
        Issue.record("\(text) was understood")
        continue
      }
    }
  }

  @Test func requiredQuestionCannotBeSkipped() throws {
    let finding = Diagnostic(
      .time, at: SourceLocation(file: "night.csv"), message: "m", remedy: "r",
      statements: ["Date=date_dmy", "Date=date_mdy"])
    #expect(try Self.question(finding).answer(to: "") == .notUnderstood("This needs an answer."))
  }

  @Test func ignoringIsOfferedForEachColumn() throws {
    let finding = Diagnostic(
      .columnAmbiguous, at: SourceLocation(file: "night.csv"), message: "m",
      remedy: "leave one out",
      statements: ["A=ignore", "B=ignore"])
    let question = try Self.question(finding)
    #expect(question.text(width: 80).contains("1  leave out A"))
    #expect(question.answer(to: "2") == .choice(ColumnChoice(["B"], is: "ignore")))
    guard case .notUnderstood = question.answer(to: "ignore") else {
      Issue.record("one of two was taken")
      return
    }
  }

  @Test func findingWithoutStatementsIsNoQuestion() {
    let finding = Diagnostic(.number, at: SourceLocation(file: "f"), message: "m", remedy: "r")
    #expect(ColumnQuestion(finding, headers: ["A"]) == nil)
  }

  @Test func choicesOfAColumnAreWrittenOnce() {
    #expect(
      Self.unit.withOptions.remedy
        == "say what it is: --map \"Result=NAME\", where NAME is bac_mg_per_100ml (mg/100 ml of whole blood), "
        + "brac_mg_per_l (mg/L of breath), brac_g_per_210l (g/210 L of breath)")
    var two = Self.unit
    two.statements = ["It's \"A\"=ignore", "$B=ignore"]
    #expect(two.withOptions.remedy.hasSuffix(#"--map 'It'\''s "A"=ignore', or --map '$B=ignore'"#))
  }
}
