import Validation

extension StudyReportContents {
  /// What all series say together about model and errors.
  var togetherBlocks: [Block] {
    let diagnostics = StudyDiagnostics(of: study.series.map(\.fit))
    let (tests, bins) = Report.diagnosticTables(diagnostics)
    let models = evidence.isEmpty ? nil : Report.evidenceSection(evidence).table
    guard !tests.rows.isEmpty || models != nil else { return [] }
    var blocks: [Block] = [
      .heading(2, "All series together"),
      .paragraph(
        "A single series is too short to show correlated errors or a curve of the wrong shape; a whole "
          + "study can show both. The standard errors here are between series, so they hold whatever the "
          + "errors within a series are."),
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
    return blocks + (remarks.isEmpty ? [] : [.list(remarks)])
  }
}
