import TestSupport
import Testing

/// The command in a pipe: a subject goes in, a row comes out.
@Suite struct LiveStreamTests {
  static let commands = [
    "fit - --interval none --format csv --jobs 1", "fit - --interval none --format ndjson --jobs 2",
    "fit - --method elimination-line --format csv",
    // With k_a and K_m fixed, which saves most of the time that four models take.
    "fit - --model all --starts 1 --fix ka=4 --fix km=0.05 --format csv",
    "sober - --r-factor widmark --format csv", "sober - --format ndjson --jobs 2",
  ]

  /// The rows of a subject are written only after the rows of the one before have come out; otherwise the writer gives
  /// up and the rest is missing.
  @Test(arguments: commands)
  func rowsAreWrittenSubjectBySubject(command: String) async throws {
    let folder = try TemporaryFolder()
    // A header and seven rows of each. A part ends with the first row of the next subject, which
    // tells that the one before is complete.
    var lines = EventRows.table(of: "ann", "bob", "cem", "dan").split(separator: "\n")[...]
    for (name, count) in [("ann", 9), ("bob", 7), ("cem", 7), ("dan", 6)] {
      try folder.write(lines.prefix(count).joined(separator: "\n") + "\n", to: name)
      lines = lines.dropFirst(count)
    }
    let script = """
      mkfifo "$1/pipe"
      promille \(command) <"$1/pipe" >"$1/out" &
      exec 3>"$1/pipe"
      for name in ann bob cem; do
        cat "$1/$name" >&3
        for i in $(seq 100); do
          grep -q "\\b$name\\b" "$1/out" && break
          sleep 0.1
        done
        grep -q "\\b$name\\b" "$1/out" || break
        echo "$name is out"
      done
      cat "$1/dan" >&3
      exec 3>&-
      wait
      """
    let run = try await Command.shell(script, folder.path)
    #expect(run.output == "ann is out\nbob is out\ncem is out\n")
    #expect(try folder.read("out").contains("dan"))
  }

  /// A subject with bad data (E_RANGE) gets a row, the others their results. A broken row ends the stream, as it may
  /// belong to the subjects beside it.
  @Test(arguments: commands)
  func badSubjectDoesNotStopTheStream(command: String) async throws {
    let folder = try TemporaryFolder()
    let bad = EventRows.rows(of: "bad").replacing("0.675", with: "-0.675")
    try folder.write(
      EventRows.table(of: "ann") + bad + EventRows.rows(of: "bob"), to: "series")
    try folder.write(
      EventRows.table(of: "ann", "bad") + "\"bad\"x,1\n" + EventRows.rows(of: "bob", "cem"),
      to: "row")
    for (name, status) in [("series", 1), ("row", 65)] {
      let run = try await Command.shell("promille \(command) <\"$1\"", folder(name))
      #expect(run.status == Int32(status), "\(name)")
      for line in run.output.split(separator: "\n").dropFirst(command.contains("csv") ? 1 : 0) {
        #expect(line.contains("failed") == line.contains("bad"), "\(name): \(line)")
      }
      for subject in ["ann", "bad", "bob", "cem"] {
        let isWritten = subject == "ann" || (name == "series" && subject != "cem")
        #expect(run.output.contains(subject) == isWritten, "\(name): \(subject)")
      }
      #expect(run.errors.contains("error E_"), "\(name)")
    }
  }

  /// The reader takes a line and goes. The writer would go on for ever, so that nobody is saved by
  /// the end of the input, and nobody is done before the reader is gone.
  @Test(arguments: commands)
  func closedPipeEndsTheStreamQuietly(command: String) async throws {
    let folder = try TemporaryFolder()
    let run = try await runWithoutEnd(command, in: folder)
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(try folder.read("errors").isEmpty)
    #expect(try folder.read("status") == "141\n")
  }

  /// A second result that is half written when the reader of the first goes does not stay behind.
  @Test func closedPipeLeavesNoPartialFile() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "residuals.csv")
    let run = try await runWithoutEnd(
      "fit - --interval none --format csv --residuals \"$1/residuals.csv\"", in: folder)
    #expect(run.output.hasPrefix("subject,"))
    #expect(try folder.read("errors").isEmpty)
    #expect(try folder.read("residuals.csv") == "old")
    #expect(try folder.contents == ["errors", "header", "residuals.csv", "rows", "status"])
  }

  /// Runs a command between a writer who does not end and a reader of one line.
  private func runWithoutEnd(_ command: String, in folder: TemporaryFolder) async throws -> Outcome
  {
    try folder.write(EventRows.header, to: "header")
    try folder.write(EventRows.rows(of: "subject"), to: "rows")
    let script = """
      (
        cat "$1/header"
        number=0
        while sed "s/^subject/&$number/" "$1/rows"; do number=$((number + 1)); done
      ) 2>/dev/null | (promille \(command) 2>"$1/errors"; echo $? >"$1/status") | head -1
      """
    return try await Command.shell(script, folder.path)
  }
}
