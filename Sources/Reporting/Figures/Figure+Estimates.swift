import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Figure {
  /// The estimates of all series with their intervals, a chart for each parameter.
  public static func parameters(of study: StudyEvaluation) -> Figure? {
    let fits = study.series.compactMap { series in
      series.fit.result.value.map { (label: series.series.shortLabel, fit: $0) }
    }
    guard let parameters = fits.first?.fit.estimates.keys.sorted(), !parameters.isEmpty else {
      return nil
    }
    return Figure(
      name: "parameters",
      alt: "Estimates of \(parameters.map(\.symbol).joined(separator: ", ")) of "
        + "\(fits.count) series, with intervals.",
      caption: "Estimates with their intervals, by subject"
        + (study.series.contains { $0.series.occasion != nil } ? "/occasion" : "")
        + ". An arrow: the readings set no limit on that side. A row without a mark: undetermined.",
      charts: parameters.map { chart($0, fits) })
  }

  private static func chart(
    _ parameter: FitParameter, _ fits: [(label: String, fit: SeriesFit)]
  ) -> Chart {
    var (points, limits): ([Chart.Mark], [Chart.Mark]) = ([], [])
    var known: [Double] = []
    for (index, (label, fit)) in fits.enumerated() {
      guard let estimate = fit.estimates[parameter] else { continue }
      let row = Double(fits.count - index)
      let value = estimate.isDetermined ? estimate.value : nil
      let numbers = [value, estimate.low, estimate.high].map { $0.map(parameter.reportedValue) }
      known += numbers.compactMap(\.self)
      let ends = Chart.Mark.Interval(low: numbers[1] ?? -.infinity, high: numbers[2] ?? .infinity)
      let text = "\(label): \(parameter.symbol) \(fit.shown(parameter) ?? "undetermined")"
      if let place = numbers[0] {
        let hasEnds = estimate.low != nil || estimate.high != nil
        points.append(Chart.Mark(x: place, y: row, ends: hasEnds ? ends : nil, text: text))
      } else if let place = numbers[1] ?? numbers[2] {
        limits.append(Chart.Mark(x: place, y: row, ends: ends, text: text))
      }
    }
    let layers = [
      Chart.Layer(
        label: "estimate with its interval", ink: .text,
        shape: .marks(points, .dot, along: .horizontal, width: 1.6)),
      Chart.Layer(
        label: "one limit only", ink: .color(0),
        shape: .marks(limits, nil, along: .horizontal, width: 1.6)),
    ]
    return Chart(
      x: Chart.Axis(
        parameter.axisLabel, known, isLogarithmic: parameter == .ka, length: Chart.Axis.panel),
      y: Chart.Axis(rows: fits.map(\.label)), layers: layers.filter { !$0.shape.isEmpty },
      height: 22 * max(3, fits.count))
  }

  /// The profile likelihood of each parameter of a series.
  public static func profiles(of evaluation: SeriesEvaluation) -> Figure? {
    guard !evaluation.profiles.isEmpty else { return nil }
    let label = evaluation.series.label
    let names = evaluation.profiles.map(\.parameter.symbol).joined(separator: ", ")
    return Figure(
      name: "profile-\(evaluation.series.fileName)",
      alt: "Profile likelihood of \(names) of \(label).", caption: "Subject \(label).",
      charts: evaluation.profiles.map(chart))
  }

  private static func chart(_ profile: ParameterProfile) -> Chart {
    let points = profile.points.map {
      Chart.Point(x: profile.parameter.reportedValue($0.value), y: $0.rise)
    }
    return Chart(
      x: Chart.Axis(
        profile.parameter.axisLabel, points.map(\.x), isLogarithmic: profile.parameter == .ka,
        length: Chart.Axis.panel),
      y: Chart.Axis(
        "rise of -2 ln L", [], from: 0, to: 2 * profile.threshold, length: nil, height: 130),
      layers: [
        Chart.Layer(
          label: "end of the interval", ink: .text,
          shape: .rule(.horizontal, at: profile.threshold)),
        Chart.Layer(
          label: "best fit with the parameter held there", ink: .color(0),
          shape: .line(points, width: 2)),
      ], height: 130)
  }

  /// Standardised residuals of all fits against time and prediction, and against a normal
  /// distribution.
  public static func residuals(of study: StudyEvaluation) -> Figure? {
    let rows = study.series.flatMap { series -> [[Double]] in
      let start = series.series.drinks.map(\.time).min() ?? 0
      return (series.fit.result.value?.readings ?? []).compactMap { reading in
        reading.standardisedResidual.map {
          [(reading.time - start).minutes, reading.predicted.value, $0]
        }
      }
    }
    guard rows.count > 2 else { return nil }
    return Figure(
      name: "residuals",
      alt: "Standardised residuals of \(rows.count) readings against time, against prediction, and "
        + "against quantiles of a normal distribution.",
      caption: "Standardised residuals, measured minus predicted, of all fits. A trend or a "
        + "funnel means that the model or the error model is wrong. In the last chart, normal errors "
        + "lie on the line." + thinning(rows.count),
      charts: errors(
        rows, named: "standardised residual", rules: [(0, "no error", 1)],
        against: [(sinceFirstDrink, 0), ("predicted, g/kg", 1)]))
  }

  /// How far each method is off in the middle, with bootstrap intervals, a chart for each quantity.
  public static func methods(of study: StudyEvaluation) -> Figure? {
    let names = study.predictionOptions.methods.map(\.name)
    let charts = ComparedQuantity.ofCurves.compactMap { quantity in
      quantity == .sobriety
        ? sobrietyChart(names, study.summary.sobriety.filter { $0.sex == nil })
        : chart(quantity, names, study.summary.methods.filter { $0.quantity == quantity })
    }
    guard !charts.isEmpty else { return nil }
    return Figure(
      name: "methods",
      alt: "Bias of \(names.joined(separator: ", ")) for concentration, peak and time to sobriety.",
      caption: "Bias of each method, predicted minus measured, with "
        + "\(NumberStyle.exact(100 * study.bootstrap.level)) % bootstrap intervals over subjects. Time "
        + "to sobriety: the bias lies within the thick bar; an arrow means that there is no limit.",
      charts: charts)
  }

  private static let interval = "interval over subjects"

  private static func chart(
    _ quantity: ComparedQuantity, _ names: [String], _ summaries: [MethodSummary]
  ) -> Chart? {
    guard !summaries.isEmpty else { return nil }
    let marks = summaries.map { summary in
      let bias = summary.errors.bias
      let interval = summary.biasInterval
      return Chart.Mark(
        x: bias, y: Double(names.count - (names.firstIndex(of: summary.rFactor) ?? 0)),
        ends: .init(low: interval?.low ?? bias, high: interval?.high ?? bias),
        text: "\(summary.rFactor): \(NumberStyle.significant(3).format(bias)) \(quantity.unit)")
    }
    return rowChart(
      "bias of \(quantity.title), \(quantity.unit)", names, marks.compactMap(\.ends),
      [
        Chart.Layer(
          label: "bias with its \(interval)", ink: .text,
          shape: .marks(marks, .dot, along: .horizontal, width: 1.5))
      ])
  }

  /// Biases that are known between limits, with their intervals.
  private static func sobrietyChart(_ names: [String], _ summaries: [SobrietySummary]) -> Chart? {
    var (limits, intervals): ([Chart.Mark], [Chart.Mark]) = ([], [])
    for summary in summaries {
      guard let bias = summary.errors?.bias else { continue }
      let row = Double(names.count - (names.firstIndex(of: summary.rFactor) ?? 0))
      let text = "\(summary.rFactor): \(bias.displayed ?? "no limits") min"
      let ends = Chart.Mark.Interval(least: bias.least, most: bias.most)
      limits.append(Chart.Mark(ends, y: row, text: text))
      let wide = Chart.Mark.Interval(
        least: bias.least == nil ? nil : bias.low ?? bias.least,
        most: bias.most == nil ? nil : bias.high ?? bias.most)
      intervals.append(Chart.Mark(wide, y: row, text: text))
    }
    guard !limits.isEmpty else { return nil }
    return rowChart(
      "bias of time to sobriety, min", names, (limits + intervals).compactMap(\.ends),
      [
        Chart.Layer(
          label: interval, ink: .text,
          shape: .marks(intervals, nil, along: .horizontal, width: 1.5)),
        Chart.Layer(
          label: "limits of the bias", ink: .text,
          shape: .marks(limits, nil, along: .horizontal, width: 5)),
      ])
  }
}

// MARK: - Charts of one kind

extension Figure {
  /// A row for each name, with a line where there is no error.
  static func rowChart(
    _ label: String, _ names: [String], _ ranges: [Chart.Mark.Interval], _ layers: [Chart.Layer],
    length: Double = Chart.Axis.panel, rowHeight: Int = 24
  ) -> Chart {
    let values: [Double] = [0] + ranges.map(\.low) + ranges.map(\.high)
    let zero = Chart.Layer(label: "no error", ink: .text, shape: .rule(.vertical, at: 0, dash: 2))
    return Chart(
      x: Chart.Axis(label, values + [-1e-3, 1e-3], length: length), y: Chart.Axis(rows: names),
      layers: [zero] + layers, height: rowHeight * max(2, names.count))
  }

  /// More points than this cannot be told apart.
  static let mostPoints = 1500

  /// Every so many of the rows, so that a picture stays one.
  static func thinned<Row>(_ rows: [Row]) -> [Row] {
    let step = (rows.count + mostPoints - 1) / mostPoints
    return step < 2 ? rows : stride(from: 0, to: rows.count, by: step).map { rows[$0] }
  }

  static func thinning(_ count: Int) -> String {
    count > mostPoints ? " One in \((count + mostPoints - 1) / mostPoints) is drawn." : ""
  }

  /// Points of which each tells its place.
  static func points(_ places: [Chart.Point], _ label: String) -> Chart.Layer {
    let marks = thinned(places).map { place in
      Chart.Mark(
        x: place.x, y: place.y,
        text: "\(NumberStyle.significant(3).format(place.x)); "
          + NumberStyle.significant(3).format(place.y))
    }
    return Chart.Layer(label: label, ink: .color(0), shape: .marks(marks, .dot))
  }

  /// Errors, the last number of each row, against other numbers of it and against quantiles of a normal
  /// distribution, all to one scale.
  static func errors(
    _ rows: [[Double]], named name: String, rules: [(at: Double, label: String, dash: Int)],
    against columns: [(label: String, index: Int)]
  ) -> [Chart] {
    let errors = rows.compactMap(\.last)
    let normal = NormalPlot(errors).points.map { Chart.Point(x: $0.quantile, y: $0.value) }
    let height = 200
    let y = Chart.Axis(name, errors + rules.map(\.at), length: nil, height: height)
    let lines = rules.map {
      Chart.Layer(label: $0.label, ink: .text, shape: .rule(.horizontal, at: $0.at, dash: $0.dash))
    }
    let panels = columns.map { column in
      Chart(
        x: Chart.Axis(
          column.label, rows.map { $0[column.index] },
          steps: column.label == sinceFirstDrink ? .minutes : .tens, length: Chart.Axis.panel),
        y: y,
        layers: lines
          + [points(rows.map { Chart.Point(x: $0[column.index], y: $0.last ?? .nan) }, "reading")],
        height: height)
    }
    return panels + [
      Chart(
        x: Chart.Axis("normal quantile", normal.map(\.x), length: Chart.Axis.panel), y: y,
        layers: [diagonal("normal errors", normal.map(\.x)), points(normal, "reading")],
        height: height)
    ]
  }

  /// Where both numbers are equal.
  static func diagonal(_ label: String, _ values: [Double]) -> Chart.Layer {
    let ends = [values.min() ?? 0, values.max() ?? 1]
    return Chart.Layer(
      label: label, ink: .text, shape: .line(ends.map { Chart.Point(x: $0, y: $0) }, dash: 2))
  }
}

extension FitParameter {
  /// What stands beside an axis of it.
  var axisLabel: String { symbol + (reportedUnit.isEmpty ? "" : ", \(reportedUnit)") }
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

extension Chart.Shape {
  /// Whether there is nothing to draw.
  var isEmpty: Bool {
    switch self {
    case .line(let points, _, _): points.isEmpty
    case .band(let boxes, _), .boxes(let boxes): boxes.isEmpty
    case .marks(let marks, _, _, _): marks.isEmpty
    case .rule: false
    }
  }
}

extension Interval {
  /// What a number lies between; nil where there is no limit.
  init(least: Double?, most: Double?) {
    self.init(low: least ?? -.infinity, high: most ?? .infinity)
  }

  /// A place inside the limits, near to those that there are.
  var middle: Double {
    switch (low.isFinite, high.isFinite) {
    case (true, true): (low + high) / 2
    case (true, false): low
    case (false, true): high
    case (false, false): 0
    }
  }
}

extension Chart.Mark {
  /// A bar without a point, in a row or at a place along x.
  init(_ ends: Interval, y: Double, text: String) {
    self.init(x: ends.middle, y: y, ends: ends, text: text)
  }

  init(_ ends: Interval, x: Double, text: String) {
    self.init(x: x, y: ends.middle, ends: ends, text: text)
  }
}
