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
  /// Takes the results of one command after the other.
  let results: TemporaryFile

  /// Makes all results anew and compares them with the golden ones, and the options they are made with.
  func outcomes() throws -> [GoldenOutcome] {
    try manifests.flatMap { manifest in
      let commands = try manifest.results.map { try command(of: $0) }
      let outcomes = try zip(manifest.results, commands).map {
        GoldenOutcome($0, try ending($0, by: $1, of: manifest))
      }
      return try outcomes + options(of: commands, of: manifest)
    }
  }

  private func command(of result: GoldenResult) throws -> GoldenCommand {
    do throws(GoldenCommand.Failure) {
      guard !result.file.hasSuffix("/\(Self.optionsName)") else {
        throw .refused("\(Self.optionsName) holds the options of all commands; choose another name")
      }
      return try GoldenCommand(result)
    } catch {
      throw refusal(error.description, result)
    }
  }

  /// The options of commands beside those that the golden tables were made with; none without tables.
  private func options(
    of commands: [GoldenCommand], of manifest: GoldenManifest
  ) throws -> [GoldenOutcome] {
    guard var result = manifest.results.first else { return [] }
    let rows = zip(manifest.results, commands).flatMap { result, command in
      let table = result.file.dropFirst(manifest.folder.count + 1)
      return command.options.map { [String(table), $0.name, $0.value] }
    }
    result.file = Self.optionsFile(of: manifest)
    var status = stat()
    guard lstat(result.file, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      throw refusal("\(Self.optionsName) is a link, a folder or something else", result)
    }
    (result.key, result.columns, result.truth, result.rules) = (["table", "option"], nil, nil, [])
    return [
      GoldenOutcome(
        result,
        .compared(
          TableComparison(
            of: try golden(result),
            with: ResultTable(columns: ["table", "option", "value"], rows: rows),
            key: result.key, rules: [])))
    ]
  }

  private func ending(
    _ result: GoldenResult, by command: GoldenCommand, of manifest: GoldenManifest
  ) throws -> GoldenOutcome.Ending {
    if let reason = manifest.reasonForAbsence,
      !FileManager.default.fileExists(atPath: manifest.study)
    {
      return .absent(reason)
    }
    do {
      let golden = try golden(result)
      return .compared(
        TableComparison(
          of: golden, with: try found(result, by: command, of: manifest), key: result.tableKey,
          rules: result.rules))
    } catch GoldenCommand.Failure.ended(let code) {
      return .failed("the command exited with \(code.rawValue)")
    } catch let failure as GoldenCommand.Failure {
      throw refusal(failure.description, result)
    }
  }

  /// The golden table; nil if there is none and there need not be.
  private func golden(_ result: GoldenResult) throws -> ResultTable? {
    if isUpdating, !FileManager.default.fileExists(atPath: result.file) { return nil }
    return try ResultTable(readingFrom: result.file, key: result.tableKey)
  }

  private func found(
    _ result: GoldenResult, by command: GoldenCommand, of manifest: GoldenManifest
  ) throws -> ResultTable {
    let made = try command.run(on: manifest.study, into: results)
    try require(result.key, in: made)
    guard let truth = result.truth else {
      return try kept(result, of: made)
    }
    let file = truth.replacing("{study}", with: manifest.study)
    return try kept(
      result,
      of: .recovery(
        of: ResultTable(readingFrom: file, key: result.key), by: made, key: result.key))
  }

  /// The columns that golden results keep; all of them must be there.
  private func kept(_ result: GoldenResult, of table: ResultTable) throws -> ResultTable {
    let named = (result.columns ?? []) + result.rules.flatMap(\.columns)
    let unknown = named.first { $0 != GoldenRule.anyColumn && !table.columns.contains($0) }
    if let unknown {
      throw GoldenCommand.Failure.refused("the command's results have no column \(unknown)")
    }
    return table.kept(result.columns, rules: result.rules)
  }

  /// Refuses a key that does not tell rows apart.
  private func require(
    _ key: [String], in table: ResultTable
  ) throws(GoldenCommand.Failure) {
    let indices = key.compactMap(table.columns.firstIndex)
    let keys = table.rows.map { row in indices.map { row[$0] } }
    guard indices.count == key.count, Set(keys).count == keys.count else {
      throw .refused(
        "several rows of the results have the same \(key.joined(separator: ", "))")
    }
  }

  private func refusal(_ message: String, _ result: GoldenResult) -> StudyError {
    StudyError(
      kind: .badData,
      diagnostics: [
        Diagnostic(
          .fileFormat, at: result.location, message: message, remedy: "correct the manifest")
      ])
  }
}

extension GoldenResult {
  /// The columns that tell rows of the golden table apart.
  var tableKey: [String] { truth == nil ? key : ["parameter"] }
}
