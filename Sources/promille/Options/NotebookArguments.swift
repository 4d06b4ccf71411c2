import ArgumentParser
import Estimation
import Reporting
import StudyData
import Validation

/// What goes into the results of a notebook.
struct NotebookArguments {
  let curve: CurveArguments
  let prediction: MethodArguments
  let conversion: ConversionOptions
  let threads: JobsOption

  /// Refuses what the library would refuse, before anything is read.
  func check() throws {
    guard !curve.isComparison else {
      throw ValidationError("--model all ranks several models; a notebook needs a single one.")
    }
    try curve.check(conversion.factors)
  }

  /// Writes the results of a study with a notebook into a folder.
  func write(_ study: Study, from input: StudyOptions, to output: FileOptions) throws {
    let evaluation = try StudyEvaluation(
      of: study, fitOptions: curve.options(conversion.factors),
      predictionOptions: prediction.options(curve, conversion.factors), jobs: threads.count)
    let provenance = input.provenance(
      "export", inputs: study.inputs, factors: conversion.factors,
      options: curve.values + prediction.values(evaluation.summary.thresholds, curve))
    try output.write(StudyNotebook(evaluation, provenance: provenance).files)
    let fits = evaluation.series.map(\.fit)
    try output.console.endIfFailed(fits.count(where: \.hasFailed), of: fits.count)
  }
}
