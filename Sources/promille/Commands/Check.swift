import ArgumentParser
import Reporting
import StudyData

/// `promille check`
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tell what is in a study and what is wrong with it; fit nothing.",
    discussion: """
      Ends with 65 if there is an error.

      Example: promille check datasets/nacar-2021
      """)

  @OptionGroup var input: StudyOptions
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    let study: Study
    do {
      study = try StudyReader.read(input.study)
    } catch {
      try reportUnreadable(error)
      throw error.exitCode
    }
    try output.print(.check(study, provenance: provenance(inputs: study.inputs)))
    tell(study.allDiagnostics)
    if study.allDiagnostics.contains(where: { $0.severity == .error }) {
      throw ExitStatus.badData
    }
  }

  private func provenance(inputs: [InputDigest]) -> Provenance {
    input.provenance("check", inputs: inputs, factors: conversion.factors)
  }

  private func reportUnreadable(_ error: StudyError) throws {
    if error.kind == .badData {
      try output.print(.check(error, provenance: provenance(inputs: [])))
    }
    if error.kind == .noInput || output.resolvedFormat == .csv {
      error.diagnostics.forEach { output.console.error($0.description) }
    }
  }

  /// Tables and JSON hold the findings themselves.
  private func tell(_ diagnostics: [Diagnostic]) {
    guard output.resolvedFormat == .csv else { return }
    diagnostics.forEach { output.console.warning($0.description) }
  }
}
