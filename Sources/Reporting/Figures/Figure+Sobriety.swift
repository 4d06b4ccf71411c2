import AlcoholKinetics
import Estimation
public import Validation

extension Figure {
  /// What is known of the error of the predicted time to sobriety of every series, by method.
  public static func sobrietyErrors(of study: StudyEvaluation) -> Figure? {
    let names = study.predictionOptions.methods.map(\.name)
    let errors = names.map { name in
      comparisons(of: study, by: name).compactMap { $0.sobriety.error.map(LimitedRange.init) }
    }
    guard errors.contains(where: { !$0.isEmpty }) else { return nil }
    let biases = study.summary.sobriety.filter { $0.sex == nil }.compactMap { summary in
      summary.errors.map { errors in
        (
          range: LimitedRange(least: errors.bias.least, most: errors.bias.most),
          height: Double(names.count - (names.firstIndex(of: summary.rFactor) ?? 0))
        )
      }
    }
    let edges = LimitedRange.edges(of: errors.flatMap(\.self) + biases.map(\.range))
    let rows = errors.enumerated().flatMap { index, errors in
      errors.enumerated().flatMap { position, error -> [[Double?]] in
        // Side by side rather than on top of each other, always in the same way.
        let shift = errors.count > 1 ? 0.5 * (Double(position) / Double(errors.count - 1) - 0.5) : 0
        return error.horizontal(
          at: Double(names.count - index) - shift, within: edges, tag: Double(index))
      }
    }
    let plots = names.indices.map { index in
      LimitedRange.plots("errors", width: 1.6, color: PlotColor.method(index), tag: index)
    }
    return Figure(
      name: "sobriety-errors",
      alt:
        "Limits of the error of the predicted time to sobriety, in minutes, one bar for each "
        + "series and method.",
      caption:
        "Error of the predicted time to sobriety. Each bar spans the limits of the error of one series; "
        + "an arrow means no limit, because the readings end above the threshold. The thick bar below "
        + "shows the mean. Left of 0, people were sober later than predicted.",
      size: Size(width: 720, height: 120 + 44 * names.count),
      script: """
        set xlabel 'error of the time to sobriety, min'
        \(PlotScript.axis("x", [edges.low, edges.high]))
        set arrow 1 from 0,graph 0 to 0,graph 1 nohead dt 3 lc rgb '\(PlotColor.ink)'
        \(PlotScript.rowNames(names))
        \(PlotScript.data("errors", rows))
        \(PlotScript.data(
          "means",
          biases.flatMap { $0.range.horizontal(at: $0.height - 0.36, within: edges) }))
        plot \(LimitedRange.plots("means", width: 3)), \\
          \(plots.joined(separator: ", \\\n  "))
        """)
  }

  /// What the error of the time to sobriety lies between against the predicted time, a panel for each
  /// method: Bland and Altman's plot for a measured value of which only limits are known.
  public static func blandAltman(of study: StudyEvaluation) -> Figure? {
    let summaries = study.summary.sobriety.filter { $0.sex == nil && $0.errors != nil }
    let panels = summaries.compactMap { summary -> String? in
      let points = comparisons(of: study, by: summary.rFactor).compactMap { comparison in
        comparison.sobriety.error.flatMap { error in
          comparison.sobriety.predictedMinutes.map {
            (predicted: $0, range: LimitedRange(error))
          }
        }
      }
      return points.count > 1 ? panel(summary, points) : nil
    }
    guard !panels.isEmpty else { return nil }
    let columns = min(3, panels.count)
    let lines = (panels.count + columns - 1) / columns
    return Figure(
      name: "bland-altman",
      alt:
        "Plots of the error of the time to sobriety against the predicted time, for "
        + "\(summaries.map(\.rFactor).joined(separator: ", ")).",
      caption:
        "Time to sobriety, predicted minus measured, against the predicted time. Each bar spans the "
        + "limits of one error; an arrow means no limit. Lines: limits of the bias. After Bland & "
        + "Altman (1986), but against the predicted time, because it is known exactly.",
      size: Size(width: 240 * max(2, columns), height: 250 * lines),
      script: "set multiplot layout \(lines),\(columns)\n" + panels.joined(separator: "\n")
        + "\nunset multiplot")
  }

  private static func comparisons(
    of study: StudyEvaluation, by method: String
  ) -> [Comparison] {
    study.series.flatMap(\.comparisons).filter { $0.rFactor == method }
  }

  private static func panel(
    _ summary: SobrietySummary, _ points: [(predicted: Double, range: LimitedRange)]
  ) -> String {
    let bias = [summary.errors?.bias.least, summary.errors?.bias.most].compactMap(\.self)
    let edges = LimitedRange.edges(
      of: points.map(\.range) + bias.map { LimitedRange(least: $0, most: $0) })
    let lines = bias.map { height in
      "\(PlotScript.number(height)) with lines dt 2 lc rgb '\(PlotColor.ink)' notitle"
    }
    let bars = LimitedRange.plots("errors", width: 1.5, color: PlotColor.method(0))
    return """
      set title \(PlotScript.quoted(summary.rFactor)) noenhanced
      set xlabel 'predicted, min'
      set ylabel 'predicted - measured, min'
      \(PlotScript.axis("x", points.map(\.predicted)))
      \(PlotScript.axis("y", [edges.low, edges.high]))
      \(PlotScript.data(
        "errors", points.flatMap { $0.range.vertical(at: $0.predicted, within: edges) }))
      plot \((lines + [bars]).joined(separator: ", \\\n  "))
      """
  }
}

extension LimitedRange {
  fileprivate init(_ error: SobrietyError) {
    self.init(least: error.least, most: error.most)
  }
}

extension SobrietyScore {
  /// The predicted time in min since the first drink, 0 for a curve that is never above the threshold;
  /// nil where only that it is later than some time is known.
  fileprivate var predictedMinutes: Double? {
    switch prediction.value?.outcome {
    case nil, .laterThan: nil
    case .neverAbove: 0
    case .at(let time): time.minutes
    }
  }
}
