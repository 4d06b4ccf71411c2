import AlcoholKinetics
public import Validation

extension Figure {
  /// The error of the predicted time to sobriety of every series, by method, in percent.
  public static func sobrietyErrors(of study: StudyEvaluation) -> Figure? {
    let names = study.predictionOptions.methods.map(\.name)
    let errors = names.map { name in
      comparisons(of: study, by: name).compactMap {
        $0.sobriety.deviationFromInterval?.percentOfMeasured
      }
    }
    guard errors.contains(where: { !$0.isEmpty }) else { return nil }
    let rows = errors.enumerated().flatMap { index, errors in
      errors.enumerated().map { position, error -> [Double?] in
        // Side by side rather than on top of each other, always in the same way.
        let shift = errors.count > 1 ? 0.5 * (Double(position) / Double(errors.count - 1) - 0.5) : 0
        return [error, Double(names.count - index) - shift, Double(index)]
      }
    }
    let means = errors.enumerated().compactMap { index, errors -> [Double?]? in
      Sample(errors).map { [$0.mean, Double(names.count - index)] }
    }
    return Figure(
      name: "sobriety-errors",
      alt:
        "By how much the predicted time to sobriety lies outside the measured interval, in percent, "
        + "one point for each series and method.",
      caption:
        "By how much the predicted time to sobriety lies outside the two readings between which it was "
        + "reached, in percent of the nearer one, 0 between them: a point for each series, a bar for the "
        + "mean. To the left people were sober later than predicted.",
      size: Size(width: 720, height: 120 + 44 * names.count),
      script: """
        set xlabel 'time to sobriety outside the measured interval, %'
        \(PlotScript.axis("x", errors.flatMap(\.self) + [0]))
        set arrow 1 from 0,graph 0 to 0,graph 1 nohead dt 3 lc rgb '\(PlotColor.ink)'
        \(PlotScript.rowNames(names))
        \(PlotScript.data("errors", rows))
        \(PlotScript.data("means", means))
        plot $means using 1:2:(0):(0.35) with vectors nohead lw 3 lc rgb '\(PlotColor.ink)' notitle, \\
          $means using 1:2:(0):(-0.35) with vectors nohead lw 3 lc rgb '\(PlotColor.ink)' notitle, \\
        \(points(names))
        """)
  }

  /// Bland and Altman's plot of the time to sobriety, a panel for each method.
  public static func blandAltman(of study: StudyEvaluation) -> Figure? {
    let summaries = study.summary.methods.filter { $0.quantity == .sobriety }
    let panels = summaries.compactMap { summary -> String? in
      let rows = comparisons(of: study, by: summary.rFactor).compactMap { comparison in
        comparison.sobriety.deviationFromInterval.map { deviation -> [Double?] in
          [(deviation.predicted.minutes + deviation.measured.minutes) / 2, deviation.minutes]
        }
      }
      return rows.count > 1 ? panel(summary, rows) : nil
    }
    guard !panels.isEmpty else { return nil }
    let columns = min(3, panels.count)
    let lines = (panels.count + columns - 1) / columns
    return Figure(
      name: "bland-altman",
      alt:
        "Bland-Altman plots of the time to sobriety: difference of predicted and measured against "
        + "their mean, for \(summaries.map(\.rFactor).joined(separator: ", ")).",
      caption: "Time to sobriety after Bland & Altman (1986): predicted minus measured against the "
        + "mean of both, measured being the nearest time between the two readings around it. Line: "
        + "bias; dashed: limits of agreement, within which 95 % of differences lie if they are normal.",
      size: Size(width: 240 * max(2, columns), height: 250 * lines),
      script: "set multiplot layout \(lines),\(columns)\n" + panels.joined(separator: "\n")
        + "\nunset multiplot")
  }

  private static func comparisons(
    of study: StudyEvaluation, by method: String
  ) -> [Comparison] {
    study.series.flatMap(\.comparisons).filter { $0.rFactor == method }
  }

  private static func points(_ names: [String]) -> String {
    names.indices.map { index in
      "  $errors using ($3 == \(index) ? $1 : NaN):2 with points pt 7 ps 0.7 "
        + "lc rgb '\(PlotColor.method(index))' notitle"
    }.joined(separator: ", \\\n")
  }

  private static func panel(_ summary: MethodSummary, _ rows: [[Double?]]) -> String {
    let bias = summary.errors.bias
    let limits = summary.limitsOfAgreement
    let heights = rows.compactMap { $0[1] } + [bias, limits?.low ?? bias, limits?.high ?? bias, 0]
    let line = { (height: Double, dash: String) in
      "\(PlotScript.number(height)) with lines \(dash) lc rgb '\(PlotColor.ink)' notitle"
    }
    let lines =
      [line(bias, "lw 1.5")]
      + (limits.map { [line($0.low, "dt 2"), line($0.high, "dt 2")] } ?? [])
    return """
      set title \(PlotScript.quoted(summary.rFactor)) noenhanced
      set xlabel 'mean, min'
      set ylabel 'difference, min'
      \(PlotScript.axis("x", rows.compactMap { $0[0] }))
      \(PlotScript.axis("y", heights))
      \(PlotScript.data("pairs", rows))
      plot \(lines.joined(separator: ", ")), \\
        $pairs using 1:2 with points pt 7 ps 0.6 lc rgb '#0072b2' notitle
      """
  }
}
