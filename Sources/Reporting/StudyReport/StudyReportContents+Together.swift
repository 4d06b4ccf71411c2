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
        "One series is too short to show that its errors are correlated or that the curve has a wrong "
          + "shape; a study is not. Standard errors here are those between series, so that they hold "
          + "whatever the errors within a series are like."),
    ]
    if !tests.rows.isEmpty {
      blocks += [
        .table(
          tests,
          caption:
            "Lag-1 autocorrelation: of residuals of neighbouring readings, with its 95 % interval, "
            + "and what a right model with independent errors would leave (Box and Pierce 1970). Trends: "
            + "F of Hotelling's test that residuals have no level, slope or curvature over time since the "
            + "first drink, and over the predicted concentration."),
        .table(
          bins,
          caption:
            "Mean residual (measured minus fitted, in residual SDs) by time since the first drink "
            + "and by predicted concentration, with 95 % intervals between series. Readings closer to "
            + "nothing than three SDs are left out."),
      ]
    }
    if let models {
      blocks.append(
        .table(
          models,
          caption:
            "By how much the sum of -2 ln L over all series falls with a model of one parameter more "
            + "a series, and by how much it would if Widmark's model were right."))
    }
    let remarks =
      Report.remarks(on: diagnostics)
      + evidence.filter(\.isNoteworthy).map { StudyWarning.betterModel($0).remark }
    return blocks + (remarks.isEmpty ? [] : [.list(remarks)])
  }
}
