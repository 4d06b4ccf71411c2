import Foundation
import TestSupport
import Testing

@testable import promille

/// `promille regress` on folders that come from anywhere: it writes golden tables and nothing else.
@Suite struct HostileDatasetTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
    try folder.makeFolder("study/golden")
    try folder.makeFolder("home")
    try folder.write("mine\n", to: "home/a.csv")
    try writeManifest("a.csv")
  }

  private func writeManifest(_ table: String, in golden: String = "study/golden") throws {
    try folder.write(
      """
      {"results": [{"file": "\(table)", "command": ["check", "{study}"], "key": ["subject"]}]}
      """, to: "\(golden)/manifest.json")
  }

  private func expectRefusal(of arguments: String...) async throws {
    for more in [["--update", "-q"], []] {
      let run = try await Command.promille(["regress"] + arguments + more)
      #expect(run.status == 65, "\(run.errors)")
      #expect(run.errors.contains("manifest.json"), "\(run.errors)")
      #expect(run.errors.contains("error E_FILE_FORMAT: "), "\(run.errors)")
      #expect(try folder.read("home/a.csv") == "mine\n")
      #expect(try folder.contents.contains("home"))
    }
  }

  @Test func goldenTableThatIsALinkIsRefused() async throws {
    try folder.link("study/golden/a.csv", to: "../../home/a.csv")
    try await expectRefusal(of: study)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: folder("study/golden/a.csv"))
        == "../../home/a.csv")
  }

  @Test func goldenTableThatIsADanglingLinkIsRefused() async throws {
    try folder.link("study/golden/a.csv", to: "../../home/b.csv")
    try await expectRefusal(of: study)
    #expect(!FileManager.default.fileExists(atPath: folder("home/b.csv")))
  }

  @Test func goldenTableThatIsAFolderIsRefused() async throws {
    try folder.makeFolder("study/golden/a.csv")
    try await expectRefusal(of: study)
  }

  @Test(arguments: ["../a.csv", "/tmp/a.csv", "x/../a.csv", "..csv", "a\\u0000.csv", "a\\n.csv"])
  func goldenTableOutsideItsFolderIsRefused(_ name: String) async throws {
    try writeManifest(name)
    try await expectRefusal(of: study)
  }

  @Test func linkedGoldenFolderIsRefused() async throws {
    try writeManifest("a.csv", in: "home")
    try FileManager.default.removeItem(atPath: folder("study/golden"))
    try folder.link("study/golden", to: "../home")
    try await expectRefusal(of: study)
    // Nor one of the folders that are in the one that is named.
    try folder.makeFolder("all")
    try folder.link("all/x", to: "../study")
    try FileManager.default.removeItem(atPath: folder("study/golden"))
    try folder.makeFolder("study/golden")
    try writeManifest("a.csv")
    try await expectRefusal(of: folder("all"))
    // Who names the link has said where to write.
    try folder.link("linked", to: "study")
    #expect(try await Command.promille("regress", folder("linked"), "--update").status == 0)
    #expect(try folder.read("study/golden/a.csv").hasPrefix("subject,"))
  }

  @Test(arguments: ["--upgrade", "--output=x.csv", "--residuals=x.csv"])
  func manifestCommandsMayNotWriteFiles(_ option: String) async throws {
    let command = option.hasPrefix("--res") ? "fit" : "check"
    try folder.write(
      """
      {"results": [{"file": "a.csv", "command": ["\(command)", "{study}", "\(option)"], "key": ["subject"]}]}
      """, to: "study/golden/manifest.json")
    try await expectRefusal(of: study)
  }

  // MARK: What is read

  @Test(arguments: [
    "study/readings.csv", "study/subjects.csv", "study/golden/manifest.json", "study/golden/a.csv",
    "study/link.csv", "study/curves.csv",
  ])
  func inputsAreNotOverwritten(_ name: String) async throws {
    #expect(try await Command.promille("regress", study, "--update").status == 0)
    try folder.write(SmallStudy().readings, to: "study/curves.csv")
    try folder.link("study/link.csv", to: "drinks.csv")
    try folder.write(
      """
      {"results": [{"file": "a.csv", "command": ["check", "{study}"], "key": ["subject"]},
        {"file": "b.csv", "command": ["sober", "{study}", "--predictions={study}/curves.csv"],
         "key": ["subject"]}]}
      """, to: "study/golden/manifest.json")
    let before = try folder.read(name)
    for more in [[], ["--update"]] {
      let run = try await Command.promille(["regress", study, "-o", folder(name)] + more)
      #expect(run.status == 73, "\(run.errors)")
      #expect(run.errors.contains("E_OUTPUT: cannot write \(folder(name)): "))
      #expect(try folder.read(name) == before)
    }
  }

  @Test func newGoldenTableMayNotBeTheResultFile() async throws {
    let run = try await Command.promille(
      "regress", study, "--update", "-o", folder("study/golden/a.csv"))
    #expect(run.status == 73)
    #expect(run.errors.contains("--update names the same file"))
    #expect(!FileManager.default.fileExists(atPath: folder("study/golden/a.csv")))
  }
}
