import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
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
}
