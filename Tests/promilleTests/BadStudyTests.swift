import Foundation
import TestSupport
import Testing

/// Studies that cannot be read: 65 if the data are bad, 66 if they are not there.
@Suite struct BadStudyTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  // MARK: Bad data

  private static let finding = (
    place: "bad/readings.csv:26:9", code: "E_CSV", remedy: "close the field with a quote"
  )

  private func checkMalformed(_ format: String) async throws -> Outcome {
    let study = try SmallStudy.malformed.write(to: folder, as: "bad")
    let run = try await Command.promille("check", study, "--format", format)
    #expect(run.status == 65)
    return run
  }

  @Test func checkShowsTheFindingInATable() async throws {
    let run = try await checkMalformed("table")
    // Lines are wrapped.
    let text = run.output.replacing("\n  ", with: " ")
    #expect(text.contains("\(Self.finding.place): error \(Self.finding.code): "))
    #expect(text.contains(Self.finding.remedy))
    #expect(run.output.hasSuffix("errors: 1, warnings: 0\n"))
  }

  @Test func checkShowsTheFindingInCSV() async throws {
    let run = try await checkMalformed("csv")
    let row = try #require(try run.rows.first)
    #expect(row["severity"] == "error")
    #expect(row["code"] == Self.finding.code)
    #expect(row["file"] == folder("bad/readings.csv"))
    #expect(row["line"] == "26" && row["column"] == "9")
    #expect(row["remedy"] == Self.finding.remedy)
    #expect(run.errors.contains("\(Self.finding.place): error \(Self.finding.code): "))
  }

  @Test func checkShowsTheFindingInJSON() async throws {
    let run = try await checkMalformed("json")
    let findings = try #require(try run.json["findings"] as? [[String: Any]])
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect(finding["code"] as? String == Self.finding.code)
    #expect(finding["file"] as? String == folder("bad/readings.csv"))
    #expect(finding["line"] as? Int == 26)
    #expect(finding["column"] as? Int == 9)
    #expect(finding["remedy"] as? String == Self.finding.remedy)
  }

  @Test(arguments: ["fit", "compare", "sober"], ["table", "csv", "json"])
  func malformedStudyPrintsOnlyItsFinding(_ command: String, _ format: String)
    async throws
  {
    let study = try SmallStudy.malformed.write(to: folder, as: "bad")
    let run = try await Command.promille(command, study, "--format", format)
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.complaints.count == 1)
    #expect(run.errors.contains("\(Self.finding.place): error \(Self.finding.code): "))
    #expect(run.errors.contains(Self.finding.remedy))
  }

  @Test func checkEndsWith65IfOneSubjectIsBad() async throws {
    let study = try SmallStudy.withBadSubject.write(to: folder, as: "bad")
    let run = try await Command.promille("check", study, "--format", "csv")
    #expect(run.status == 65)
    #expect(try run.rows.map { $0["errors"] } == ["0", "1", "0"])
    #expect(run.errors.contains("bad/readings.csv:10:8: error E_RANGE: "))
  }

  // MARK: No input

  @Test(arguments: Command.names)
  func missingStudyEndsWith66(_ command: String) async throws {
    for format in ["table", "csv", "json"] {
      let run = try await Command.promille(command, folder("nowhere"), "--format", format)
      #expect(run.status == 66)
      #expect(run.output.isEmpty)
      #expect(run.complaints.count == 1)
      #expect(run.errors.contains("nowhere: error E_NO_SUCH_STUDY: "))
    }
  }

  @Test(arguments: ["subjects.csv", "drinks.csv"])
  func aMissingFileEndsWith66(_ name: String) async throws {
    let study = try SmallStudy().write(to: folder)
    try FileManager.default.removeItem(atPath: folder("study/\(name)"))
    for command in Command.names {
      let run = try await Command.promille(command, study)
      #expect(run.status == 66)
      #expect(run.output.isEmpty)
      #expect(run.errors.contains("study/\(name): error E_FILE_MISSING: "))
    }
  }

  /// The workbook in a folder is named, and so is the study that examples are about.
  @Test func studiesThatWereMeantAreNamed() async throws {
    try FileManager.default.createDirectory(
      atPath: folder("lab"), withIntermediateDirectories: false)
    try folder.write("", to: "lab/lab.xlsx")
    let lab = try await Command.promille("sober", folder("lab"))
    #expect(lab.errors.contains("Then name that file: \(folder("lab/lab.xlsx"))"), "\(lab.errors)")
    let example = try await Command.shell(
      "cd '\(folder.path)' && promille sober datasets/made-up-24")
    #expect(example.status == 66 && example.errors.contains("promille init my-study --example"))
  }

  @Test func studiesWithoutReadingsCanBeChecked() async throws {
    let study = try SmallStudy().write(to: folder)
    try FileManager.default.removeItem(atPath: folder("study/readings.csv"))
    let check = try await Command.promille("check", study)
    #expect(check.status == 0)
    #expect(check.errors.contains("W_NO_READINGS"))
    let fit = try await Command.promille("fit", study)
    #expect(fit.status == 1)
    #expect(try fit.rows.map { $0["status"] } == ["failed", "failed", "failed"])
  }
}
