import AlcoholKinetics
import Estimation
import StudyData
import Validation

extension StudyReportContents {
  /// The series that are shown with pictures.
  private var pictured: ArraySlice<SeriesEvaluation> { study.series.prefix(shown) }

  /// Every series with its curves.
  var subjectBlocks: [Block] {
    var blocks: [Block] = [.heading(2, "Subjects")]
    blocks.append(
      .columns(
        pictured.map { series in
          [
            .heading(3, "Subject \(series.series.label)"),
            .figure(.curves(of: series, in: study)),
            .facts(facts(of: series)),
          ]
        }))
    if study.series.count > shown {
      blocks.append(
        .paragraph(
          "\(study.series.count - shown) more series appear in the tables only."))
    }
    return blocks
  }

  private func facts(of evaluation: SeriesEvaluation) -> [(name: String, value: String)] {
    switch evaluation.fit.result {
    case .failure(let failure):
      return [("Not fitted", failure.reason)]
    case .success(let fit):
      let estimates = FitParameter.forPeople.compactMap { parameter in
        fit.shown(parameter).map { shown in
          // Without a number there is nothing to have a unit.
          (
            name: parameter.symbol,
            value: shown.contains(where: \.isNumber)
              ? "\(shown) \(parameter.reportedUnit)" : "undetermined"
          )
        }
      }
      return estimates + sobrietyFacts(of: evaluation)
    }
  }

  private func sobrietyFacts(of evaluation: SeriesEvaluation) -> [(name: String, value: String)] {
    let scores = evaluation.comparisons.map(\.sobriety)
    let minutes = { (time: Hours) in NumberStyle.decimals(0).format(time.minutes) }
    let predicted = scores.compactMap { score -> String? in
      switch score.prediction.value?.outcome {
      case nil: nil
      case .neverAbove: "\(score.rFactor) from the start"
      case .at(let time): "\(score.rFactor) \(minutes(time)) min"
      case .laterThan(let time): "\(score.rFactor) after \(minutes(time)) min"
      }
    }
    var facts: [(name: String, value: String)] = []
    let measured: String? =
      switch scores.first?.measured {
      case nil, .noReadings: nil
      case .neverAbove(let first): "by \(minutes(first)) min; never above the threshold"
      case .notReached(let lastAbove): "after \(minutes(lastAbove)) min (the last reading)"
      case .reached(let lastAbove, let first):
        "between \(minutes(lastAbove)) and \(minutes(first)) min"
      }
    if let measured { facts.append(("Sober, measured", measured)) }
    if !predicted.isEmpty {
      facts.append(("Sober, predicted", predicted.joined(separator: ", ")))
    }
    return facts
  }

  /// All estimates in one table and one picture.
  var parameterBlocks: [Block] {
    let summaries = Report.summaries(of: study.series.map(\.fit), study.fitOptions)
    var blocks: [Block] = [
      .heading(2, "Parameters"),
      .paragraph(fits.introduction.joined(separator: " ")),
      .table(fits.sections[0].table, caption: "Estimates of every series."),
      .table(
        Table(Report.parameterTable.columns, rows: summaries),
        caption: Report.summaryLines(study.fitOptions).joined(separator: " ")),
    ]
    blocks += derivedBlocks
    let remarks = Report.remarks(on: summaries, study.fitOptions)
    if !remarks.isEmpty { blocks.append(.list(remarks)) }
    if study.series.count <= max(shown, 40), let figure = Figure.parameters(of: study) {
      blocks.append(.figure(figure))
    }
    return blocks
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
        Table(columns, rows: study.series.map(\.fit)),
        caption:
          "Quantities of the fitted curves, with intervals as above. Times in min since the first "
          + "drink.\(threshold)")
    ]
  }

  /// Profiles of the series that are shown.
  var profileBlocks: [Block] {
    let figures = pictured.compactMap { Figure.profiles(of: $0) }.map(Block.figure)
    guard !figures.isEmpty else { return [] }
    return [
      .heading(2, "Profile likelihood"),
      .paragraph(
        "How much worse the best fit gets as one parameter moves away from its estimate. Values below the "
          + "dashed line are in the interval. If the curve never crosses the line, that side is unlimited. A "
          + "curve stops where another parameter hits its search limit."),
    ] + figures
  }

  /// What the residuals look like.
  var residualBlocks: [Block] {
    let rows = study.series.compactMap { series in
      series.fit.result.value.flatMap { fit in
        fit.diagnostics.map { (series: series.series, fit: fit, diagnostics: $0) }
      }
    }
    guard !rows.isEmpty else { return [] }
    let columns =
      Series.identityColumns { (row: ResidualRow) in row.series } + ResidualRow.columns
    let table = Table(
      columns,
      rows: rows.map { ResidualRow(series: $0.series, diagnostics: $0.diagnostics, fit: $0.fit) })
    return [.heading(2, "Residuals")]
      + [Figure.residuals(of: study).map(Block.figure)].compactMap(\.self)
      + [
        .table(
          table,
          caption: "Runs p: probability of so few or so many runs of equal sign by chance. Lag 1: "
            + "correlation of each residual with the one before. Normal p: Shapiro-Wilk test. "
            + "Condition: condition number of the Jacobian with columns scaled to length 1.")
      ]
  }
}

/// What the residuals of one fit say.
private struct ResidualRow: Sendable {
  let series: Series
  let diagnostics: FitDiagnostics
  let fit: SeriesFit

  static let columns: [Column<ResidualRow>] = [
    Column(forPeople: "runs p", style: .significant(2)) {
      $0.diagnostics.runs?.pValue
    },
    Column(forPeople: "lag 1", style: .decimals(2)) {
      $0.diagnostics.autocorrelation?.lagOne
    },
    Column(forPeople: "normal p", style: .significant(2)) {
      $0.diagnostics.normality?.pValue
    },
    Column(forPeople: "largest Cook", style: .decimals(2)) {
      $0.fit.readings.compactMap(\.cookDistance).max()
    },
    Column(forPeople: "condition", style: .significant(2)) {
      $0.diagnostics.conditionNumber
    },
    Column(forPeople: "correlation", style: .decimals(3)) {
      $0.diagnostics.strongestCorrelation?.value
    },
    Column(forPeople: "starts at best") {
      "\($0.fit.startsAtBest) of \($0.fit.starts.count)"
    },
  ]
}
