import AlcoholKinetics
import Validation

extension StudyReportContents {
  /// The r-factor methods side by side, as `promille compare` has them.
  var comparison: Report {
    Report.comparisonSummary(
      study.summary, of: study.series.flatMap(\.scores),
      options: study.predictionOptions, level: study.bootstrap.level, pairsFirst: false,
      provenance: provenance)
  }

  var methodBlocks: [Block] {
    let report = comparison
    let sobriety = Report.sobriety(
      listed.flatMap(\.scores), options: study.predictionOptions,
      provenance: provenance)
    let captions = [
      "Summary of the methods.", "Rankings of all methods.", "Pairs of methods.",
      "Times to sobriety: how far predictions are off, and how many times are known.",
    ]
    let tables = zip(report.sections.map(\.table), captions).filter(\.0.isForPeople).map {
      Block.table($0, caption: $1)
    }
    return Block.some(
      Figure.methods(of: study).map(Block.figure),
      Figure.blandAltman(of: study).map(Block.figure),
      .paragraph(report.introduction.joined(separator: " ")))
      + tables
      + Block.some(
        errorShares, errorTests, .points(report.notes),
        .paragraph(sobriety.introduction.joined(separator: " ")),
        .table(
          sobriety.sections[0].table,
          caption: "Predicted and measured, by series and method"
            + (isSample ? ", of \(theListed)." : ".")))
  }

  /// What the errors of the time to sobriety are made of, where readings tell.
  private var errorShares: Block? {
    guard !study.errorShares.isEmpty else { return nil }
    return .table(
      Table(TimeErrorShares.columns, rows: study.errorShares),
      caption:
        "What the error of the time is made of: the share that vanishes with each person's own fit of r, beta or "
        + "absorption, averaged over all orders of replacing (Shapley 1953), with intervals over people."
    )
  }

  /// Whether errors go together or lean, where subjects are enough to tell.
  private var errorTests: Block? {
    let tests = Report.errorTests(study.summary.diagnostics)
    guard !tests.rows.isEmpty else { return nil }
    return .table(
      tests,
      caption:
        "Prediction errors over all subjects. Lag-1 autocorrelation: of errors of neighbouring readings "
        + "about the bias, with its 95 % interval between subjects. Trends: F of Hotelling's test that "
        + "errors have no slope or curvature over time since the first drink, and over the predicted "
        + "concentration.")
  }

  var predictedWith: String {
    let symbols = study.predictionOptions.model.kineticSymbols
    let source =
      switch study.predictionOptions.parameters {
      case .given: study.predictionOptions.givenValues
      case .fitted:
        "\(symbols) fitted to the same readings for each r (the best agreement possible with that "
          + "r, not a prediction)"
      case .leftOut: "the median \(symbols) of all other subjects' fits"
      }
    return
      "Each method predicts a curve with \(source), and its own r. A method without a formula for "
      + "a subject is left out for that subject."
      + (study.farAbsorption.map { " \($0)" } ?? "")
      + (PredictionOptions.waterLine(of: study.predictionOptions.methods).map { " " + $0 } ?? "")
  }

  var togetherBlocks: [Block] {
    let (tests, bins) = Report.diagnosticTables(diagnostics)
    let models = evidence.isEmpty ? nil : Table(Report.evidence.columns, rows: evidence)
    guard !tests.rows.isEmpty || models != nil else { return [] }
    var blocks: [Block] = [
      .paragraph(
        "A single series is too short to show correlated errors or a curve of the wrong shape; a whole "
          + "study can show both. The standard errors here are between series, so they hold whatever the "
          + "errors within a series are.")
    ]
    if !tests.rows.isEmpty {
      blocks += [
        .table(
          tests,
          caption:
            "Lag-1 autocorrelation of the residuals of neighbouring readings, with its 95 % interval, and "
            + "the value expected for a right model with independent errors (Box and Pierce 1970). Trends: "
            + "F of Hotelling's test that the residuals have no level, slope or curvature over the time "
            + "since the first drink, and over the predicted concentration."),
        .table(
          bins,
          caption:
            "Mean residual (measured minus fitted, in residual SDs) by time since the first drink "
            + "and by predicted concentration, with 95 % intervals between series. Readings within three "
            + "SDs of zero are left out."),
      ]
    }
    if let models {
      blocks.append(
        .table(
          models,
          caption:
            "Drop in -2 ln L, summed over all series, with one extra parameter per series, and the drop "
            + "expected if Widmark's model were right."))
    }
    let remarks =
      Report.remarks(on: diagnostics)
      + evidence.filter(\.isNoteworthy).map { StudyWarning.betterModel($0).remark }
    return blocks + Block.some(.points(remarks))
  }
}
