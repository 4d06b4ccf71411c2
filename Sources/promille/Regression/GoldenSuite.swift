import ArgumentParser
import Certification
import Foundation
import Reporting
import StudyData

/// The golden results of several studies.
struct GoldenSuite {
  let manifests: [GoldenManifest]
  /// Whether golden tables may be missing, since they are about to be written.
  let isUpdating: Bool
  /// Where results are made.
  let folder: PrivateFolder

  /// Makes all results anew and compares them with the golden ones.
  func outcomes() throws -> [GoldenOutcome] {
    try manifests.flatMap { manifest in
      try manifest.results.map { GoldenOutcome($0, try ending($0, of: manifest)) }
    }
  }

  private func ending(
    _ result: GoldenResult, of manifest: GoldenManifest
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
          of: golden, with: try found(result, of: manifest), key: result.tableKey,
          rules: result.rules))
    } catch let failure as GoldenCommand.Failure {
      return .failed(try reason(failure, result))
    }
  }

  /// The golden table; nil if there is none and there need not be.
  private func golden(_ result: GoldenResult) throws -> ResultTable? {
    if isUpdating, !FileManager.default.fileExists(atPath: result.file) { return nil }
    return try ResultTable(readingFrom: result.file, key: result.tableKey)
  }

  private func found(
    _ result: GoldenResult, of manifest: GoldenManifest
  ) throws -> ResultTable {
    let made = try GoldenCommand(result, study: manifest.study).run(in: folder)
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

  /// The columns that golden results keep, all of which there must be.
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

  private func reason(_ failure: GoldenCommand.Failure, _ result: GoldenResult) throws -> String {
    switch failure {
    case .ended(let code): return "the command exited with \(code.rawValue)"
    case .refused(let message):
      throw StudyError(
        kind: .badData,
        diagnostics: [
          Diagnostic(
            .manifest, at: result.location, message: message, remedy: "correct the manifest")
        ])
    }
  }
}

extension GoldenResult {
  /// The columns that tell rows of the golden table apart.
  var tableKey: [String] { truth == nil ? key : ["parameter"] }
}
