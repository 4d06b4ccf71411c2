import AlcoholKinetics
import Estimation
import StudyData
public import Validation

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
