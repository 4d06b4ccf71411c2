import Foundation
import TestSupport
import Testing

/// Results that are written a row at a time.
@Suite struct StreamTests {
  @Test(arguments: [
    ["fit", "--interval", "wald", "--format", "csv"],
    ["fit", "--interval", "wald", "--format", "ndjson"],
    ["sober", "--parameters", "fitted", "--r-factor", "forrest", "--format", "csv"],
    ["compare", "--parameters", "left-out", "--r-factor", "forrest", "--format", "csv"],
  ])
  func jobsDoNotChangeStreamedRows(to command: [String]) async throws {
    let folder = try TemporaryFolder()
    let cohort = folder("cohort")
    let made = try await Command.promille(
      "simulate", "--cohort", "60", "--lod", "0.05", "-o", cohort)
    #expect(made.status == 0)
    async let one = Command.promille(command + [cohort, "--starts", "2", "--jobs", "1"])
    async let three = Command.promille(command + [cohort, "--starts", "2", "--jobs", "3"])
    #expect(try await one.output == three.output)
    let lines = try await one.output.split(separator: "\n")
    #expect(lines.count == 60 + (command.last == "csv" ? 1 : 0))
  }

  @Test func ndjsonLinesMatchJSONRows() async throws {
    let study = "datasets/nacar-2021"
    async let lines = Command.promille("sober", study, "--format", "ndjson")
    async let document = Command.promille("sober", study, "--format", "json")
    let rows = try await lines.output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: AnyHashable]
    }
    let expected = try await document.json["times"] as? [[String: AnyHashable]]
    #expect(rows == expected)
  }

  @Test(arguments: ["compare", "sober"])
  func pipeGivesTheRowsOfTheFile(command: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(EventRows.table(of: "a", "b", "c"), to: "events.csv")
    let piped = try await Command.shell(
      "promille \(command) - --food fasted --format csv -q <\"$1\"", folder("events.csv"))
    let file = try await Command.promille(
      command, folder("events.csv"), "--food", "fasted", "--format", "csv", "-q")
    #expect(try file.rows.count == 15)
    #expect(piped.output == file.output && piped.status == file.status)
  }

  @Test func rowsBeforeAnUnreadableRowAreWritten() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      EventRows.table(of: "a", "b") + "b,5\n" + EventRows.rows(of: "c", "d"), to: "events.csv")
    let run = try await Command.shell(
      "promille fit - --interval none --format csv <\"$1\"", folder("events.csv"))
    #expect(run.status == 65)
    #expect(try run.rows.map { $0["subject"] } == ["a"])
    #expect(try run.rows.map { $0["status"] } == ["ok"])
    #expect(run.complaints.contains { $0.hasPrefix("<stdin>:16: error E_CSV") })
    // What is read ahead of a file is more than this.
    let file = try await Command.promille("fit", folder("events.csv"), "--format", "csv")
    #expect(file.status == 65)
    #expect(file.output.isEmpty)
  }

  @Test func repeatedSubjectInAPipeIsAnError() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      EventRows.table(of: "a", "b") + "a,5,.,0.1,m,40,175,70\n", to: "events.csv")
    let piped = try await Command.shell(
      "promille fit - --interval none --format csv <\"$1\"", folder("events.csv"))
    #expect(piped.status == 65)
    // The rows of b may go on behind the one of a.
    #expect(try piped.rows.map { $0["subject"] } == ["a"])
    #expect(piped.complaints.contains { $0.hasPrefix("<stdin>:16:1: error E_SUBJECT_APART") })
    let file = try await Command.promille(
      "fit", folder("events.csv"), "--interval", "none", "--format", "csv")
    #expect(file.status == 0)
    #expect(try file.rows.map { $0["n"] } == ["7", "6"])
    #expect(file.complaints.contains { $0.contains("W_SUBJECT_ORDER") })
  }

  /// Line 900,000 of a file: more than is read ahead.
  @Test(arguments: ["csv", "ndjson"])
  func rowsBeforeADistantBrokenLineAreWritten(format: String) async throws {
    let folder = try TemporaryFolder()
    var rows = EventRows.header
    for subject in 0..<700 {
      rows += "s\(1000 + subject),0,40,.,m,40,175,70\n"
      for reading in 1...100 {
        rows += "s\(1000 + subject),\(Double(reading) / 20),.,0.5,m,40,175,70\n"
      }
    }
    try folder.write(rows + "s1699,6\n", to: "events.csv")
    let options = ["--method", "elimination-line", "--format", format]
    let run = try await Command.promille(["fit", folder("events.csv")] + options)
    #expect(run.status == 65)
    #expect(run.complaints.contains { $0.contains("events.csv:70702: error E_CSV") })
    let lines = run.output.split(separator: "\n").count
    #expect(lines == 699 + (format == "csv" ? 1 : 0))
    let whole = try await Command.promille(
      ["fit", folder("events.csv"), "-o", folder("result.csv")] + options)
    #expect(whole.status == 65)
    #expect(try folder.contents == ["events.csv"])
  }

  @Test func failedStreamLeavesTheOutputUnchanged() async throws {
    let folder = try TemporaryFolder()
    try folder.write(EventRows.table(of: "a") + "a,5\n", to: "events.csv")
    try folder.write("old", to: "result.csv")
    let run = try await Command.shell(
      "promille fit - --interval none -o \"$1/result.csv\" <\"$1/events.csv\"", folder.path)
    #expect(run.status == 65)
    #expect(try folder.read("result.csv") == "old")
    #expect(try folder.contents == ["events.csv", "result.csv"])
  }
}
