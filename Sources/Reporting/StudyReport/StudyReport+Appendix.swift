import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
  var studyBlocks: [Block] {
    let facts = [
      ("Subjects", "\(subjects.count)"),
      ("Series", "\(series.count)"),
      ("Drinks", "\(series.map(\.drinks.count).reduce(0, +))"),
      ("Readings", "\(series.map(\.readings.count).reduce(0, +))"),
      (
        "Readings in",
        Set(series.flatMap(\.readings).map(\.unit.rawValue)).sorted().joined(separator: ", ")
      ),
      ("Instrument", study.study.instrument.flatMap(Report.facts) ?? "not stated"),
    ]
    var part = study.study
    part.series = listed.map(\.series)
    let check = Report.check(part, provenance: provenance)
    return [
      .facts(facts.map { (name: $0.0, value: $0.1) }),
      .table(
        check.sections[0].table,
        caption: "Subjects, drinks and readings" + (isSample ? " of \(theListed)." : ".")),
    ]
  }

  /// What was left out and what is doubtful, by what there is to do.
  var leftOutBlocks: [Block] {
    let notShown =
      listed.count > pictured.count
      ? ["\(listed.count - pictured.count) series appear in the tables only (--figures)."] : []
    // The last one names options of the command.
    let lines = notShown + findings + (fits.firstScreen?.remarks.dropLast() ?? [])
    return [
      .heading(2, "Left out, and what to do"),
      .list(lines.isEmpty ? ["Nothing: all readings were used as they are."] : lines),
    ]
  }

  /// Findings in the files, the first of each kind.
  private var findings: [String] {
    let findings = study.study.allDiagnostics
    let kinds = Dictionary(grouping: findings, by: \.kind)
    return findings.filter { kinds[$0.kind]?.first == $0 }.map { finding in
      let more = (kinds[finding.kind]?.count ?? 1) - 1
      return finding.description
        + (more == 0 ? "" : " (and \(more) more like this; promille check lists all)")
    }
  }

  var peopleBlocks: [Block] {
    let sample =
      isSample
      ? "Shown one by one: \(theListed). Everybody counts in the answer, in summaries and in charts over all people. "
        + "To show everybody here, add --figures \(series.count); promille fit --derived all and promille sober "
        + "list everybody's numbers."
      : nil
    return [.heading(2, "People"), .paragraph(people)]
      + [sample.map(Block.paragraph)].compactMap(\.self)
      + [Figure.people(pictured, in: study).map(Block.figure)].compactMap(\.self)
  }

  var curveBlocks: [Block] {
    guard !pictured.isEmpty else { return [] }
    return [
      .paragraph(
        "Broken lines: the curves that the methods predict, in the colours of the names below zero. There each method "
          + "has its predicted time to sobriety, with the 90 % interval of people like this one if it is known."
      ),
      .figures(pictured.map { .curves(of: $0, in: study) }),
    ]
  }

  /// What is known of the parameters over all people.
  var parameterBlocks: [Block] {
    let summaries = Report.summaries(of: studyFits, study.fitOptions)
    let remarks =
      Report.implausible(among: studyFits) + Report.remarks(on: summaries, study.fitOptions)
    return [.heading(2, "Parameters"), .paragraph(determined)]
      + [Figure.parameters(of: study).map(Block.figure)].compactMap(\.self)
      + [
        .table(
          Table(Report.parameterTable.columns, rows: summaries),
          caption: Report.summaryLines(study.fitOptions).joined(separator: " "))
      ] + (remarks.isEmpty ? [] : [.list(remarks)])
  }

  var estimateBlocks: [Block] {
    [
      .paragraph(fits.introduction.joined(separator: " ")),
      .table(
        Table(Report.fits.columns, rows: listed.map(\.fit)), caption: "Estimates of \(theListed)."),
    ] + derivedBlocks + (fits.notes.isEmpty ? [] : [.list(fits.notes)])
  }

  /// What follows from the fitted curves, a row per series; none if it was not asked for.
  private var derivedBlocks: [Block] {
    let quantities = study.fitOptions.derived.quantities
    guard !quantities.isEmpty else { return [] }
    let columns =
      Series.identityColumns { (fit: StudyFit) in fit.series }
      + quantities.map { quantity in
        Column(forPeople: "\(quantity.title), \(quantity.unit)") { fit in
          fit.result.value.flatMap { value in
            value.derived.first { $0.quantity == quantity }.flatMap(value.shown)
          }
        }
      }
    let threshold =
      quantities.contains(.timeToThreshold)
      ? " Threshold: \(NumberStyle.exact(study.fitOptions.derived.threshold.value)) g/kg." : ""
    return [
      .table(
        Table(columns, rows: listed.map(\.fit)),
        caption:
          "Quantities of the fitted curves, with intervals as above. Times in min since the first "
          + "drink.\(threshold)")
    ]
  }

  var profileBlocks: [Block] {
    let figures = pictured.compactMap { Figure.profiles(of: $0) }
    guard !figures.isEmpty else { return [] }
    return [
      .paragraph(
        "How much worse the best fit gets as one parameter moves away from its estimate. Values below the "
          + "dashed line are in the interval. If the curve never crosses the line, that side is unlimited. A "
          + "curve stops where another parameter hits its search limit."),
      .figures(figures),
    ]
  }

  var residualBlocks: [Block] {
    let rows = listed.compactMap { series in
      series.fit.result.value.flatMap { fit in
        fit.diagnostics.map { (series: series.series, fit: fit, diagnostics: $0) }
      }
    }
    guard !rows.isEmpty else { return [] }
    let table = Table(Series.identityColumns { $0.series } + Self.residualColumns, rows: rows)
    return [Figure.residuals(of: study).map(Block.figure)].compactMap(\.self)
      + [
        .table(
          table,
          caption: "Runs p: probability of so few or so many runs of equal sign by chance. Lag 1: "
            + "correlation of each residual with the one before. Normal p: Shapiro-Wilk test. "
            + "Condition: condition number of the Jacobian with columns scaled to length 1.")
      ]
  }

  private static let residualColumns:
    [Column<(series: Series, fit: SeriesFit, diagnostics: FitDiagnostics)>] = [
      Column(forPeople: "runs p", style: .significant(2), \.diagnostics.runs?.pValue),
      Column(forPeople: "lag 1", style: .decimals(2), \.diagnostics.autocorrelation?.lagOne),
      Column(forPeople: "normal p", style: .significant(2), \.diagnostics.normality?.pValue),
      Column(forPeople: "largest Cook", style: .decimals(2)) {
        $0.fit.readings.compactMap(\.cookDistance).max()
      },
      Column(forPeople: "condition", style: .significant(2), \.diagnostics.conditionNumber),
      Column(
        forPeople: "correlation", style: .decimals(3), \.diagnostics.strongestCorrelation?.value),
      Column(forPeople: "starts at best") { "\($0.fit.startsAtBest) of \($0.fit.starts.count)" },
    ]

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
    let figures = [Figure.methods(of: study), .blandAltman(of: study)].compactMap(\.self)
    return figures.map(Block.figure) + [.paragraph(report.introduction.joined(separator: " "))]
      + tables + errorShareBlocks + errorTestBlocks
      + (report.notes.isEmpty ? [] : [.list(report.notes)]) + [
        .paragraph(sobriety.introduction.joined(separator: " ")),
        .table(
          sobriety.sections[0].table,
          caption: "Predicted and measured, by series and method"
            + (isSample ? ", of \(theListed)." : ".")),
      ]
  }

  /// What the errors of the time to sobriety are made of, where readings tell.
  private var errorShareBlocks: [Block] {
    guard !study.errorShares.isEmpty else { return [] }
    return [
      .table(
        Table(TimeErrorShares.columns, rows: study.errorShares),
        caption:
          "What the error of the time is made of: the share that vanishes with each person's own fit of r, beta or "
          + "absorption, averaged over all orders of replacing (Shapley 1953), with intervals over people."
      )
    ]
  }

  /// Whether errors go together or lean, where subjects are enough to tell.
  private var errorTestBlocks: [Block] {
    let tests = Report.errorTests(study.summary.diagnostics)
    guard !tests.rows.isEmpty else { return [] }
    return [
      .table(
        tests,
        caption:
          "Prediction errors over all subjects. Lag-1 autocorrelation: of errors of neighbouring readings "
          + "about the bias, with its 95 % interval between subjects. Trends: F of Hotelling's test that "
          + "errors have no slope or curvature over time since the first drink, and over the predicted "
          + "concentration.")
    ]
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
    return blocks + (remarks.isEmpty ? [] : [.list(remarks)])
  }
}
