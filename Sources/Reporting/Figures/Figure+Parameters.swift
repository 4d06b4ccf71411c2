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
      \(arrows.joined(separator: "\n"))
      \(PlotScript.data("estimates", rows))
      plot $estimates using 1:2:3:4 with xerrorbars pt 7 ps 0.6 lw 1.5 lc rgb '\(PlotColor.ink)' notitle
      """
  }
}
