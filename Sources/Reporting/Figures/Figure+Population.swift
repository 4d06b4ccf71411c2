import AlcoholKinetics
import Estimation
package import Population
import StudyData

extension Figure {
  /// The diagnostics of a population model: predictive checks, residuals and random effects.
  package static func population(_ diagnostics: PopulationDiagnostics) -> [Figure] {
    guard !diagnostics.readings.isEmpty else { return [] }
    return [goodnessOfFit(diagnostics), predictiveCheck(diagnostics), distribution(diagnostics)]
      .compactMap(\.self) + covariates(diagnostics)
  }

  // MARK: Goodness of fit

  private static func goodnessOfFit(_ diagnostics: PopulationDiagnostics) -> Figure? {
    let seen = diagnostics.readings.filter { !$0.isBelowDetection }
    guard !seen.isEmpty else { return nil }
    let height = 200
    let observed = Chart.Axis(
      "observed, g/kg", seen.map(\.observed), length: nil, height: height)
    let predictions: [(label: String, values: [Double])] = [
      ("population prediction, g/kg", seen.map(\.population)),
      ("individual prediction, g/kg", seen.map(\.individual)),
    ]
    let agreement = predictions.map { label, values in
      Chart(
        x: Chart.Axis(label, values, length: Chart.Axis.panel), y: observed,
        layers: [
          diagonal("prediction and reading agree", values),
          points(zip(values, seen).map { Chart.Point(x: $0, y: $1.observed) }, "reading"),
        ], height: height)
    }
    let residuals = errors(
      seen.compactMap { reading in
        reading.cwres.map { [reading.sinceFirstDrink.minutes, reading.population, $0] }
      }, named: "CWRES", rules: standardNormal,
      against: [(sinceFirstDrink, 0), ("population prediction, g/kg", 1)])
    return Figure(
      name: "population-fit",
      alt: "\(seen.count) readings against population and individual predictions, and conditional "
        + "weighted residuals against time and prediction.",
      caption:
        "Readings against the prediction for a typical person and against that of the person's "
        + "own curve. Conditional weighted residuals (CWRES) against time and "
        + "prediction: if the model is right, they show no trend, and 95 % lie between the dashed lines. "
        + "Readings below detection are left out." + thinning(seen.count),
      charts: agreement + residuals.dropLast())
  }

  /// Between which lines standard normal numbers lie.
  private static let standardNormal: [(at: Double, label: String, dash: Int)] = [
    (0, "no error", 0), (1.96, "95 % if the model is right", 1),
    (-1.96, "95 % if the model is right", 1),
  ]

  // MARK: Predictive check

  private static func predictiveCheck(_ diagnostics: PopulationDiagnostics) -> Figure? {
    let check = diagnostics.predictiveCheck
    let panels = PredictiveCheck.Kind.allCases.compactMap { kind -> Chart? in
      let rows = check.rows.filter { $0.kind == kind }
      return rows.isEmpty ? nil : chart(kind, rows, diagnostics.readings)
    }
    guard !panels.isEmpty else { return nil }
    return Figure(
      name: "population-vpc",
      alt: "Visual predictive check: percentiles of the readings over time, with bands of "
        + "\(diagnostics.simulations) simulated studies.",
      caption:
        "Predictive check: the 5th, 50th and 95th percentile of the readings in bins of "
        + "time, with 95 % bands of what \(diagnostics.simulations) simulated studies have. A line "
        + "outside its boxes tells against the model. Corrected: as if everybody had the typical "
        + "prediction, or also the typical variability, of the bin. A percentile below detection is not "
        + "drawn, and a box that partly is begins at zero."
        + thinning(diagnostics.readings.count),
      charts: panels)
  }

  private static func chart(
    _ kind: PredictiveCheck.Kind, _ rows: [PredictiveCheck.Row],
    _ readings: [PopulationDiagnostics.Reading]
  ) -> Chart {
    let isFraction = kind == .belowDetection
    let places = readings.filter { !$0.isBelowDetection }.compactMap { reading -> Chart.Point? in
      let value: Double? =
        switch kind {
        case .concentration: reading.observed
        case .predictionCorrected: reading.predictionCorrected
        case .variabilityCorrected: reading.variabilityCorrected
        case .belowDetection: nil
        }
      return value.map { Chart.Point(x: reading.sinceFirstDrink.minutes, y: $0) }
    }
    // Boxes meet halfway between bins.
    let bins = rows.filter { $0.percentile == rows[0].percentile }
    let first = bins[0].from.minutes
    let last = bins[bins.count - 1].to.minutes
    let room = max(0.02 * (last - first), 3)
    let edges =
      [first - room]
      + zip(bins, bins.dropFirst()).map { 0.5 * ($0.to.minutes + $1.from.minutes) } + [last + room]
    let percentiles = isFraction ? [nil] : PredictiveCheck.percentiles.map(Optional.some)
    var boxes: [Chart.Layer] = []
    var lines: [Chart.Layer] = []
    for percentile in percentiles {
      let ofPercentile = rows.filter { $0.percentile == percentile }
      let isMiddle = percentile == 50 || isFraction
      let name = isFraction ? "fraction" : isMiddle ? "median" : "5th and 95th percentile"
      boxes.append(
        Chart.Layer(
          "\(name), simulated (95 %)", .color(isMiddle ? 1 : 5),
          .boxes(
            ofPercentile.enumerated().compactMap { position, row in
              row.high.map { Chart.Box(edges[position], edges[position + 1], row.low ?? 0, $0) }
            })))
      lines.append(
        Chart.Layer(
          "\(name), observed", .text,
          .line(
            ofPercentile.map { Chart.Point(x: $0.middle.minutes, y: $0.observed ?? .nan) },
            dash: isMiddle ? 0 : 1)))
    }
    let (title, label) =
      switch kind {
      case .concentration: ("readings", bloodAlcohol)
      case .predictionCorrected: ("prediction-corrected", "corrected, g/kg")
      case .variabilityCorrected: ("variability-corrected", "corrected, g/kg")
      case .belowDetection: ("below detection", "fraction")
      }
    let marks = Chart.Layer(
      "reading", .faint,
      .marks(
        thinned(places).map {
          Chart.Mark(x: $0.x, y: $0.y, text: NumberStyle.significant(3).format($0.y))
        }, .dot))
    let heights =
      places.map(\.y) + rows.flatMap { [$0.high, $0.low ?? 0, $0.observed] }.compactMap(\.self)
    let height = 200
    return Chart(
      title: title,
      x: Chart.Axis(
        sinceFirstDrink, [edges[0], edges[edges.count - 1]], steps: .minutes,
        length: Chart.Axis.panel),
      y: Chart.Axis(label, isFraction ? [0, 1] : heights, length: nil, height: height),
      layers: ([marks] + boxes + lines).filter { !$0.shape.isEmpty }, height: height)
  }

  // MARK: Prediction distribution errors

  private static func distribution(_ diagnostics: PopulationDiagnostics) -> Figure? {
    let rows = diagnostics.readings.compactMap { reading in
      reading.npde.map { [reading.sinceFirstDrink.minutes, reading.population, $0] }
    }
    guard rows.count > 2 else { return nil }
    return Figure(
      name: "population-npde",
      alt:
        "Normalised prediction distribution errors of \(rows.count) readings against time, against "
        + "prediction, and against quantiles of a normal distribution.",
      caption:
        "Normalised prediction distribution errors (NPDE): if the model is right, they show no "
        + "trend, 95 % lie between the dashed lines, and in the last chart all lie on the line."
        + thinning(rows.count),
      charts: errors(
        rows, named: "NPDE", rules: standardNormal,
        against: [(sinceFirstDrink, 0), ("population prediction, g/kg", 1)]))
  }

  // MARK: Random effects beside covariates

  private static let covariatesOfFigure = 3

  private static func covariates(_ diagnostics: PopulationDiagnostics) -> [Figure] {
    let telling = diagnostics.covariates.filter { $0.correlation != nil }
    let names = telling.map(\.covariate).uniqued
    return stride(from: 0, to: names.count, by: covariatesOfFigure).map { begin in
      let shown = Array(names[begin..<min(names.count, begin + covariatesOfFigure)])
      let shownCorrelations = telling.filter { shown.contains($0.covariate) }
      let parameters = Set(shownCorrelations.map(\.parameter)).sorted()
      let charts = parameters.flatMap { parameter in
        let effects = shownCorrelations.filter { $0.parameter == parameter }
        let height = 150
        let y = Chart.Axis(
          "eta of \(parameter.symbol)", effects.flatMap(\.points).map(\.effect), length: nil,
          height: height)
        return shown.compactMap { name in
          effects.first { $0.covariate == name }.map { chart($0, y, height) }
        }
      }
      return Figure(
        name: "population-eta" + (begin == 0 ? "" : "-\(begin / covariatesOfFigure + 1)"),
        alt: "Random effects of \(parameters.map(\.symbol).joined(separator: ", ")) against "
          + "\(shown.map(\.printable).joined(separator: ", ")).",
        caption:
          "Random effects of the people (eta) against covariates, with their correlations. A trend that is "
          + "left may belong into the model (--covariate); where few readings "
          + "say much of a parameter, its effects shrink and trends look weaker.",
        charts: charts)
    }
  }

  private static func chart(
    _ effect: EffectAgainstCovariate, _ y: Chart.Axis, _ height: Int
  ) -> Chart {
    let values = effect.points.map(\.value)
    var layers = [
      Chart.Layer("no effect", .text, .rule(.horizontal, at: 0, dash: 2)),
      points(effect.points.map { Chart.Point(x: $0.value, y: $0.effect) }, "person"),
    ]
    if let horizontal = Sample(values), let vertical = Sample(effect.points.map(\.effect)),
      let correlation = effect.correlation, let width = horizontal.standardDeviation,
      let spread = vertical.standardDeviation
    {
      let slope = correlation * spread / width
      let ends = [values.min() ?? 0, values.max() ?? 0].map {
        Chart.Point(x: $0, y: vertical.mean + slope * ($0 - horizontal.mean))
      }
      layers.append(
        Chart.Layer("least-squares line", .color(1), .line(ends)))
    }
    let name = effect.covariate == "sex" ? "sex (1: women)" : effect.covariate.nameOfRow
    return Chart(
      title: "correlation \(NumberStyle.decimals(2).format(effect.correlation ?? 0))",
      x: Chart.Axis(name, values, length: Chart.Axis.panel), y: y, layers: layers, height: height)
  }
}
