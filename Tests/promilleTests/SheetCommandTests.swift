import Foundation
import TestSupport
import Testing

@testable import promille

/// A spreadsheet on the command line: read by every command, or made a study folder.
@Suite struct SheetCommandTests {
  private let folder: TemporaryFolder

  private static let sheet = """
    Participant,Gender,Age,Height (cm),Weight (lb),Time,Ethanol (g),BrAC (mg/L)
    Eve,w,31,168,137,22:00,30,
    Eve,w,31,168,137,23:00,,0.32
    Eve,w,31,168,137,23:50,,0.27
    Eve,w,31,168,137,00:10,,0.25
    Eve,w,31,168,137,01:10,,0.18
    Eve,w,31,168,137,02:10,,0.1

    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.sheet, to: "export.csv")
  }

  @Test func sheetIsReadByEveryCommand() async throws {
    let path = folder("export.csv")
    let fit = try await Command.promille("fit", path, "--format", "csv")
    #expect(fit.status == 0, "\(fit.errors)")
    let rows = try fit.rows
    #expect(rows.count == 1 && rows[0]["n"] == "5", "\(fit.output)")
    #expect(fit.errors.contains("columns taken as"))
    // Said once, however often the study is opened; not at all if nothing is to be said.
    #expect(fit.errors.components(separatedBy: "columns taken as").count == 2)
    let quiet = try await Command.promille("fit", path, "--format", "csv", "-q")
    #expect(!quiet.errors.contains("taken as"))
    let check = try await Command.promille("check", path, "--format", "json").json
    let taken = try #require(check["taken_as"] as? [[String: Any]])
    #expect(taken.count == 8)
    #expect(
      taken.contains {
        $0["column"] as? String == "Weight (lb)" && $0["taken_as"] as? String == "weight_lb"
      })
    for command in [["compare"], ["sober"], ["simulate"], ["export", "--to", "json"]] {
      let run = try await Command.promille([command[0], path] + command.dropFirst())
      #expect(run.status == 0, "\(command): \(run.errors)")
    }
  }

  @Test func questionsNameTheMapOption() async throws {
    try folder.write(Self.sheet.replacing("BrAC (mg/L)", with: "Result"), to: "asked.csv")
    let run = try await Command.promille("check", folder("asked.csv"))
    #expect(run.status == 65)
    #expect(run.output.contains("E_COLUMN_UNIT") && run.output.contains("Result=NAME"))
    let answered = try await Command.promille(
      "fit", folder("asked.csv"), "--map", "Result=brac_mg_per_l", "--format", "csv")
    #expect(answered.status == 0, "\(answered.errors)")
    let wrong = try await Command.promille("fit", folder("asked.csv"), "--map", "Result=breath")
    #expect(wrong.status == 64)
  }

  @Test func sheetBecomesAStudyFolder() async throws {
    let made = folder("study")
    let run = try await Command.promille(
      "init", made, "--from", folder("export.csv"), "--format", "table")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("Weight (lb)") && run.output.contains("1 subjects, 1 series"))
    let one = try await Command.promille("fit", made, "--format", "csv", "-q").rows
    let other = try await Command.promille("fit", folder("export.csv"), "--format", "csv", "-q")
      .rows
    #expect(one == other)
    let check = try await Command.promille("check", made, "--format", "table")
    #expect(check.output.contains("errors: 0, warnings: 0"), "\(check.output)")
    let descriptor = try folder.read("study/datapackage.json")
    #expect(descriptor.contains("\"column\": \"Weight (lb)\", \"taken_as\": \"weight_lb\""))
  }

  @Test func initOverwritesNoFiles() async throws {
    try folder.makeFolder("there")
    let run = try await Command.promille("init", folder("there"))
    #expect(run.status == 73 && run.errors.contains("E_OUTPUT"))
    #expect(try folder.contents == ["export.csv", "there"])
    try folder.write(Self.sheet.replacing("23:50", with: "late"), to: "bad.csv")
    let bad = try await Command.promille("init", folder("bad"), "--from", folder("bad.csv"))
    #expect(bad.status == 65 && bad.errors.contains("E_TIME"))
    #expect(!FileManager.default.fileExists(atPath: folder("bad")))
  }

  @Test func templateIsAStudy() async throws {
    let run = try await Command.promille("init", folder("new"), "--format", "table")
    #expect(run.status == 0, "\(run.errors)")
    let check = try await Command.promille("check", folder("new"), "--format", "table")
    #expect(check.output.contains("errors: 0, warnings: 0"), "\(check.output)")
    let readme = try folder.read("new/README.md")
    for column in ["subject", "weight_kg", "time_min", "ethanol_g", "drink", "lod", "exclude"] {
      #expect(readme.contains("`\(column)`"))
    }
  }

  @Test func drinksAreListed() async throws {
    let all = try await Command.promille("drinks", "--format", "csv").rows
    #expect(all.count == 68)
    #expect(all[4]["name"] == "lager" && all[4]["volumes_ml"] == "250 330 500")
    let some = try await Command.promille("drinks", "beer", "shot", "--format", "csv").rows
    #expect(some.contains { $0["name"] == "lager" } && some.contains { $0["name"] == "vodka" })
    let none = try await Command.promille("drinks", "nectar")
    #expect(none.errors.contains("no drink matches nectar"))
  }

  @Test func unusedColumnsAreListedOnOneLine() async throws {
    let extra = (0..<300).map { "Extra \($0)" }.joined(separator: ",")
    let lines = Self.sheet.split(separator: "\n").enumerated().map { index, line -> String in
      let cells = (0..<300).map { number in String(number * index) }.joined(separator: ",")
      return "\(line),\(index == 0 ? extra : cells)"
    }
    try folder.write(lines.joined(separator: "\n") + "\n", to: "wide.csv")
    let run = try await Command.promille(
      "init", folder("wide"), "--from", folder("wide.csv"), "--format", "table")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("Extra 0, Extra 1, Extra 2 and 297 more"))
    #expect(run.output.split(separator: "\n").count < 20)
    let check = try await Command.promille("check", folder("wide.csv"), "--format", "json").json
    #expect((check["taken_as"] as? [Any])?.count == 308)
  }

  @Test func repeatedFindingsAreShownOnce() async throws {
    try folder.makeFolder("many")
    try folder.write(
      "subject,sex,age_y,height_cm,weight_kg\na,male,30,180,80\n", to: "many/subjects.csv")
    try folder.write("subject,time_min,ethanol_g\na,0,40\n", to: "many/drinks.csv")
    let rows = (1...50).map { "a,\(30 + $0),x\($0)\n" }.joined()
    try folder.write("subject,time_min,bac_g_per_kg\n" + rows, to: "many/readings.csv")
    let run = try await Command.promille("check", folder("many"), "--format", "table")
    #expect(run.status == 65)
    #expect(
      run.output.replacing("\n  ", with: " ").contains(
        "50 like this; the first: bac_g_per_kg is \"x1\""))
    let json = try await Command.promille("check", folder("many"), "--format", "json").json
    #expect((json["findings"] as? [Any])?.count == 50)
  }
}
