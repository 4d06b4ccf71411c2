import ArgumentParser
import Certification
import Foundation
import Reporting
import StudyData
import StudyFiles

/// The golden results of several studies.
struct GoldenSuite {
  /// The table beside golden tables that holds the options of their commands, whole: a default that
  /// changes is a drift, even where it moves no number.
  private static let optionsName = "options.csv"

  static func optionsFile(of manifest: GoldenManifest) -> String {
    "\(manifest.folder)/\(optionsName)"
  }

  let manifests: [GoldenManifest]
  /// Whether golden tables may be missing, since they are about to be written.
  let isUpdating: Bool
  /// Receives the results of one command after the other.
  let results: TemporaryFile

  /// Computes all results again and compares them, and their options, with the golden ones.
  func outcomes() throws -> [GoldenOutcome] {
    try manifests.flatMap { manifest in
      let commands = try manifest.results.map { result in
        guard !result.file.hasSuffix("/\(Self.optionsName)") else {
          throw result.refusal(
            "\(Self.optionsName) holds the options of all commands; choose another name")
        }
        return try GoldenCommand(result)
      }
      let outcomes = try commands.map { GoldenOutcome($0.result, try ending(of: $0, manifest)) }
      return try outcomes + options(of: commands, of: manifest)
    }
  }

  /// The options of commands beside those that the golden tables were made with; none without tables.
  private func options(
    of commands: [GoldenCommand], of manifest: GoldenManifest
  ) throws -> [GoldenOutcome] {
    guard var result = manifest.results.first else { return [] }
    let rows = commands.flatMap { command in
      let table = command.result.file.dropFirst(manifest.folder.count + 1)
      return command.options.map { [String(table), $0.name, $0.value] }
    }
    result.file = Self.optionsFile(of: manifest)
    var status = stat()
    guard lstat(result.file, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw result.refusal("\(Self.optionsName) is a link, a folder or something else")
    }
    result.key = ["table", "option"]
    result.columns = nil
    result.truth = nil
    result.rules = []
    let made = ResultTable(columns: ["table", "option", "value"], rows: rows)
    return [
      GoldenOutcome(
        result,
        .compared(TableComparison(of: try golden(result), with: made, key: result.key, rules: [])))
    ]
  }

  private func ending(
    of command: GoldenCommand, _ manifest: GoldenManifest
  ) throws -> GoldenOutcome.Ending {
    if let reason = manifest.reasonForAbsence,
      !FileManager.default.fileExists(atPath: manifest.study)
    {
      return .absent(reason)
    }
    let result = command.result
    let golden = try golden(result)
    do {
      let made = try command.table(on: manifest.study, into: results)
      return .compared(
        TableComparison(of: golden, with: made, key: result.tableKey, rules: result.rules))
    } catch let ended as GoldenCommand.Ended {
      return .failed("the command exited with \(ended.code.rawValue)")
    }
  }

  /// The golden table; nil if there is none and there need not be.
  private func golden(_ result: GoldenResult) throws -> ResultTable? {
    if isUpdating, !FileManager.default.fileExists(atPath: result.file) { return nil }
    return try ResultTable(readingFrom: result.file, key: result.tableKey)
  }
}

/// The command of golden results, which is run as if it had been typed.
private struct GoldenCommand {
  /// A command that ended without results.
  struct Ended: Error { let code: ExitCode }

  /// The commands that a manifest may have. It may come from anywhere, so that it can have results
  /// made, and nothing else.
  private static let commands = ["check", "fit", "compare", "sober", "simulate"]
  private static let certification = ["regress", "--nist"]
  private static let refusedOptions = [
    "--output", "--format", "--residuals", "--update", "--upgrade", "--cohort", "--help",
    "--help-all", "--help-hidden", "--version", "--decimal",
  ]

  let result: GoldenResult
  let options: [(name: String, value: String)]

  init(_ result: GoldenResult) throws {
    self.result = result
    let words = result.command
    guard Self.commands.contains(words.first ?? "") || words == Self.certification else {
      throw result.refusal(
        "a command is one of \(Self.commands.joined(separator: ", ")), or "
          + Self.certification.joined(separator: " "))
    }
    if let refused = words.first(where: Self.isRefused) {
      throw result.refusal("\(refused) is not allowed in the command of golden results")
    }
    let command = try Self.parsed(words, of: result)
    guard let recorded = command as? any ResultCommand else {
      throw result.refusal("\(words[0]) has no options that can be kept")
    }
    options = [("command", type(of: command).name)] + recorded.options.map { ($0, $1.inline) }
  }

  /// Whether an argument says where to write, or in which format. Short options may stand together
  /// in one argument, and none of them has to do with results.
  private static func isRefused(_ argument: String) -> Bool {
    let option = argument.prefix { $0 != "=" }
    let isShort = option.hasPrefix("-") && !option.hasPrefix("--") && Double(argument) == nil
    return isShort || refusedOptions.contains(String(option))
  }

  private static func parsed(
    _ words: [String], of result: GoldenResult
  ) throws -> any ParsableCommand {
    do {
      return try Promille.command(from: words)
    } catch {
      throw result.refusal(Promille.message(for: error))
    }
  }

  /// Runs the command on a study, or compares what it finds with the truth.
  ///
  /// - Throws: ``Ended`` if it has no results.
  func table(on study: String, into file: TemporaryFile) throws -> ResultTable {
    let made = try run(on: study, into: file)
    let places = result.key.compactMap(made.columns.firstIndex)
    let keys = made.rows.map { row in places.map { row[$0] } }
    guard places.count == result.key.count, Set(keys).count == keys.count else {
      throw result.refusal(
        "several rows of the results have the same \(result.key.joined(separator: ", "))")
    }
    guard let truth = result.truth?.replacing("{study}", with: study) else {
      return try kept(of: made)
    }
    return try kept(
      of: .recovery(
        of: ResultTable(readingFrom: truth, key: result.key), by: made, key: result.key))
  }

  /// The columns that golden results keep; all of them must be there.
  private func kept(of table: ResultTable) throws -> ResultTable {
    let named = (result.columns ?? []) + result.rules.flatMap(\.columns)
    let unknown = named.first { $0 != GoldenRule.anyColumn && !table.columns.contains($0) }
    if let unknown { throw result.refusal("the command's results have no column \(unknown)") }
    return table.kept(result.columns, rules: result.rules)
  }

  /// Runs the command, with its results in a temporary file.
  private func run(on study: String, into file: TemporaryFile) throws -> ResultTable {
    file.empty()
    // Simulations write CSV always.
    let format = result.command.first == "simulate" ? [] : ["--format", "csv"]
    let words = result.command.map { $0.replacing("{study}", with: study) } + format
    var command = try Self.parsed(words + ["--output", file.path, "--quiet"], of: result)
    do {
      try command.run()
    } catch let code as ExitCode where code == ExitStatus.someFailed {
      // Which rows have no result, and why, is a result too.
    } catch let code as ExitCode {
      throw Ended(code: code)
    } catch let error as any EndingError {
      error.report(on: Console(isQuiet: true))
      throw Ended(code: error.exitCode)
    }
    return try ResultTable(readingFrom: file.path, key: [])
  }
}

extension GoldenResult {
  /// The columns that tell rows of the golden table apart.
  fileprivate var tableKey: [String] { truth == nil ? key : ["parameter"] }

  fileprivate func refusal(_ message: String) -> StudyError {
    StudyError(
      kind: .badData,
      diagnostics: [
        Diagnostic(.fileFormat, at: location, message: message, remedy: "correct the manifest")
      ])
  }
}
