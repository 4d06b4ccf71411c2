import Foundation
import TestSupport
import Testing

/// Hostile names in a study do no harm to terminals, pages and notebooks.
@Suite struct HostileTextTests {
  private static let name = "\u{1B}[31mred\u{202E}\u{7}\npromille: error E_FORGED: nothing"
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func study(named name: String = name, as path: String = "study") throws -> String {
    var study = SmallStudy()
    let field = "\"\(name.replacing("\"", with: "\"\""))\""
    study.subjects = study.subjects.replacing("ann,", with: field + ",")
    study.drinks = study.drinks.replacing("ann,", with: field + ",")
    study.readings = study.readings.replacing("ann,", with: field + ",")
    return try study.write(to: folder, as: path)
  }

  private func isHarmless(_ text: String) -> Bool {
    !text.unicodeScalars.contains { scalar in
      scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
    }
  }

  @Test func messagesAreOneLineEach() async throws {
    var nobody = SmallStudy()
    nobody.subjects = "subject,sex,age_y,height_cm,weight_kg\n\"\(Self.name)\",female,,,\n"
    nobody.drinks = "subject,time_min,ethanol_g\n\"\(Self.name)\",0,40\n"
    nobody.readings = "subject,time_min,bac_g_per_kg\n\"\(Self.name)\",30,0.5\n"
    let path = try nobody.write(to: folder, as: "nobody")
    for command in [
      ["simulate", path], ["fit", path, "--format", "csv"], ["sober", path, "--format", "csv"],
      ["plot", path, "--subject", Self.name, "-o", folder("x.svg")],
      ["check", path, "--format", "csv"],
      ["fit", "\(Self.name)"], ["plot", path, "--subject", "\(Self.name)?", "-o", folder("x.svg")],
    ] {
      let run = try await Command.promille(command)
      #expect(isHarmless(run.errors), "\(command[0])")
      #expect(
        !run.complaints.contains { $0.hasPrefix("promille: error E_FORGED") }, "\(command[0])")
      #expect(!run.errors.isEmpty, "\(command[0])")
    }
    let wrong = try await Command.promille("fit", "study", "--starts", "\u{1B}[31m\u{202E}")
    #expect(wrong.status == 64)
    #expect(isHarmless(wrong.errors))
    let helped = try await Command.promille("fit", "--help")
    #expect(helped.status == 0 && helped.errors.isEmpty)
  }

  @Test func manifestMessagesAreEscaped() async throws {
    try folder.makeFolder("golden")
    try folder.write("a,b\n1,2\n", to: "golden/a.csv")
    try folder.write(
      #"{"results":[{"file":"a.csv","command":["check","{study}","--\u001b]0;pwn\u0007"],"#
        + #""key":["a"],"tolerances":[]}]}"#, to: "golden/manifest.json")
    let run = try await Command.promille("regress", folder.path)
    #expect(run.status != 0)
    #expect(isHarmless(run.errors) && isHarmless(run.output))
  }

  @Test(arguments: ["html", "md"])
  func pagesShowHiddenCharacters(ending: String) async throws {
    let run = try await Command.promille(
      "report", try study(), "-o", folder("r.\(ending)"), "--starts", "1", "--interval", "none")
    #expect(run.status == 0)
    let page = try folder.read("r.\(ending)")
    #expect(isHarmless(page) && isHarmless(run.errors))
    #expect(page.contains("u{202e}"))
  }

  @Test func terminalTablesShowHiddenCharacters() async throws {
    for command in ["check", "fit", "sober", "compare"] {
      let run = try await Command.promille(command, try study(), "--format", "table")
      #expect(isHarmless(run.output), "\(command)")
      let json = try await Command.promille(command, try study(), "--format", "json")
      #expect(isHarmless(json.output), "\(command)")
      #expect(try !json.json.isEmpty)
    }
    // What programs read is the name itself.
    let rows = try await Command.promille("check", try study(), "--format", "csv").rows
    #expect(rows[0]["subject"] == Self.name)
  }

  /// Two series whose labels would be the same text have two curves.
  @Test func similarNamesHaveSeparateFigures() async throws {
    var study = SmallStudy()
    study.subjects = """
      subject,sex,age_y,height_cm,weight_kg
      "x, occasion 1",male,30,180,80
      x,male,30,180,80

      """
    study.drinks = "subject,occasion,time_min,ethanol_g\n\"x, occasion 1\",,0,40\nx,1,0,40\n"
    let rows = SmallStudy.readings(of: "x").split(separator: "\n").dropFirst()
    study.readings =
      "subject,occasion,time_min,bac_g_per_kg\n"
      + ["\"x, occasion 1\",,", "x,1,"].flatMap { name in
        rows.map { $0.replacing("x,", with: name) + "\n" }
      }.joined()
    let run = try await Command.promille(
      "report", try study.write(to: folder), "-o", folder("r.md"), "--starts", "1", "--interval",
      "none")
    #expect(run.status == 0)
    let page = try folder.read("r.md")
    let figures = page.matches(of: /\]\((r-figures\/curve-[^)]*)\)/).map { String($0.output.1) }
    let alone = page.matches(of: /\*Subject (.*): readings/).map { String($0.output.1) }
    #expect(Set(alone).count == 2)
    #expect(Set(figures).count == 2)
  }

  @Test func notebookTitlesAreEscaped() async throws {
    let path = try study(named: "ann")
    try folder.write(#"{"title":"x <script>alert(1)</script>"}"#, to: "study/datapackage.json")
    let run = try await Command.promille(
      "export", path, "--notebook", "-o", folder("nb"), "--starts", "1", "--interval", "none")
    #expect(run.status == 0)
    #expect(!(try folder.read("nb/results.ipynb").contains("<script")))
  }
}
