import TestSupport
import Testing

/// The output for a study of estimates, as ``ResultSnapshotTests`` has it for series.
@Suite struct EstimateSnapshotTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallEstimates().write(to: folder)
  }

  @Test(arguments: ["check", "compare"], ["table", "csv", "json"])
  func estimatesMatchSnapshot(_ command: String, _ format: String) async throws {
    try await expectSnapshot("estimates-\(command)", [command, study], format)
  }

  @Test(arguments: ["table", "csv", "json"])
  func summaryBySexMatchesSnapshot(_ format: String) async throws {
    try await expectSnapshot("estimates-compare-sex", ["compare", study, "--by", "sex"], format)
  }

  private func expectSnapshot(
    _ name: String, _ arguments: [String], _ format: String
  ) async throws {
    let run = try await Command.promille(arguments + ["--format", format])
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    // The folder has another name in every run.
    try Snapshot.expect(
      run.output.replacing(folder.path, with: "FOLDER"),
      named: "\(name).\(format == "table" ? "txt" : format)",
      tolerance: format == "table" ? 0 : 1e-6)
  }
}
