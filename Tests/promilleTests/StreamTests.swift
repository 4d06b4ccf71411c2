import Foundation
import TestSupport
import Testing

/// Results that are written a row at a time.
@Suite struct StreamTests {
  private static let header = "ID,TIME,AMT,DV,SEX,AGE,HT,WT\n"

  /// Rows of a subject whom the model can follow.
  private static func rows(_ id: String) -> String {
    let readings = [(0.25, 0.494), (0.5, 0.652), (1, 0.675), (2, 0.54), (3, 0.39), (4, 0.24)]
    return "\(id),0,40,.,m,40,175,70\n"
      + readings.map { "\(id),\($0.0),.,\($0.1),m,40,175,70\n" }.joined()
  }

  @Test(arguments: [
    ["fit", "--interval", "wald", "--format", "csv"],
    ["fit", "--interval", "wald", "--format", "ndjson"],
    ["sober", "--parameters", "fitted", "--r-factor", "forrest", "--format", "csv"],
    ["compare", "--parameters", "left-out", "--r-factor", "forrest", "--format", "csv"],
  ])
  func jobsMakeNoDifference(to command: [String]) async throws {
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

  @Test func linesOfJSONAreTheRowsOfTheDocument() async throws {
    let study = "datasets/nacar-2021"
    async let lines = Command.promille("sober", study, "--format", "ndjson")
    async let document = Command.promille("sober", study, "--format", "json")
    let rows = try await lines.output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: AnyHashable]
    }
    let expected = try await document.json["times"] as? [[String: AnyHashable]]
    #expect(rows == expected)
  }

  @Test func aRowThatCannotBeReadSpoilsWhomItMayBelongTo() async throws {
    let folder = try TemporaryFolder()
    let table =
      Self.header + Self.rows("a") + Self.rows("b") + "b,5\n" + Self.rows("c") + Self.rows("d")
    try folder.write(table, to: "events.csv")
    let run = try await Command.shell(
      "promille fit - --interval none --format csv <\"$1\"", folder("events.csv"))
    #expect(run.status == 65)
    #expect(try run.rows.map { $0["subject"] } == ["a", "b", "c", "d"])
    #expect(try run.rows.map { $0["status"] } == ["ok", "failed", "failed", "ok"])
    #expect(try run.rows[1]["reason"]?.contains("E_ROW_LOST") == true)
    #expect(run.complaints.contains { $0.hasPrefix("<stdin>:16: error E_FIELD_COUNT") })
    // A file is read through before anything is written.
    let file = try await Command.promille("fit", folder("events.csv"), "--format", "csv")
    #expect(file.status == 65)
    #expect(file.output.isEmpty)
  }

  @Test func aSubjectWhoComesAgainIsAnError() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      Self.header + Self.rows("a") + Self.rows("b") + "a,5,.,0.1,m,40,175,70\n", to: "events.csv")
    let piped = try await Command.shell(
      "promille fit - --interval none --format csv <\"$1\"", folder("events.csv"))
    #expect(piped.status == 1)
    #expect(try piped.rows.map { $0["status"] } == ["ok", "ok", "failed"])
    #expect(try piped.rows[2]["reason"]?.contains("E_SUBJECT_APART") == true)
    let file = try await Command.promille(
      "fit", folder("events.csv"), "--interval", "none", "--format", "csv")
    #expect(file.status == 0)
    #expect(try file.rows.map { $0["n"] } == ["7", "6"])
    #expect(file.complaints.contains { $0.contains("W_SUBJECT_ORDER") })
  }

  @Test func aRowIsThereBeforeTheNextSubjectIs() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.header + Self.rows("a") + "b,0,40,.,m,40,175,70\n", to: "begin")
    try folder.write(
      Self.rows("b").split(separator: "\n").dropFirst().joined(separator: "\n"), to: "end")
    // Writes the rest only after the first row is out; otherwise it gives up.
    let script = """
      mkfifo "$1/pipe"
      promille fit - --interval none --format csv --jobs 1 <"$1/pipe" >"$1/out" &
      exec 3>"$1/pipe"
      cat "$1/begin" >&3
      for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -q ^a, "$1/out" && break
        sleep 0.5
      done
      grep -c ^a, "$1/out"
      cat "$1/end" >&3
      exec 3>&-
      wait
      """
    let run = try await Command.shell(script, folder.path)
    #expect(run.output == "1\n")
    #expect(try CSVText.rows(try folder.read("out")).map { $0["subject"] } == ["a", "b"])
  }

  @Test func nothingIsLeftOfAResultThatFailed() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.header + Self.rows("a") + "a,5\n", to: "events.csv")
    try folder.write("old", to: "result.csv")
    let run = try await Command.shell(
      "promille fit - --interval none -o \"$1/result.csv\" <\"$1/events.csv\"", folder.path)
    #expect(run.status == 65)
    #expect(try folder.read("result.csv") == "old")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["events.csv", "result.csv"])
  }
}
