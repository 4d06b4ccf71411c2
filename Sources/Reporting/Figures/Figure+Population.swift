import AlcoholKinetics
import Estimation
public import Population
import StudyData

extension Figure {
  /// What the readings say of a population model, in pictures.
  public static func population(_ diagnostics: PopulationDiagnostics) -> [Figure] {
    guard !diagnostics.readings.isEmpty else { return [] }
    return [goodnessOfFit(diagnostics), predictiveCheck(diagnostics), distribution(diagnostics)]
      .compactMap(\.self) + covariates(diagnostics)
  }

  private static let points = "with points pt 7 ps 0.4 lc rgb '#0072b2' notitle"
  private static let sinceFirstDrink = "hours since the first drink"
  /// More points than this cannot be told apart.
  private static let mostPoints = 1500

  /// Every so many of the rows, so that a picture stays one.
  private static func thinned(_ rows: [[Double?]]) -> [[Double?]] {
    let step = (rows.count + mostPoints - 1) / mostPoints
    return step < 2 ? rows : stride(from: 0, to: rows.count, by: step).map { rows[$0] }
  }

  private static func thinning(_ count: Int) -> String {
    count > mostPoints ? " One in \((count + mostPoints - 1) / mostPoints) readings is drawn." : ""
  }

  private static func labels(_ x: String, _ y: String, _ title: String? = nil) -> String {
    """
    set xlabel \(PlotScript.quoted(x)) noenhanced
    set ylabel \(PlotScript.quoted(y)) noenhanced
    set title \(PlotScript.quoted(title ?? ""))
    """
  }

  // MARK: Goodness of fit

  private static func goodnessOfFit(_ diagnostics: PopulationDiagnostics) -> Figure? {
    let seen = diagnostics.readings.filter { !$0.isBelowDetection }
    guard !seen.isEmpty else { return nil }
    let rows = seen.map { reading -> [Double?] in
      [
        reading.sinceFirstDrink.value, reading.population, reading.individual, reading.observed,
        reading.cwres,
      ]
    }
    func column(_ index: Int) -> [Double] { rows.compactMap { $0[index] } }
    func observed(against index: Int, _ name: String) -> String {
      """
      \(labels("\(name), g/kg", "observed, g/kg"))
      \(PlotScript.axis("x", column(index)))
      \(PlotScript.axis("y", column(3)))
      plot x with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, $gof using \(index + 1):4 \(points)
      """
    }
    func residual(against index: Int, _ name: String) -> String {
      """
      \(labels(name, "CWRES"))
      \(PlotScript.axis("x", column(index)))
      \(PlotScript.axis("y", column(4) + [-2, 2]))
      plot 0 with lines lc rgb '\(PlotColor.ink)' notitle, \\
        1.96 with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, \\
        -1.96 with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, \\
        $gof using \(index + 1):5 \(points)
      """
    }
    return Figure(
      name: "population-fit",
      alt: "\(seen.count) readings against population and individual predictions, and conditional "
        + "weighted residuals against time and prediction.",
      caption:
        "Readings against the prediction for a typical person and against that of the person's "
        + "own curve: on the dotted line they agree. Conditional weighted residuals (CWRES) against time and "
        + "prediction: if the model is right, they show no trend, and 95 % lie between the dotted lines. "
        + "Readings below detection are left out." + thinning(seen.count),
      size: Size(width: 720, height: 560),
      script: [
        PlotScript.data("gof", thinned(rows)), "set multiplot layout 2,2",
        observed(against: 1, "population prediction"),
        observed(against: 2, "individual prediction"), residual(against: 0, sinceFirstDrink),
        residual(against: 1, "population prediction, g/kg"), "unset multiplot",
      ].joined(separator: "\n"))
  }

  // MARK: Predictive check

  private static func predictiveCheck(_ diagnostics: PopulationDiagnostics) -> Figure? {
    let check = diagnostics.predictiveCheck
    let panels = PredictiveCheck.Kind.allCases.compactMap { kind -> String? in
      let rows = check.rows.filter { $0.kind == kind }
      return rows.isEmpty ? nil : panel(kind, rows, diagnostics.readings)
    }
    guard !panels.isEmpty else { return nil }
    return Figure(
      name: "population-vpc",
      alt: "Visual predictive check: percentiles of the readings over time, with bands of "
        + "\(diagnostics.simulations) simulated studies.",
      caption:
        "Predictive check: the 5th, 50th and 95th percentile of the readings (lines) in bins of "
        + "time, with 95 % bands of what \(diagnostics.simulations) simulated studies have (boxes). A line "
        + "outside its boxes tells against the model. Corrected: as if everybody had the typical "
        + "prediction, or also the typical variability, of the bin. A percentile below detection is not "
        + "drawn, and a box that partly is begins at zero."
        + thinning(diagnostics.readings.count),
      size: Size(width: 720, height: panels.count > 2 ? 600 : 310),
      script: "set multiplot layout \(panels.count > 2 ? 2 : 1),2\n"
        + panels.joined(separator: "\n") + "\nunset multiplot")
  }

  private static func panel(
    _ kind: PredictiveCheck.Kind, _ rows: [PredictiveCheck.Row],
    _ readings: [PopulationDiagnostics.Reading]
  ) -> String {
    let isFraction = kind == .belowDetection
    let points = thinned(
      readings.filter { !$0.isBelowDetection }.map { reading in
        switch kind {
        case .concentration: [reading.sinceFirstDrink.value, reading.observed]
        case .predictionCorrected: [reading.sinceFirstDrink.value, reading.predictionCorrected]
        case .variabilityCorrected: [reading.sinceFirstDrink.value, reading.variabilityCorrected]
        case .belowDetection: [nil, nil]
        }
      })
    // Boxes meet halfway between bins.
    let bins = rows.filter { $0.percentile == rows[0].percentile }
    let first = bins[0].from.value
    let last = bins[bins.count - 1].to.value
    let room = max(0.02 * (last - first), 0.05)
    let edges =
      [first - room]
      + zip(bins, bins.dropFirst()).map { 0.5 * ($0.to.value + $1.from.value) } + [last + room]
    let percentiles = isFraction ? [nil] : PredictiveCheck.percentiles.map(Optional.some)
    var (blocks, plots): ([String], [String]) = ([], [])
    for percentile in percentiles {
      let own = rows.filter { $0.percentile == percentile }
      let name = "p\(percentile ?? 0)"
      blocks.append(
        PlotScript.data(
          name,
          own.enumerated().map { place, row in
            [
              row.middle.value, edges[place], edges[place + 1], row.observed,
              row.high.map { _ in row.low ?? 0 }, row.high,
            ]
          }))
      let color = percentile == 50 || isFraction ? "#d55e00" : "#56b4e9"
      plots.append(
        "$\(name) using 1:5:2:3:5:6 with boxxyerror fs transparent solid 0.35 noborder lc rgb '\(color)' "
          + "notitle")
    }
    if !isFraction {
      plots.append(
        "$points using 1:2 with points pt 7 ps 0.25 lc rgb '\(PlotColor.leftOut)' notitle")
    }
    for percentile in percentiles {
      let dash = percentile == 50 || isFraction ? "" : " dt 2"
      plots.append(
        "$p\(percentile ?? 0) using 1:4 with linespoints pt 7 ps 0.4 lw 1.6\(dash) "
          + "lc rgb '\(PlotColor.ink)' notitle")
    }
    let (title, label) =
      switch kind {
      case .concentration: ("readings", "blood alcohol, g/kg")
      case .predictionCorrected: ("prediction-corrected", "corrected, g/kg")
      case .variabilityCorrected: ("variability-corrected", "corrected, g/kg")
      case .belowDetection: ("below detection", "fraction")
      }
    let heights =
      points.compactMap { $0[1] }
      + rows.flatMap { [$0.high, $0.low ?? 0, $0.observed] }
      .compactMap(\.self)
    return """
      \(blocks.joined(separator: "\n"))
      \(PlotScript.data("points", points))
      \(labels(sinceFirstDrink, label, title))
      \(PlotScript.axis("x", [edges[0], edges[edges.count - 1]]))
      \(PlotScript.axis("y", isFraction ? [0, 1] : heights))
      plot \(plots.joined(separator: ", \\\n  "))
      """
  }

  // MARK: Prediction distribution errors

  private static func distribution(_ diagnostics: PopulationDiagnostics) -> Figure? {
    let rows = diagnostics.readings.compactMap { reading -> [Double?]? in
      reading.npde.map { [reading.sinceFirstDrink.value, reading.population, $0] }
    }
    guard rows.count > 2 else { return nil }
    let errors = rows.compactMap { $0[2] }
    let normal = NormalPlot(errors).points.map { [$0.quantile, $0.value] }
    func against(_ index: Int, _ name: String) -> String {
      """
      \(labels(name, "NPDE"))
      \(PlotScript.axis("x", rows.compactMap { $0[index] }))
      plot 0 with lines lc rgb '\(PlotColor.ink)' notitle, \\
        1.96 with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, \\
        -1.96 with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, $npde using \(index + 1):3 \(points)
      """
    }
    return Figure(
      name: "population-npde",
      alt:
        "Normalised prediction distribution errors of \(rows.count) readings against time, against "
        + "prediction, and against quantiles of a normal distribution.",
      caption:
        "Normalised prediction distribution errors (NPDE): if the model is right, they show no "
        + "trend, 95 % lie between the dotted lines, and in the right panel all lie on the dotted line."
        + thinning(rows.count),
      size: Size(width: 720, height: 290),
      script: [
        PlotScript.data("npde", thinned(rows)), PlotScript.data("normal", thinned(normal)),
        "set multiplot layout 1,3", PlotScript.axis("y", errors + [-2, 2]),
        against(0, sinceFirstDrink), against(1, "population prediction, g/kg"),
        labels("normal quantile", "NPDE"), PlotScript.axis("x", normal.map { $0[0] }),
        "plot x with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, $normal using 1:2 \(points)",
        "unset multiplot",
      ].joined(separator: "\n"))
  }

  // MARK: Random effects beside covariates

  private static let covariatesOfFigure = 3

  private static func covariates(_ diagnostics: PopulationDiagnostics) -> [Figure] {
    let telling = diagnostics.covariates.filter { $0.correlation != nil }
    let names = telling.map(\.covariate).reduce(into: [String]()) { list, name in
      if !list.contains(name) { list.append(name) }
    }
    return stride(from: 0, to: names.count, by: covariatesOfFigure).map { begin in
      let shown = Array(names[begin..<min(names.count, begin + covariatesOfFigure)])
      let own = telling.filter { shown.contains($0.covariate) }
      let parameters = Set(own.map(\.parameter)).sorted()
      let panels = parameters.flatMap { parameter in
        shown.compactMap { name in
          own.first { $0.parameter == parameter && $0.covariate == name }.map(panel)
        }
      }
      return Figure(
        name: "population-eta" + (begin == 0 ? "" : "-\(begin / covariatesOfFigure + 1)"),
        alt: "Random effects of \(parameters.map(\.symbol).joined(separator: ", ")) against "
          + "\(shown.map(\.printable).joined(separator: ", ")).",
        caption:
          "Random effects of the people (eta) against covariates, with least-squares lines and "
          + "correlations. A trend that is left may belong into the model (--covariate); where few readings "
          + "say much of a parameter, its effects shrink and trends look weaker.",
        size: Size(width: 240 * max(2, shown.count), height: 40 + 210 * parameters.count),
        script: """
          set multiplot layout \(parameters.count),\(shown.count)
          set tics font ',11'
          set bmargin 4.5
          set lmargin 9
          \(panels.joined(separator: "\n"))
          unset multiplot
          """)
    }
  }

  private static func panel(_ effect: EffectAgainstCovariate) -> String {
    let rows = effect.points.map { [Optional($0.value), $0.effect] }
    let (x, y) = (effect.points.map(\.value), effect.points.map(\.effect))
    var line = ""
    if let horizontal = Sample(x), let vertical = Sample(y), let correlation = effect.correlation,
      let width = horizontal.standardDeviation, let height = vertical.standardDeviation
    {
      let slope = correlation * height / width
      line =
        ", \(PlotScript.number(vertical.mean)) + \(PlotScript.number(slope)) * "
        + "(x - (\(PlotScript.number(horizontal.mean)))) with lines lw 1.5 lc rgb '#d55e00' notitle"
    }
    let correlation = NumberStyle.decimals(2).format(effect.correlation ?? 0)
    return """
      \(labels(
        effect.covariate == "sex" ? "sex (1: women)" : effect.covariate,
        "eta of \(effect.parameter.symbol)", "correlation \(correlation)"))
      \(PlotScript.axis("x", x))
      \(PlotScript.axis("y", y))
      \(PlotScript.data("effects", thinned(rows)))
      plot 0 with lines dt 3 lc rgb '\(PlotColor.ink)' notitle, \\
        $effects using 1:2 \(points)\(line)
      """
  }
}
