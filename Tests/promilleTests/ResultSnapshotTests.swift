import Testing

/// What is printed of the study that ships. Tables are compared to the letter; numbers in full may
/// differ in the last digits from machine to machine.
@Suite struct ResultSnapshotTests {
  private static let study = "datasets/nacar-2021"

  /// Of `fit` with r estimated: with r fixed the minimum is at infinity, and its digits are noise.
  static let commands = [
    ["check", study], ["fit", study, "--estimate", "ka,beta,r"], ["sober", study],
  ]

  @Test(arguments: commands)
  func tableIsAsLastSeen(_ command: [String]) async throws {
    let run = try await Command.promille(command + ["--format", "table"])
    #expect(run.status == 0)
    try Snapshot.expect(run.output, named: "nacar-\(command[0]).txt")
  }

  @Test(arguments: commands)
  func csvIsAsLastSeen(_ command: [String]) async throws {
    let run = try await Command.promille(command + ["--format", "csv"])
    #expect(run.status == 0)
    let text = try withoutIterations(CSVText.records(run.output))
    try Snapshot.expect(text, named: "nacar-\(command[0]).csv", tolerance: 1e-6)
  }

  @Test(arguments: commands)
  func jsonIsAsLastSeen(_ command: [String]) async throws {
    let run = try await Command.promille(command + ["--format", "json"])
    #expect(run.status == 0)
    let text = run.output.replacing(/"iterations": \d+/, with: "\"iterations\": _")
    try Snapshot.expect(text, named: "nacar-\(command[0]).json", tolerance: 1e-6)
  }

  /// How many iterations a minimum takes depends on the last digits.
  private func withoutIterations(_ records: [[String]]) -> String {
    let hidden = records.first?.firstIndex(of: "iterations")
    let lines = records.enumerated().map { index, record in
      record.enumerated().map { index > 0 && $0 == hidden ? "_" : $1 }.joined(separator: ",")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  @Test func equalRunsGiveEqualBytes() async throws {
    let folder = try TemporaryFolder()
    let study = try SmallStudy().write(to: folder)
    for command in Command.names {
      async let first = Command.promille(command, study, "--format", "json")
      async let second = Command.promille(command, study, "--format", "json")
      #expect(try await first.output == second.output)
    }
  }
}
