import Foundation
import StudyStore
import TestSupport
import Testing

@testable import promille

/// Destinations of results: standard output, or a file that is written whole or not at all.
@Suite struct DestinationTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
  }

  // MARK: Standard output

  @Test(arguments: Command.names)
  func resultsAloneGoToStandardOutput(_ command: String) async throws {
    let study = try SmallStudy.withWarning.write(to: folder, as: "warning")
    let run = try await Command.promille(command, study, "--format", "csv")
    #expect(try run.rows.count >= 3)
    #expect(run.complaints.count { $0.contains(": warning ") } == 1)
    #expect(run.errors.contains("warning/readings.csv:19:5: warning W_TIME_ORDER: "))
  }

  @Test(arguments: Command.names)
  func goodStudiesLeaveStandardErrorEmpty(_ command: String) async throws {
    let run = try await Command.promille(command, study, "--format", "json")
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(try run.json["schema_version"] as? Int == 1)
  }

  @Test func formatIsCSVInAPipeAndAFile() async throws {
    let pipe = try await Command.shell("promille check \"$@\" | cat", study)
    let file = try await Command.promille("check", study)
    #expect(pipe.output == file.output)
    #expect(pipe.output.hasPrefix("subject,occasion,"))
  }

  @Test func formatIsATableOnATerminal() async throws {
    let terminal = try await Command.onTerminal("check", study, columns: 500)
    let asked = try await Command.promille("check", study, "--format", "table")
    #expect(terminal.status == 0)
    #expect(terminal.output == asked.output)
    #expect(!terminal.output.contains("\u{1B}"))
  }

  private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

  @Test(arguments: [">&-"] + (hasFullDevice ? [">/dev/full"] : []))
  func standardOutputThatCannotBeWrittenIsAnError(_ redirection: String) async throws {
    let run = try await Command.shell("promille check \"$@\" \(redirection)", study)
    #expect(run.status == 73)
    #expect(run.errors.contains("E_OUTPUT: cannot write standard output"))
  }

  @Test func closedPipeIsNoError() async throws {
    let run = try await Command.shell("promille sober \"$@\" | true", study)
    #expect(run.errors.isEmpty)
  }

  @Test func closedStandardErrorDoesNotStopTheCommand() async throws {
    let bad = try SmallStudy.withBadSubject.write(to: folder, as: "bad")
    let run = try await Command.shell("promille fit \"$@\" 2>&-", bad)
    #expect(run.status == 1)
    #expect(try run.rows.count == 3)
  }

  // MARK: Files

  @Test(arguments: [
    ("x.json", "{"), ("X.JSON", "{"), ("x.csv", "subject,"), ("x.txt", "subject,"),
    ("x", "subject,"),
  ])
  func fileExtensionDecidesTheFormat(name: String, beginning: String) async throws {
    let run = try await Command.promille("check", study, "-o", folder(name))
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
    #expect(run.errors.isEmpty)
    #expect(try folder.read(name).hasPrefix(beginning))
  }

  @Test func formatOptionOverridesTheExtension() async throws {
    _ = try await Command.promille("check", study, "--output", folder("x.json"), "--format", "csv")
    #expect(try folder.read("x.json").hasPrefix("subject,"))
  }

  @Test func outputReplacesAFileAndLeavesNoOther() async throws {
    try folder.write(String(repeating: "old\n", count: 10_000), to: "x.csv")
    let run = try await Command.promille("check", study, "-o", folder("x.csv"))
    #expect(run.status == 0)
    let printed = try await Command.promille("check", study).output
    #expect(try folder.read("x.csv") == printed)
    #expect(try folder.contents == ["study", "x.csv"])
  }

  @Test(arguments: ["fit", "compare", "sober"])
  func badStudyLeavesTheOutputUnchanged(_ command: String) async throws {
    let bad = try SmallStudy.malformed.write(to: folder, as: "bad")
    try folder.write("precious", to: "x.csv")
    let run = try await Command.promille(command, bad, "-o", folder("x.csv"))
    #expect(run.status == 65)
    #expect(try folder.read("x.csv") == "precious")
  }

  /// A result that the disk has no room for does not replace the old file.
  @Test func fullDiskLeavesTheOutputUnchanged() async throws {
    try folder.write("precious", to: "x.csv")
    var large = SmallStudy()
    let rows = (0..<2000).map { "s\($0),male,40,180,70\n" }
    large.subjects += rows.joined()
    let study = try large.write(to: folder, as: "large")
    let script = "trap '' XFSZ; ulimit -f 8; promille check \"$@\" --quiet 2>/dev/null"
    let run = try await Command.shell(script, study, "-o", folder("x.csv"))
    #expect(run.status == 73)
    #expect(try folder.read("x.csv") == "precious")
    #expect(try folder.contents == ["large", "study", "x.csv"])
  }

  @Test(arguments: ["missing/x.csv", "study", "study/subjects.csv/x", "missing/", "new.csv/"])
  func unwritableOutputIsAnError(_ name: String) async throws {
    let path = folder(name)
    let run = try await Command.promille("check", study, "-o", path)
    #expect(run.status == 73)
    #expect(run.output.isEmpty)
    #expect(run.complaints.count == 1)
    #expect(run.errors.contains("E_OUTPUT: cannot write \(path)"))
    #expect(try folder.contents == ["study"])
  }

  @Test(.enabled(if: hasFullDevice))
  func fullDeviceIsAnError() async throws {
    let run = try await Command.promille("check", study, "-o", "/dev/full")
    #expect(run.status == 73)
    #expect(run.errors.contains("E_OUTPUT: cannot write /dev/full"))
  }

  @Test func devicesAreWrittenToNotReplaced() async throws {
    let run = try await Command.promille("check", study, "-o", "/dev/null")
    #expect(run.status == 0)
    let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type]
    #expect(type as? FileAttributeType == .typeCharacterSpecial)
  }

  @Test func pipesAreWrittenToNotReplaced() async throws {
    try folder.makePipe("pipe")
    let script = "cat \"$2\" & promille check \"$1\" -o \"$2\"; wait"
    let run = try await Command.shell(script, study, folder("pipe"))
    let printed = try await Command.promille("check", study).output
    #expect(run.output == printed)
  }

  // MARK: Links

  @Test func linksAreFollowed() async throws {
    try folder.write("old", to: "file.csv")
    try folder.link("link.csv", to: "file.csv")
    let run = try await Command.promille("check", study, "-o", folder("link.csv"))
    #expect(run.status == 0)
    #expect(try folder.read("file.csv").hasPrefix("subject,"))
    #expect(try isLink("link.csv"))
  }

  @Test func linksToDevicesAreFollowed() async throws {
    try folder.link("link", to: "/dev/null")
    let run = try await Command.promille("check", study, "-o", folder("link"))
    #expect(run.status == 0)
    #expect(try isLink("link"))
  }

  /// `/dev/stdout` is such a link, which root must not replace.
  @Test func linksToStandardOutputAreFollowed() async throws {
    try folder.link("link", to: "/dev/stdout")
    let run = try await Command.shell("promille check \"$@\" | cat", study, "-o", folder("link"))
    #expect(run.output.hasPrefix("subject,"))
    #expect(try isLink("link"))
  }

  /// Other output to the same place is kept.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/stdout")))
  func standardOutputByNameIsStandardOutput() async throws {
    let script =
      "{ echo first; promille check \"$1\" -o /dev/stdout; echo last; } > \"$2\"; cat \"$2\""
    let run = try await Command.shell(script, study, folder("all"))
    let printed = try await Command.promille("check", study).output
    #expect(run.output == "first\n\(printed)last\n")
  }

  @Test func danglingLinksCreateTheirTarget() async throws {
    try folder.link("link.csv", to: "new.csv")
    let run = try await Command.promille("check", study, "-o", folder("link.csv"))
    #expect(run.status == 0)
    #expect(try folder.read("new.csv").hasPrefix("subject,"))
  }

  /// A file that only its owner may read stays so.
  @Test func permissionsOfAReplacedFileAreKept() async throws {
    try folder.write("old", to: "x.csv")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: folder("x.csv"))
    _ = try await Command.promille("check", study, "-o", folder("x.csv"))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder("x.csv"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  @Test func newFilesFollowTheUmask() async throws {
    let run = try await Command.shell("umask 027; promille check \"$@\"", study, "-o", folder("x"))
    #expect(run.status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder("x"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  // MARK: Drafts

  @Test func unopenableSecondFileLeavesNoOutput() async throws {
    let run = try await Command.promille(
      "fit", study, "-o", folder("x.csv"), "--residuals", folder("missing/y.csv"))
    #expect(run.status == 73)
    #expect(run.complaints.count == 1)
    #expect(try folder.contents == ["study"])
  }

  @Test(.enabled(if: hasFullDevice))
  func unwritableSecondFileLeavesNoOutput() async throws {
    let script =
      "promille export \"$1\" --to nonmem | promille fit - -o \"$2\" --residuals /dev/full"
    let run = try await Command.shell(script, study, folder("x.csv"))
    #expect(run.status == 73)
    #expect(try folder.contents == ["study"])
  }

  /// Drafts of a killed run, under any name, do not block later output.
  @Test func leftoverDraftsDoNotBlockOutput() throws {
    let first = try AtomicFile(of: folder("x"))
    let second = try AtomicFile(of: folder("x"))
    try second.write(Data("second".utf8))
    try second.finish()
    try first.finish()
    #expect(try folder.read("x").isEmpty)
    let folders = try (0..<2).map { _ in try FolderOutput(folder("y"), files: ["a"]) }
    try folders[1].finish()
    #expect(throws: OutputFailure.self) { try folders[0].finish() }
    #expect(try folder.read("y/a").isEmpty)
  }

  /// Folders that were made for files go with them.
  @Test func failedOutputRemovesItsFolders() throws {
    let console = Console(isQuiet: true)
    try folder.makeFolder("there/a")
    try folder.write("mine", to: "there/a/b")
    for place in ["new/deep", "there/new", "there"] {
      #expect(throws: (any Error).self) {
        // There is a file where the second one needs a folder.
        try console.prepare(
          [("x/y", "1"), ("a/b/c", "2"), ("a/b", "3")].map { ($0, Data($1.utf8)) },
          in: folder(place), option: "-o"
        ).finish()
      }
    }
    #expect(try folder.contents == ["study", "there"])
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: folder("there")).sorted() == ["a", "a/b"])
  }

  /// Files that are made beside a database are removed after any failure.
  @Test func failedDatabaseLeavesNoFiles() throws {
    #expect(throws: CocoaError.self) {
      try DatabaseOutput.make(folder("x.sqlite")) { draft in
        #expect(draft.hasPrefix(folder(".x.sqlite.")) && draft.hasSuffix(".part"))
        try folder.write("left", to: URL(filePath: draft).lastPathComponent + "-journal")
        throw CocoaError(.fileWriteUnknown)
      }
    }
    #expect(try folder.contents == ["study"])
    // Nor does it take the place of something that has come meanwhile.
    let error = #expect(throws: StoreError.self) {
      try DatabaseOutput.make(folder("x.sqlite")) { _ in try folder.write("mine", to: "x.sqlite") }
    }
    #expect(error?.code == .notWritable)
    #expect(try folder.read("x.sqlite") == "mine")
    #expect(try folder.contents == ["study", "x.sqlite"])
  }

  @Test func unfinishedOutputsAreRemoved() throws {
    try folder.write("old", to: "x")
    do {
      let replacements = try ["x", "y", "z"].map { try AtomicFile(of: folder($0)) }
      _ = try FolderOutput(folder("w"), files: ["a"])
      try replacements[1].finish()
      // Something has come to the place of the last one.
      try folder.makeFolder("z")
      #expect(throws: OutputFailure.self) { try replacements[2].finish() }
    }
    #expect(try folder.contents == ["study", "x", "y", "z"])
    #expect(try folder.read("x") == "old")
  }

  private func isLink(_ name: String) throws -> Bool {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder(name))
    return attributes[.type] as? FileAttributeType == .typeSymbolicLink
  }
}
