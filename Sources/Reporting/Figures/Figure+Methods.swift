import AlcoholKinetics
import Estimation
public import Validation

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
