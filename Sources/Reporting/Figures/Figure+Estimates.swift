import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Figure {
  /// The estimates of all series with their intervals, in the order of their size, a chart for each parameter.
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
      caption: "Estimates with their intervals, a row for each "
        + (study.series.contains { $0.series.occasion != nil } ? "occasion" : "person")
        + ", the smallest at the top. An arrow without a point: the readings set one limit only. A row without a mark: "
        + "undetermined."
        + thinning(fits.count, to: mostRows),
      charts: parameters.map { chart($0, fits) })
  }

  /// More rows than this, each with its name, make a picture longer than a page.
  private static let mostRows = 72

  private static func chart(
    _ parameter: FitParameter, _ fits: [(label: String, fit: SeriesFit)]
  ) -> Chart {
    let estimates = fits.compactMap {
      label, fit -> (label: String, place: Double?, ends: Interval, text: String)? in
      guard let estimate = fit.estimates[parameter] else { return nil }
      let value = estimate.isDetermined ? estimate.value : nil
      let ends = Interval(
        least: estimate.low.map(parameter.reportedValue),
        most: estimate.high.map(parameter.reportedValue))
      return (
        label, value.map(parameter.reportedValue), ends,
        "\(label): \(fit.shown(parameter) ?? "undetermined")"
      )
    }
    let order = estimates.sorted { ($0.place ?? $0.ends.middle) < ($1.place ?? $1.ends.middle) }
    let rows = thinned(order, to: mostRows)
    // One wide interval does not make all others small: it goes on beyond the axis.
    let places = rows.map { $0.place ?? $0.ends.middle }
    let least = places.min() ?? 0
    let most = places.max() ?? 1
    let room = max(most - least, 0.1 * abs(most))
    let values =
      places
      + rows.flatMap { [$0.ends.low, $0.ends.high] }.filter {
        $0 > least - room && $0 < most + room
      }
    let height = max(40, 14 * rows.count)
    let marks = rows.enumerated().map { index, row in
      let y = Double(rows.count - index)
      let hasEnds = row.ends.low.isFinite || row.ends.high.isFinite
      return row.place.map {
        Chart.Mark(x: $0, y: y, ends: hasEnds ? row.ends : nil, text: row.text)
      } ?? Chart.Mark(row.ends, y: y, text: row.text)
    }
    let isKnown = rows.map { $0.place != nil }
    let layers = [true, false].map { kind in
      Chart.Layer(
        kind ? "estimate with its interval" : "undetermined", kind ? .text : .color(1),
        .marks(
          zip(marks, isKnown).filter { $0.1 == kind }.map(\.0), kind ? .point : nil,
          along: .horizontal, width: 1.3),
        isNamed: false)
    }
    return Chart(
      x: Chart.Axis(
        parameter.axisLabel, values, isLogarithmic: parameter == .ka, length: Chart.Axis.panel),
      y: Chart.Axis(rows: rows.map(\.label)),
      layers: layers.filter { !$0.shape.isEmpty }, height: height)
  }

  /// The profile likelihood of each parameter of a series.
  public static func profiles(of evaluation: SeriesEvaluation) -> Figure? {
    profiles(of: evaluation, named: [evaluation.series].fileNames[0])
  }

  /// The same; `name` is its series' own among those of several.
  static func profiles(of evaluation: SeriesEvaluation, named name: String) -> Figure? {
    guard !evaluation.profiles.isEmpty else { return nil }
    let label = evaluation.series.label
    let names = evaluation.profiles.map(\.parameter.symbol).joined(separator: ", ")
    return Figure(
      name: "profile-\(name)",
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
        Chart.Layer("end of the interval", .text, .rule(.horizontal, at: profile.threshold)),
        Chart.Layer("best fit with the parameter held there", .color(0), .line(points, width: 2)),
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

  /// The mean errors of each method with bootstrap intervals, a chart for concentrations and one
  /// for peaks.
  public static func methods(of study: StudyEvaluation) -> Figure? {
    let names = study.predictionOptions.names
    let charts = [ComparedQuantity.concentration, .peak].compactMap { quantity in
      chart(
        quantity, names, study.summary.methods.filter { $0.quantity == quantity && $0.sex == nil })
    }
    guard !charts.isEmpty else { return nil }
    return Figure(
      name: "methods",
      alt: "Bias of \(names.joined(separator: ", ")) for concentration and peak.",
      caption: "Bias of each method, predicted minus measured, with "
        + "\(NumberStyle.exact(100 * study.bootstrap.level)) % bootstrap intervals over subjects.",
      charts: charts)
  }

  private static func chart(
    _ quantity: ComparedQuantity, _ names: [String], _ summaries: [MethodSummary]
  ) -> Chart? {
    guard !summaries.isEmpty else { return nil }
    let marks = summaries.map { summary in
      let bias = summary.errors.bias
      let interval = summary.bias.interval
      return Chart.Mark(
        x: bias, y: Double(names.count - (names.firstIndex(of: summary.method) ?? 0)),
        ends: .init(low: interval?.low ?? bias, high: interval?.high ?? bias),
        text: "\(summary.method): \(NumberStyle.significant(3).format(bias)) \(quantity.unit)")
    }
    return rowChart(
      "bias of \(quantity.title), \(quantity.unit)", names, marks.compactMap(\.ends),
      [
        Chart.Layer(
          "bias with its interval over subjects", .text,
          .marks(marks, .dot, along: .horizontal, width: 1.5), isNamed: false)
      ], isNamed: false)
  }
}

// MARK: - Charts of one kind

extension Figure {
  /// A row for each name, with a line where there is no error.
  static func rowChart(
    _ label: String, _ names: [String], _ ranges: [Chart.Mark.Interval], _ layers: [Chart.Layer],
    length: Double = Chart.Axis.panel, rowHeight: Int = 24, isNamed: Bool = true
  ) -> Chart {
    let values: [Double] = [0] + ranges.map(\.low) + ranges.map(\.high)
    let zero = Chart.Layer("no error", .text, .rule(.vertical, at: 0, dash: 2), isNamed: isNamed)
    return Chart(
      x: Chart.Axis(label, values + [-1e-3, 1e-3], length: length), y: Chart.Axis(rows: names),
      layers: [zero] + layers, height: rowHeight * max(2, names.count))
  }

  /// More points than this cannot be told apart.
  static let mostPoints = 1500

  /// Every n-th row, so that at most so many are drawn.
  static func thinned<Row>(_ rows: [Row], to most: Int = mostPoints) -> [Row] {
    let step = (rows.count + most - 1) / most
    return step < 2 ? rows : stride(from: 0, to: rows.count, by: step).map { rows[$0] }
  }

  static func thinning(_ count: Int, to most: Int = mostPoints) -> String {
    count > most ? " One in \((count + most - 1) / most) is drawn." : ""
  }

  /// Points with their coordinates as texts.
  static func points(_ places: [Chart.Point], _ label: String) -> Chart.Layer {
    let marks = thinned(places).map { place in
      Chart.Mark(
        x: place.x, y: place.y,
        text: "\(NumberStyle.significant(3).format(place.x)); "
          + NumberStyle.significant(3).format(place.y))
    }
    return Chart.Layer(label, .color(0), .marks(marks, .dot))
  }

  /// Errors, the last number of each row, against other numbers of it and normal quantiles, all to one scale.
  static func errors(
    _ rows: [[Double]], named name: String, rules: [(at: Double, label: String, dash: Int)],
    against columns: [(label: String, index: Int)]
  ) -> [Chart] {
    let errors = rows.compactMap(\.last)
    let normal = NormalPlot(errors).points.map { Chart.Point(x: $0.quantile, y: $0.value) }
    let height = 200
    let y = Chart.Axis(name, errors + rules.map(\.at), length: nil, height: height)
    let lines = rules.map {
      Chart.Layer($0.label, .text, .rule(.horizontal, at: $0.at, dash: $0.dash))
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

  /// The line of identity.
  static func diagonal(_ label: String, _ values: [Double]) -> Chart.Layer {
    let ends = [values.min() ?? 0, values.max() ?? 1]
    return Chart.Layer(label, .text, .line(ends.map { Chart.Point(x: $0, y: $0) }, dash: 2))
  }
}

extension FitParameter {
  var axisLabel: String { symbol + (reportedUnit.isEmpty ? "" : ", \(reportedUnit)") }
}

extension ComparedQuantity {
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
  var isEmpty: Bool {
    switch self {
    case .line(let points, _, _): points.isEmpty
    case .band(let boxes), .boxes(let boxes): boxes.isEmpty
    case .marks(let marks, _, _, _, _): marks.isEmpty
    case .rule: false
    }
  }
}

extension Interval {
  /// An interval from its two limits; nil where a side has none.
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
