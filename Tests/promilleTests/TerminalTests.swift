import Foundation
import TestSupport
import Testing

/// Output on a terminal: tables that fit, and colours.
@Suite struct TerminalTests {
  private static let study = PackageFolder.dataset("nacar-2021")
  private static let fast = ["--starts", "1", "--interval", "wald", "--quiet"]

  // MARK: Width

  @Test(arguments: [40, 80, 120]) func tablesFitTheTerminal(columns: Int) async throws {
    let run = try await Command.onTerminal("compare", Self.study, "--subjects", columns: columns)
    #expect(run.output.contains("subject  status"))
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(run.output)")
    try Snapshot.expect(run.output, named: "terminal-\(columns).txt")
  }

  @Test func columnsVariableOverridesTerminalWidth() async throws {
    let told = try await Command.onTerminal(
      "check", Self.study, columns: 120, environment: ["COLUMNS": "40"])
    let narrow = try await Command.onTerminal("check", Self.study, columns: 40)
    #expect(told.output == narrow.output)
    #expect(narrow.output.contains("Hidden, too wide for 40"))
    let unknown = try await Command.onTerminal("check", Self.study)
    let usual = try await Command.onTerminal("check", Self.study, columns: 80)
    #expect(unknown.output == usual.output)
    #expect(usual.output.contains("\nsubjects: 4, series: 4"))
  }

  @Test func tablesOutsideATerminalAreWhole() async throws {
    let run = try await Command.promille(
      "compare", Self.study, "--format", "table", environment: ["COLUMNS": "40"])
    #expect(!run.output.contains("Hidden, too wide"))
  }

  // MARK: Remarks

  /// Only a terminal hides the fourth line of warnings and remarks and further ones, and says how many `--details` shows
  /// besides; findings that repeat are one of these lines.
  @Test func terminalShowsThreeWarningsWithoutDetails() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("s")
    func table(_ name: String) throws -> String {
      try String(contentsOf: URL(filePath: "\(Self.study)/\(name)"), encoding: .utf8)
    }
    try folder.write(
      table("subjects.csv") + "A,male,25,180,80\na,male,25,180,80\n", to: "s/subjects.csv")
    try folder.write(table("drinks.csv") + "A,0,500,0.05\na,0,5,5\n", to: "s/drinks.csv")
    try folder.write(table("readings.csv"), to: "s/readings.csv")
    let study = folder("s")
    func warnings(_ text: String) -> Int { text.components(separatedBy: "warning W_").count - 1 }
    let repeated = "promille: findings that repeat are shown once"

    let all = try await Command.promille("compare", study, "--format", "table")
    let count = warnings(all.errors)
    #expect(count == 6 && !all.errors.contains("more with --details"), "\(all.errors)")
    #expect(all.errors.contains("4 like this") && all.errors.contains(repeated), "\(all.errors)")
    // Three warnings and the remark on those that repeat are held back.
    let brief = try await Command.onTerminal("compare", study, showingErrors: true)
    #expect(warnings(brief.output) == 3, "\(brief.output)")
    #expect(brief.output.contains("promille: 4 more with --details"), "\(brief.output)")
    #expect(!brief.output.contains(repeated), "\(brief.output)")
    let detailed = try await Command.onTerminal("compare", study, "--details", showingErrors: true)
    #expect(warnings(detailed.output) == count, "\(detailed.output)")
    #expect(detailed.output.contains(repeated), "\(detailed.output)")
    #expect(!detailed.output.contains("more with --details"))
    let logged = try await Command.onTerminal("compare", study)
    #expect(warnings(logged.errors) == count, "\(logged.errors)")
    // Of the study itself there are two warnings and the remark: nothing is held back.
    let short = try await Command.onTerminal("compare", Self.study, showingErrors: true)
    #expect(warnings(short.output) == 2 && short.output.contains(repeated), "\(short.output)")
    #expect(!short.output.contains("more with --details"), "\(short.output)")
  }

  // MARK: Colour

  private static let named = ["TERM": "xterm"]

  @Test func statusAndCodesAreHighlighted() async throws {
    let run = try await Command.onTerminal(
      "compare", Self.study, "--subjects", columns: 200, environment: Self.named)
    #expect(run.output.contains("\u{1B}[32mok"))
    #expect(run.output.contains("\u{1B}[33mnot-applicable\u{1B}[0m"))
    #expect(run.output.contains("\u{1B}[33mW_ABOVE_DOSE\u{1B}[0m: some"))
    #expect(!run.errors.contains("\u{1B}"))
    let plain = try await Command.promille("compare", Self.study, "--subjects", "--format", "table")
    // Long sentences over the table are broken on a terminal.
    let words = { (text: String) in text.split(whereSeparator: \.isWhitespace) }
    #expect(words(run.output.replacing(/\u{1B}\[\d+m/, with: "")) == words(plain.output))
  }

  @Test func coloursCanBeTurnedOff() async throws {
    let asked = try await Command.onTerminal(
      "check", Self.study, "--color", "never", environment: Self.named)
    let byEnvironment = try await Command.onTerminal(
      "check", Self.study, environment: Self.named.merging(["NO_COLOR": "1"]) { $1 })
    #expect(!asked.output.contains("\u{1B}") && !byEnvironment.output.contains("\u{1B}"))
  }

  @Test func coloursCanBeForced() async throws {
    let run = try await Command.promille(
      "check", Self.study, "--format", "table", "--color", "always", environment: ["NO_COLOR": "1"])
    #expect(run.output.contains("\u{1B}["))
    let file = try await Command.promille(
      "check", Self.study, "--format", "csv", "--color", "always")
    #expect(!file.output.contains("\u{1B}"))
    #expect(file.errors.contains("\u{1B}[33mwarning W_READING_SCALE\u{1B}[0m"))
  }

  // MARK: Decimal comma

  /// Decimal commas change no number or word, and fields with a semicolon are quoted.
  @Test(arguments: [["--method", "nonlinear"], ["--model", "all"], ["--summary"]])
  func decimalCommasAreWritten(_ options: [String]) async throws {
    // A comparison of models makes no intervals.
    let fast =
      options.contains("all")
      ? Self.fast.filter { !["--interval", "wald"].contains($0) } : Self.fast
    let command = ["fit", Self.study, "--format", "csv"] + options + fast
    let point = try await Command.promille(command)
    let comma = try await Command.promille(command + ["--decimal", "comma"])
    let expected = try CSVText.records(point.output).map { record in
      record.map { cell in
        if Double(cell) != nil { return cell.replacing(".", with: ",") }
        return cell.contains(";") ? "\"\(cell)\"" : cell
      }.joined(separator: ";") + "\n"
    }
    #expect(comma.output == expected.joined())
    // All fits are implausible, so that a summary has no numbers.
    #expect(comma.output.contains(",") || options == ["--summary"])
    #expect(comma.status == point.status)
  }

  /// A study as spreadsheets of such countries save it gives the results of the original.
  @Test func studyWithDecimalCommasGivesTheSameResults() async throws {
    let folder = try TemporaryFolder()
    for file in ["subjects.csv", "drinks.csv", "readings.csv", "datapackage.json"] {
      let text = try String(
        contentsOf: PackageFolder.root.appending(path: "datasets/nacar-2021/\(file)"),
        encoding: .utf8)
      let isTable = file.hasSuffix(".csv")
      try folder.write(
        isTable ? text.replacing(",", with: ";").replacing(".", with: ",") : text, to: file)
    }
    let command = ["compare", "--format", "csv", "--quiet"]
    let read = try await Command.promille(command + [folder.path])
    let original = try await Command.promille(command + [Self.study])
    #expect(read.output == original.output)
  }
}
