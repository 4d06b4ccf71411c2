import AlcoholKinetics
import Estimation
import StudyData
public import Validation

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
