import AlcoholKinetics
import ArgumentParser
import Reporting
import Spreadsheets
import StudyData
import StudyStore

struct Check: RecordedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what a study contains and what is wrong with it.",
    discussion: """
      Nothing is fitted. Exits with 65 if there is an error.

      Example: promille check datasets/nacar-2021
      """)

  @OptionGroup var input: StudyOptions
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  mutating func run() throws {
    try input.settle(&conversion, console)
    let (result, findings) = try checked()
    switch result {
    case .overview(let overview)
    where output.resolvedFormat.isByRow && output.resolvedFormat != .arrow:
      try output.write(overview.lines(as: output.resolvedFormat))
    case .overview(let overview):
      try output.print(.check(overview, provenance: provenance(inputs: overview.inputs)))
    case .report(let report):
      try output.print(report)
    }
    // Tables and JSON hold the findings themselves.
    if output.resolvedFormat.isCSV || output.resolvedFormat == .arrow {
      console.tell(findings)
    }
    if findings.contains(where: { $0.severity == .error }) {
      throw ExitStatus.badData
    }
  }

  /// What is to be said of a study.
  private enum Result {
    case report(Report)
    /// Of one that has been gone through and not kept.
    case overview(StudyOverview)
  }

  /// What is to be said about the study, and what was found.
  private func checked() throws -> (Result, [Diagnostic]) {
    do {
      let reader = try input.open()
      console.tell(taken: reader.taken, of: reader.path)
      if reader.form == .estimates {
        let study = try reader.estimates()
        return (
          .report(.check(study, provenance: provenance(inputs: study.inputs))),
          study.allDiagnostics
        )
      }
      // No other form carries the digests of what was read.
      let overview = try StudyOptions.overview(
        of: reader, takingDigests: output.resolvedFormat == .json, using: conversion.factors)
      return (.overview(overview), overview.allFindings)
    } catch let error as StudyError where error.kind == .badData {
      return (.report(.check(error, provenance: provenance(inputs: []))), error.diagnostics)
    }
  }

  var factors: ConversionFactors { conversion.factors }
}
