import Foundation
import TestSupport
import Testing

/// The command in a pipe: a subject goes in, a row comes out.
@Suite struct LiveStreamTests {
  static let commands = [
    "fit - --interval none --format csv --jobs 1", "fit - --interval none --format ndjson --jobs 2",
    "fit - --method elimination-line --format csv", "fit - --model all --starts 1 --format csv",
    "sober - --r-factor widmark --format csv", "sober - --format ndjson --jobs 2",
  ]
  private static let header = "ID,TIME,AMT,DV,SEX,AGE,HT,WT\n"

  /// Rows of a subject whom the model can follow.
  private static func rows(_ id: String) -> String {
    let readings = [(0.25, 0.494), (0.5, 0.652), (1, 0.675), (2, 0.54), (3, 0.39), (4, 0.24)]
    return "\(id),0,40,.,m,40,175,70\n"
      + readings.map { "\(id),\($0.0),.,\($0.1),m,40,175,70\n" }.joined()
  }

  /// Every subject is written only after the rows of the one before have come out; otherwise the
  /// writer gives up and the rest is missing.
  @Test(arguments: commands)
  func rowsComeOutSubjectBySubject(command: String) async throws {
    let folder = try TemporaryFolder()
    // The next subject's first row tells that the one before is complete.
    let names = ["ann", "bob", "cem", "dan"]
    for (index, name) in names.enumerated() {
      let rows = Self.rows(name).split(separator: "\n", omittingEmptySubsequences: false)
      let next =
        index + 1 < names.count ? Self.rows(names[index + 1]).prefix { $0 != "\n" } + "\n" : ""
      let own =
        index == 0 ? Self.header + Self.rows(name) : rows.dropFirst().joined(separator: "\n")
      try folder.write(own + next, to: name)
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

  /// One whose data are wrong (E_READING_NEGATIVE), or of whom a row is broken: both get a row, the
  /// others their results.
  @Test(arguments: commands)
  func aBadSubjectDoesNotStopTheOthers(command: String) async throws {
    let folder = try TemporaryFolder()
    let bad = Self.rows("bad").replacing("0.675", with: "-0.675")
    try folder.write(Self.header + Self.rows("ann") + bad + Self.rows("bob"), to: "series")
    try folder.write(
      Self.header + Self.rows("ann") + Self.rows("bad") + "\"bad\"x,1\n" + Self.rows("bob")
        + Self.rows("cem"), to: "row")
    for (name, status) in [("series", 1), ("row", 65)] {
      let run = try await Command.shell("promille \(command) <\"$1\"", folder(name))
      #expect(run.status == Int32(status), "\(name)")
      for line in run.output.split(separator: "\n").dropFirst(command.contains("csv") ? 1 : 0) {
        let isBad = line.contains("bad") || (name == "row" && line.contains("bob"))
        #expect(line.contains("failed") == isBad, "\(name): \(line)")
      }
      for subject in ["ann", "bad", "bob"] { #expect(run.output.contains(subject), "\(name)") }
      #expect(run.errors.contains("error E_"), "\(name)")
    }
  }

  /// The reader takes a line and goes. The writer keeps the pipe open for longer than any test
  /// lasts, so that nobody is saved by the end of the input.
  @Test(arguments: commands)
  func aReaderWhoGoesEndsItQuietly(command: String) async throws {
    let folder = try TemporaryFolder()
    let rows = (1...40).map { Self.rows("subject\($0)") }.joined()
    try folder.write(Self.header + rows, to: "events.csv")
    let script = """
      mkfifo "$1/pipe"
      (cat "$1/events.csv"; exec sleep 1000) >"$1/pipe" &
      feeder=$!
      (promille \(command) <"$1/pipe" 2>"$1/errors"; echo $? >"$1/status") | head -1
      kill $feeder
      """
    let run = try await Command.shell(script, folder.path)
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(try folder.read("errors").isEmpty)
    #expect(try folder.read("status") == "141\n")
  }

  /// A second result that is half written when the reader of the first goes does not stay behind.
  @Test func aReaderWhoGoesLeavesNoHalfFile() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      Self.header + (1...40).map { Self.rows("subject\($0)") }.joined(), to: "events.csv")
    try folder.write("old", to: "residuals.csv")
    let script = """
      promille fit - --interval none --format csv --residuals "$1/residuals.csv" \
        <"$1/events.csv" 2>"$1/errors" | head -1
      """
    let run = try await Command.shell(script, folder.path)
    #expect(run.output.hasPrefix("subject,"))
    #expect(try folder.read("errors").isEmpty)
    #expect(try folder.read("residuals.csv") == "old")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["errors", "events.csv", "residuals.csv"])
  }
}
