import AlcoholKinetics
import StudyData
public import Validation

extension Figure {
  /// The estimates of all series with their intervals, a panel for each parameter.
  public static func parameters(of study: StudyEvaluation) -> Figure? {
    let fits = study.series.compactMap { series in
      series.fit.result.value.map { (series.series.label, $0) }
    }
    guard let parameters = fits.first?.1.estimates.keys.sorted(), !parameters.isEmpty else {
      return nil
    }
    let panels = parameters.map { panel($0, fits) }
    return Figure(
      name: "parameters",
      alt: "Estimates of \(parameters.map(\.symbol).joined(separator: ", ")) of "
        + "\(fits.count) series, with intervals.",
      caption: "Estimates with their intervals. An arrow: the readings set no end on that side.",
      size: Size(width: 240 * max(2, parameters.count), height: 110 + 22 * max(3, fits.count)),
      script: "set multiplot layout 1,\(parameters.count)\n"
        + panels.joined(separator: "\n") + "\nunset multiplot")
  }

  private static func panel(
    _ parameter: FitParameter, _ fits: [(label: String, fit: SeriesFit)]
  ) -> String {
    let isLogarithmic = parameter == .ka
    var known: [Double] = []
    var rows: [[Double?]] = []
    var arrows: [String] = []
    for (index, fit) in fits.map(\.fit).enumerated() {
      guard let estimate = fit.estimates[parameter] else { continue }
      let row = Double(fits.count - index)
      let value = estimate.isIdentifiable == false ? nil : estimate.value
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
      \(PlotScript.rowNames(fits.map(\.label)))
      \(arrows.joined(separator: "\n"))
      \(PlotScript.data("estimates", rows))
      plot $estimates using 1:2:3:4 with xerrorbars pt 7 ps 0.6 lw 1.5 lc rgb '\(PlotColor.ink)' notitle
      """
  }
}
