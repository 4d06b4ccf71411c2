import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Figure {
  /// The estimates of all series with their intervals, a panel for each parameter.
  public static func parameters(of study: StudyEvaluation) -> Figure? {
    let fits = study.series.compactMap { series in
      series.fit.result.value.map { (label: series.series.shortLabel, fit: $0) }
    }
    guard let parameters = fits.first?.fit.estimates.keys.sorted(), !parameters.isEmpty else {
      return nil
    }
    let panels = parameters.map { panel($0, fits.map(\.fit)) }
    let names = fits.map(\.label)
    return Figure(
      name: "parameters",
      alt: "Estimates of \(parameters.map(\.symbol).joined(separator: ", ")) of "
        + "\(fits.count) series, with intervals.",
      caption: "Estimates with their intervals, by subject"
        + (study.series.contains { $0.series.occasion != nil } ? "/occasion" : "")
        + ". An arrow: the readings set no limit on that side.",
      size: Size(
        width: PlotScript.widthOfPanels(parameters.count, besideNames: names),
        height: 110 + 22 * max(3, fits.count)),
      script: PlotScript.panels(panels, besideNames: names))
  }

  private static func panel(
    _ parameter: FitParameter, _ fits: [SeriesFit]
  ) -> String {
    let isLogarithmic = parameter == .ka
    var known: [Double] = []
    var rows: [[Double?]] = []
    var arrows: [String] = []
    for (index, fit) in fits.enumerated() {
      guard let estimate = fit.estimates[parameter] else { continue }
      let row = Double(fits.count - index)
      let value = estimate.isDetermined ? estimate.value : nil
      let numbers = [value, estimate.low, estimate.high].map { $0.map(parameter.reportedValue) }
      known += numbers.compactMap(\.self)
      if estimate.low != nil, estimate.high != nil {
        rows.append([numbers[0], row, numbers[1], numbers[2]])
      } else if let end = numbers[1] ?? numbers[2] {
        let edge = estimate.low == nil ? 0 : 1
        arrows.append(
          "set arrow from \(PlotScript.number(end)),first \(row) to graph \(edge),first \(row) "
            + "head filled size graph 0.03,20 lw 1.5 lc rgb '\(PlotColor.ink)'")
      }
    }
    let unit = parameter.reportedUnit.isEmpty ? "" : ", \(parameter.reportedUnit)"
    return """
      unset arrow
      \(PlotScript.axis("x", known, isLogarithmic: isLogarithmic))
      set xlabel \(PlotScript.quoted(parameter.symbol + unit)) noenhanced
      \(arrows.joined(separator: "\n"))
      \(PlotScript.data("estimates", rows))
      plot $estimates using 1:2:3:4 with xerrorbars pt 7 ps 0.6 lw 1.5 lc rgb '\(PlotColor.ink)' notitle
      """
  }
}

extension Figure {
  /// The profile likelihood of each parameter of a series.
  public static func profiles(of evaluation: SeriesEvaluation) -> Figure? {
    guard !evaluation.profiles.isEmpty else { return nil }
    let label = evaluation.series.label
    let names = evaluation.profiles.map(\.parameter.symbol).joined(separator: ", ")
    return Figure(
      name: "profile-\(evaluation.series.fileName)",
      alt: "Profile likelihood of \(names) of \(label).",
      caption: "\(label): how much worse the best fit gets as one parameter moves away from its "
        + "estimate. Values below the dashed line are in the interval. If the curve never crosses the "
        + "line, that side is unlimited. A curve stops where another parameter hits its search limit.",
      size: Size(width: 240 * max(2, evaluation.profiles.count), height: 230),
      script: "set multiplot layout 1,\(evaluation.profiles.count)\nset bmargin 4.5\n"
        + evaluation.profiles.map(panel).joined(separator: "\n") + "\nunset multiplot")
  }

  private static func panel(_ profile: ParameterProfile) -> String {
    let parameter = profile.parameter
    let points = profile.points.map { [parameter.reportedValue($0.value), $0.rise] }
    let isLogarithmic = parameter == .ka
    let unit = parameter.reportedUnit.isEmpty ? "" : ", \(parameter.reportedUnit)"
    let threshold = PlotScript.number(profile.threshold)
    return """
      set xlabel \(PlotScript.quoted(parameter.symbol + unit)) noenhanced
      set ylabel 'rise'
      \(PlotScript.axis("x", points.map { $0[0] }, isLogarithmic: isLogarithmic))
      set yrange [0:\(PlotScript.number(profile.threshold * 2))]
      \(PlotScript.data("profile", points))
      plot \(threshold) with lines dt 2 lc rgb '\(PlotColor.ink)' notitle, \\
        $profile using 1:2 with lines lw 2 lc rgb '#0072b2' notitle
      """
  }
}

extension Figure {
  /// Standardised residuals of all fits against time and prediction, and against a normal
  /// distribution.
  public static func residuals(of study: StudyEvaluation) -> Figure? {
    let rows = study.series.flatMap { series -> [[Double?]] in
      let start = series.series.drinks.map(\.time).min() ?? 0
      return (series.fit.result.value?.readings ?? []).compactMap { reading in
        reading.standardisedResidual.map {
          [(reading.time - start).value, reading.predicted.value, $0]
        }
      }
    }
    guard rows.count > 2 else { return nil }
    let normal = NormalPlot(rows.compactMap { $0[2] }).points.map { [$0.quantile, $0.value] }
    let look = "with points pt 7 ps 0.45 lc rgb '#0072b2' notitle"
    return Figure(
      name: "residuals",
      alt: "Standardised residuals of \(rows.count) readings against time, against prediction, and "
        + "against quantiles of a normal distribution.",
      caption: "Standardised residuals, measured minus predicted, of all fits. A trend or a "
        + "funnel means that the model or the error model is wrong. In the right panel, normal errors "
        + "lie on a straight line.",
      size: Size(width: 720, height: 290),
      script: """
        \(PlotScript.data("residuals", rows))
        \(PlotScript.data("normal", normal))
        set multiplot layout 1,3
        set arrow 1 from graph 0,first 0 to graph 1,first 0 nohead dt 3 lc rgb '\(PlotColor.ink)'
        set ylabel 'standardised residual'
        set xlabel 'hours since the first drink'
        \(PlotScript.axis("x", rows.compactMap { $0[0] }))
        plot $residuals using 1:3 \(look)
        unset ylabel
        set xlabel 'predicted, g/kg'
        \(PlotScript.axis("x", rows.compactMap { $0[1] }))
        plot $residuals using 2:3 \(look)
        unset arrow 1
        set xlabel 'normal quantile'
        \(PlotScript.axis("x", normal.map { $0[0] }))
        plot x with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, $normal using 1:2 \(look)
        unset multiplot
        """)
  }
}

extension Figure {
  /// How far each method is off in the middle, with bootstrap intervals, a panel for each quantity.
  public static func methods(of study: StudyEvaluation) -> Figure? {
    let names = study.predictionOptions.methods.map(\.name)
    let panels = ComparedQuantity.ofCurves.compactMap { quantity in
      quantity == .sobriety
        ? sobrietyPanel(names, study.summary.sobriety)
        : panel(quantity, names, study.summary.methods.filter { $0.quantity == quantity })
    }
    guard !panels.isEmpty else { return nil }
    return Figure(
      name: "methods",
      alt: "Bias of \(names.joined(separator: ", ")) for concentration, peak and time to sobriety.",
      caption: "Bias of each method, predicted minus measured, with "
        + "\(NumberStyle.exact(100 * study.bootstrap.level)) % bootstrap intervals over subjects. Time "
        + "to sobriety: the bias lies within the thick bar; an arrow means that there is no limit.",
      size: Size(
        width: PlotScript.widthOfPanels(panels.count, besideNames: names),
        height: 110 + 26 * names.count),
      script: PlotScript.panels(panels, besideNames: names))
  }

  private static func panel(
    _ quantity: ComparedQuantity, _ names: [String], _ summaries: [MethodSummary]
  ) -> String? {
    guard !summaries.isEmpty else { return nil }
    let rows = summaries.map { summary -> [Double?] in
      let index = names.firstIndex(of: summary.rFactor) ?? 0
      let bias = summary.errors.bias
      let interval = summary.biasInterval
      return [
        bias, Double(names.count - index), interval?.low ?? bias, interval?.high ?? bias,
      ]
    }
    let ends = rows.flatMap { [$0[2], $0[3]] }.compactMap(\.self)
    return """
      \(PlotScript.axis("x", ends + [0]))
      set xlabel \(PlotScript.quoted("bias of \(quantity.title), \(quantity.unit)"))
      set arrow 1 from 0,graph 0 to 0,graph 1 nohead dt 3 lc rgb '\(PlotColor.ink)'
      \(PlotScript.data("bias", rows))
      plot $bias using 1:2:3:4 with xerrorbars pt 7 ps 0.7 lw 1.5 lc rgb '\(PlotColor.ink)' notitle
      """
  }
}

extension Figure {
  /// Biases that are known between limits, with their intervals.
  private static func sobrietyPanel(_ names: [String], _ summaries: [SobrietySummary]) -> String? {
    let biases = summaries.filter { $0.sex == nil }.compactMap {
      summary -> (bias: BoundedStatistic, height: Double)? in
      let place = names.firstIndex(of: summary.rFactor) ?? 0
      return summary.errors.map { (bias: $0.bias, height: Double(names.count - place)) }
    }
    guard !biases.isEmpty else { return nil }
    let limits = biases.map { LimitedRange(least: $0.bias.least, most: $0.bias.most) }
    let intervals = biases.map { bias, _ in
      LimitedRange(
        least: bias.least == nil ? nil : bias.low ?? bias.least,
        most: bias.most == nil ? nil : bias.high ?? bias.most)
    }
    let edges = LimitedRange.edges(of: limits + intervals)
    let bars = { (name: String, ranges: [LimitedRange]) in
      PlotScript.data(
        name, zip(ranges, biases).flatMap { $0.horizontal(at: $1.height, within: edges) })
    }
    return """
      \(PlotScript.axis("x", [edges.low, edges.high, 0]))
      set xlabel \(PlotScript.quoted("bias of time to sobriety, min"))
      set arrow 1 from 0,graph 0 to 0,graph 1 nohead dt 3 lc rgb '\(PlotColor.ink)'
      \(bars("limits", limits))
      \(bars("intervals", intervals))
      plot \(LimitedRange.plots("intervals", width: 1.5)), \\
        \(LimitedRange.plots("limits", width: 4))
      """
  }
}

extension ComparedQuantity {
  /// What people call it.
  var title: String {
    switch self {
    case .concentration: "concentration"
    case .peak: "peak"
    case .sobriety: "time to sobriety"
    case .r: "r"
    }
  }
}
