import AlcoholKinetics
import ArgumentParser
import Reporting
import StudyData
import StudyFiles
import StudyStore

struct Check: ResultCommand {
  static let configuration = Help.configuration("check")

  @OptionGroup var input: StudyOptions
  @OptionGroup var age: UpgradeOption
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  mutating func run() throws {
    if age.upgrade { _ = try StudyStore(path: input.study, for: .changing) }
    try input.resolve(&conversion, console)
    let findings = try show()
    // Tables and JSON hold the findings themselves.
    if output.resolvedFormat.isCSV || output.resolvedFormat.isArrow {
      console.report(findings)
    }
    if findings.contains(where: { $0.severity == .error }) {
      throw ExitStatus.badData
    }
  }

  /// Shows what the study contains, as far as it can be read.
  ///
  /// - Returns: The findings.
  private func show() throws -> [Diagnostic] {
    do {
      let reader = try input.open(console)
      guard reader.form != .estimates else {
        let study = try reader.estimates()
        try output.print(.check(study, provenance: provenance(inputs: study.inputs)))
        return study.allDiagnostics
      }
      let format = output.resolvedFormat
      // No other form carries the digests of what was read.
      let overview = try StudyOptions.overview(
        of: reader, takingDigests: format == .json, using: conversion.factors, console)
      if format.isByRow, !format.isArrow {
        try output.write(overview.lines(as: format))
      } else {
        try output.print(.check(overview, provenance: provenance(inputs: overview.inputs)))
      }
      return overview.allFindings
    } catch let error as StudyError where error.kind == .badData {
      try output.print(.check(error, provenance: provenance()))
      return error.diagnostics
    }
  }

  var factors: ConversionFactors { conversion.factors }

  var following: String? {
    line(for: Fit.self, adding: ["--estimate", "ka,beta,r"]).map { "everybody's parameters: \($0)" }
  }
}

/// Whether a database is upgraded before it is read.
struct UpgradeOption: DeliveryOptions {
  @Flag(help: "Upgrade a database made by an older version first.")
  var upgrade = false
}
