import TestSupport
import Testing

/// The output for the study that ships. Tables are compared to the letter; numbers in full may differ in the last
/// digits from machine to machine.
@Suite struct ResultSnapshotTests {
  struct Case: CustomTestStringConvertible, Sendable {
    /// The name of the snapshots.
    var name: String
    var arguments: [String]
    var status: Int32 = 0

    /// A command on the study that ships.
    init(_ command: String, _ options: String..., as name: String? = nil, status: Int32 = 0) {
      self.name = "nacar-\(name ?? command)"
      self.arguments = [command, "datasets/nacar-2021"] + options
      self.status = status
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  /// The commands. `fit` estimates r: with r fixed the minimum is at infinity, and its digits are noise.
  static let commands = [
    Case("check"),
    Case("fit", "--estimate", "ka,beta,r"),
    // Subject 2 has too few readings after absorption for a line.
    Case("fit", "--method", "elimination-line", as: "fit-line", status: 1),
    Case("compare", "--summary", as: "compare-summary"),
    Case("sober"),
    Case("sober", "--summary", as: "sober-summary"),
    Case(
      "sober", "--predictions", "datasets/nacar-2021/thesis-predictions.csv",
      as: "sober-predictions"),
  ]

  /// A row for each subject and method: on a terminal by an option, else without one.
  static let subjects = Case("compare", "--subjects", as: "compare")

  /// Everything behind the answer.
  static let details = Case("compare", "--details", as: "compare-details")

  /// In JSON, pairs are what the summary has, too.
  static let pairs = Case("compare", "--pairs", as: "compare-pairs")

  /// Curves in characters stand below a table only.
  static let curves = Case("fit", "--estimate", "ka,beta,r", "--plot", as: "fit-plot")

  @Test(arguments: commands + [subjects, details, pairs, curves])
  func tableMatchesSnapshot(_ command: Case) async throws {
    let run = try await Command.promille(command.arguments + ["--format", "table"])
    #expect(run.status == command.status)
    try Snapshot.expect(run.output, named: "\(command.name).txt")
  }

  @Test(arguments: commands + [subjects, pairs])
  func csvMatchesSnapshot(_ command: Case) async throws {
    let run = try await Command.promille(command.arguments + ["--format", "csv"])
    #expect(run.status == command.status)
    let text = try withoutIterations(run.output)
    try Snapshot.expect(text, named: "\(command.name).csv", tolerance: 1e-6)
  }

  @Test(arguments: commands + [subjects])
  func jsonMatchesSnapshot(_ command: Case) async throws {
    let run = try await Command.promille(command.arguments + ["--format", "json"])
    #expect(run.status == command.status)
    let text = run.output.replacing(/"iterations": \d+/, with: "\"iterations\": _")
    try Snapshot.expect(text, named: "\(command.name).json", tolerance: 1e-6)
  }

  /// The table without numbers of iterations, which depend on the last digits.
  private func withoutIterations(_ csv: String) throws -> String {
    let records = try CSVText.records(csv)
    guard let hidden = records.first?.firstIndex(of: "iterations") else { return csv }
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
