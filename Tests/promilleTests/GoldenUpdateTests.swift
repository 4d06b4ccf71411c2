import Foundation
import TestSupport
import Testing

/// `regress --update` writes all golden tables beside the old ones before it renames any.
@Suite struct GoldenUpdateTests {
  private let folder: TemporaryFolder
  private let studies: [String]

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    studies = try ["one", "two"].map { name in
      let study = try SmallStudy().write(to: folder, as: name)
      try folder.makeFolder("\(name)/golden")
      try folder.write(
        #"{"results": [{"file": "a.csv", "command": ["check", "{study}"], "key": ["subject"]}]}"#,
        to: "\(name)/golden/manifest.json")
      try folder.write("subject\nold\n", to: "\(name)/golden/a.csv")
      return study
    }
  }

  private func contents(_ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder("\(name)/golden")).sorted()
  }

  @Test func updateRewritesAllTablesAndLeavesNoOtherFiles() async throws {
    let run = try await Command.promille(["regress"] + studies + ["--update"])
    #expect(run.status == 0, "\(run.errors)")
    for name in ["one", "two"] {
      #expect(try folder.read("\(name)/golden/a.csv").contains("ann"))
      #expect(try contents(name) == ["a.csv", "manifest.json", "options.csv"])
    }
    #expect(try await Command.promille(["regress"] + studies).status == 0)
  }

  /// The second folder cannot be written to.
  @Test(.enabled(if: FileSystems.canMount))
  func updateRewritesNoTableIfOneCannotBeWritten() async throws {
    let run = try await Command.shell(
      """
      unshare -rm sh -c '
        mount --bind "$3/golden" "$3/golden" && mount -o remount,ro,bind "$3/golden"
        "$1" regress "$2" "$3" --update
      ' sh "$command" "$@"
      """, studies[0], studies[1])
    #expect(run.status == 73)
    #expect(run.errors.contains("E_OUTPUT: cannot write \(studies[1])/golden/"), "\(run.errors)")
    for name in ["one", "two"] {
      #expect(try folder.read("\(name)/golden/a.csv") == "subject\nold\n")
      #expect(try contents(name) == ["a.csv", "manifest.json"])
    }
  }
}
