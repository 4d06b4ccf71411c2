import Foundation
import TestSupport
import Testing

/// The study that the article `FromASpreadsheetToAReport.md` makes is one, and what the article says of
/// it holds.
@Suite struct TutorialTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("my-study")
    let files = [
      "subjects.csv": "subject,sex", "drinks.csv": "subject,time_min,duration_min",
      "readings.csv": "subject,time_min,brac_mg_per_l", "datapackage.json": "{",
    ]
    for (file, start) in files {
      let text = try #require(try Self.blocks().first { $0.hasPrefix(start) }, "\(file)")
      try folder.write(text, to: "my-study/\(file)")
    }
  }

  /// The indented blocks of the article.
  private static func blocks() throws -> [String] {
    let article = PackageFolder.root
      .appending(path: "Sources/Reporting/Documentation.docc/FromASpreadsheetToAReport.md")
    let lines = try String(contentsOf: article, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split { !$0.hasPrefix("    ") }.map { block in
      block.map { $0.dropFirst(4) + "\n" }.joined()
    }
  }

  @Test func tutorialStudyHasNoErrors() async throws {
    let run = try await Command.promille("check", folder("my-study"), "--format", "table")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("Two people and a lager\n"))
    #expect(run.output.hasSuffix("errors: 0, warnings: 0\n"))
  }

  @Test func tutorialFitsEverySubject() async throws {
    let run = try await Command.promille("fit", folder("my-study"), "--estimate", "ka,beta,r")
    #expect(run.status == 0)
    let verdicts = try run.rows.map { [$0["ka_identifiable"], $0["r_identifiable"]] }
    #expect(verdicts == [["yes", "yes"], ["yes", "yes"]])
    #expect(try run.rows.map { $0["mouth_alcohol"] } == ["1", "0"])
  }

  @Test func otherTutorialCommandsWork() async throws {
    for command in ["sober", "compare"] {
      #expect(try await Command.promille(command, folder("my-study"), "-q").status == 0)
    }
    let report = try await Command.promille(
      "report", folder("my-study"), "--estimate", "ka,beta,r", "-o", folder("report.html"), "-q")
    #expect(report.status == 0)
    #expect(try folder.read("report.html").contains("Two people and a lager"))
  }
}
