import ArgumentParser
import Reporting
import StudyData
import Validation

/// `promille fit`
struct Fit: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Estimate beta, k_a and r of every subject.",
    discussion: """
      --method nonlinear fits the whole curve: one compartment, first-order absorption, zero-order \
      elimination. Standard errors come from the covariance at the minimum.

      --method elimination-line draws Widmark's straight line through the readings after absorption: \
      beta60, C0 at the first drink and the observed r, with intervals. Options of the other method \
      are ignored.

      Ends with 1 if some subject could not be fitted.

      Example: promille fit datasets/nacar-2021 --estimate ka,beta,r
      """)

  @OptionGroup var input: StudyOptions

  @Option(help: "How to fit.")
  var method = FitMethod.nonlinear

  @OptionGroup(title: "Nonlinear fit") var curve: CurveArguments
  @OptionGroup(title: "Elimination line") var limb: LimbArguments
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    let study = try input.read(output.console)
    let failed =
      switch method {
      case .nonlinear: try fitCurves(study)
      case .eliminationLine: try fitLines(study)
      }
    try output.endIfFailed(failed, of: study.series.count)
  }

  /// Prints the nonlinear fits; how many series could not be fitted.
  private func fitCurves(_ study: Study) throws -> Int {
    let fits = try StudyFit.fits(of: study, options: curve.options(conversion.factors))
    try output.print(.fit(fits, provenance: provenance(study, curve.values)))
    return fits.count(where: \.hasFailed)
  }

  /// Prints the elimination lines; how many series have none.
  private func fitLines(_ study: Study) throws -> Int {
    let options = limb.options(conversion.factors)
    let fits = try EliminationLineFit.fits(of: study, options: options)
    try output.print(
      .eliminationLine(fits, options: options, provenance: provenance(study, limb.values)))
    return fits.count(where: \.hasFailed)
  }

  private func provenance(
    _ study: Study, _ values: [(name: String, value: JSONValue)]
  ) -> Provenance {
    input.provenance(
      "fit", inputs: study.inputs, factors: conversion.factors,
      options: [("method", .string(method.rawValue))] + values)
  }
}
