import AlcoholKinetics
import Estimation
package import StudyData
public import Validation

extension Figure {
  /// Readings with error bars, the fitted curve with its band, every method's predicted curve, drinks, and
  /// when somebody was and was predicted to be sober.
  public static func curves(of evaluation: SeriesEvaluation, in study: StudyEvaluation) -> Figure {
    curves(of: evaluation, in: study, named: [evaluation.series].fileNames[0])
  }

  /// The same; `name` is its series' own among those of several.
  static func curves(
    of evaluation: SeriesEvaluation, in study: StudyEvaluation, named name: String
  ) -> Figure {
    let drawing = CurveDrawing(evaluation, study)
    return Figure(
      name: "curve-\(name)", alt: drawing.alt,
      caption: "Subject \(evaluation.series.label): readings, fitted curve and predictions.",
      charts: [drawing.chart],
      values: drawing.values)
  }

  /// People as small charts on common axes: readings, fitted curve with its band, drinks, and the times to sobriety.
  package static func people(
    _ pictured: [SeriesEvaluation], in study: StudyEvaluation
  ) -> Figure? {
    guard !pictured.isEmpty else { return nil }
    var drawings = pictured.map { CurveDrawing($0, study, isSmall: true) }
    let x = ends(drawings.flatMap(\.span))
    let y = ends(drawings.flatMap { ends($0.heights) })
    for index in drawings.indices { drawings[index].common = (x, y) }
    let names = study.predictionOptions.names.joined(separator: ", ")
    return Figure(
      name: "people", alt: "readings, fitted curve, and predicted times to sobriety",
      caption:
        "Blood alcohol, g/kg, against time since the first drink, h; the same axes for everybody. Marks below zero: the "
        + "times to sobriety predicted by \(names), from the top.",
      charts: drawings.map(\.chart),
      common: Labels(x: "time since the first drink, h", y: bloodAlcohol))
  }

  /// The smallest and the largest of the numbers that have a place.
  private static func ends(_ values: [Double]) -> [Double] {
    let values = values.filter(\.isFinite)
    return [values.min(), values.max()].compactMap(\.self)
  }

  static let sinceFirstDrink = "time since the first drink, min"
  static let bloodAlcohol = "blood alcohol, g/kg"
}

private struct CurveDrawing {
  let evaluation: SeriesEvaluation
  let study: StudyEvaluation
  /// True for one of many charts: in hours, without texts at the marks.
  let isSmall: Bool
  /// The ends of axes that many charts share; nil for a chart on its own.
  var common: (x: [Double], y: [Double])?
  private let start: Hours
  private let fit: SeriesFit?

  init(_ evaluation: SeriesEvaluation, _ study: StudyEvaluation, isSmall: Bool = false) {
    self.evaluation = evaluation
    self.study = study
    self.isSmall = isSmall
    start = evaluation.series.drinks.map(\.time).min() ?? 0
    fit = evaluation.fit.result.value
  }

  var alt: String {
    let readings = evaluation.series.readings.count
    let methods = evaluation.predicted.map(\.method).joined(separator: ", ")
    return "Blood alcohol of \(evaluation.series.label) against time: \(readings) readings, "
      + (fit == nil ? "no fit" : "the fitted curve")
      + (methods.isEmpty ? "." : ", and the curves predicted by \(methods).")
  }

  var chart: Chart {
    let (x, y) = common ?? (span, heights)
    let above = Chart.Axis(
      isSmall ? "" : Figure.bloodAlcohol, y + [0.01], from: 0, length: nil, height: height)
    let unit = above.high / Double(height)
    let places = methods.indices.map { -unit * (gap + row * (Double($0) + 0.5)) }
    let strip = methods.isEmpty ? 0 : gap + row * Double(methods.count)
    let layers =
      soberLayers + bandLayers + (isSmall ? [] : predictedLayers) + fittedLayers
      + readingLayers + drinkLayers + zip(methods, places).compactMap { timeLayer(of: $0, at: $1) }
    return Chart(
      title: isSmall ? evaluation.series.shortLabel.nameOfRow : "",
      x: Chart.Axis(
        isSmall ? "" : Figure.sinceFirstDrink, x, from: isSmall ? x.min() : nil,
        to: isSmall ? x.max() : nil, steps: isSmall ? .tens : .minutes,
        length: isSmall ? Chart.Axis.small : Chart.Axis.page),
      y: strip == 0
        ? above
        : above.with(rows: methods, at: places, downTo: -unit * strip, areShown: !isSmall),
      layers: layers, height: height + Int(strip))
  }

  /// The heights of the plot above zero, of the drinks below it, and of each method's row, in CSS
  /// pixels.
  private var height: Int { isSmall ? 72 : 290 }
  private var gap: Double { isSmall ? 8 : 16 }
  private var row: Double { isSmall ? 6 : 18 }

  /// The methods that have a row: among many charts the same in each, else those that predict something.
  private var methods: [String] {
    let predicted = evaluation.scores.filter { $0.prediction.value != nil }.map(\.method)
    return isSmall && !predicted.isEmpty ? study.predictionOptions.names : predicted
  }

  /// The position of a time on the x axis: minutes since the first drink, hours in small charts.
  private func place(_ time: Hours) -> Double { place(minutes: (time - start).minutes) }
  private func place(minutes: Double) -> Double { isSmall ? minutes / 60 : minutes }

  /// The first and the last time that is drawn; alone, to the ends of predicted times unless these make all else small.
  var span: [Double] {
    let times = (evaluation.times + evaluation.series.drinks.map(\.time)).map(place)
    guard let first = times.min(), let last = times.max() else { return [] }
    let ends = evaluation.scores.compactMap { $0.prediction.value?.interval?.high }
    return [first, isSmall ? last : max(last, min(ends.max() ?? last, Self.mostOfBand * last))]
  }

  /// All heights to be seen; of a fitted band, which may have no upper end, those not far above everything else.
  var heights: [Double] {
    let highest = lines.filter(\.isFinite).max() ?? 0
    return lines.filter(\.isFinite)
      + evaluation.fitted.compactMap { $0.high.map { min($0.value, Self.mostOfBand * highest) } }
  }

  /// Largest ratio of a band to the highest line, and of an interval to the last time, that is
  /// drawn.
  private static let mostOfBand = 1.5

  private var lines: [Double] {
    (isSmall ? [] : evaluation.predicted.flatMap(\.concentrations).map(\.value))
      + evaluation.fitted.map(\.concentration.value) + rows.map { $0.value + ($0.deviation ?? 0) }
  }

  // MARK: Readings

  private struct Row {
    let time: Double
    /// The measured value, or the limit of detection for a reading below it.
    let value: Double
    let deviation: Double?
    let fitted: Double?
    let use: String
    let kind: Int
  }

  private var rows: [Row] {
    guard let fit else {
      return evaluation.series.readings.map { reading in
        let blood = reading.bloodConcentration(using: study.fitOptions.factors)
        return Row(
          time: (reading.time - start).minutes, value: blood.value, deviation: nil, fitted: nil,
          use: "not fitted", kind: 2)
      }
    }
    return fit.readings.map { reading in
      let kind = reading.use == .quantified ? 0 : reading.use == .censored ? 1 : 2
      return Row(
        time: (reading.time - start).minutes,
        value: (kind == 1 ? reading.limit ?? reading.observed : reading.observed).value,
        deviation: kind == 0 ? reading.standardDeviation : nil, fitted: reading.predicted.value,
        use: ["fitted", "below the limit of detection", "left out"][kind], kind: kind)
    }
  }

  private var readingLayers: [Chart.Layer] {
    let kinds: [(label: String, ink: Chart.Ink, symbol: Chart.Symbol)] = [
      (isSmall ? "reading" : "reading, with its SD", .text, isSmall ? .point : .dot),
      ("below detection, at the limit", .text, isSmall ? .wedge : .triangle),
      (
        fit == nil ? "reading (not fitted)" : "reading left out", .faint, isSmall ? .speck : .cross
      ),
    ]
    return [2, 1, 0].compactMap { kind in
      let marks = rows.filter { $0.kind == kind && $0.value.isFinite }.map { row in
        Chart.Mark(
          x: place(minutes: row.time), y: max(row.value, 0),
          ends: isSmall
            ? nil : row.deviation.map { .init(low: row.value - $0, high: row.value + $0) },
          text: isSmall ? "" : words(of: row), isReading: !isSmall)
      }
      let style = kinds[kind]
      return marks.isEmpty
        ? nil : Chart.Layer(style.label, style.ink, .marks(marks, style.symbol))
    }
  }

  private func words(of row: Row) -> String {
    "\(NumberStyle.decimals(0).format(row.time)) min: \(row.kind == 1 ? "< " : "")"
      + "\(NumberStyle.significant(3).format(row.value)) g/kg"
      + (row.kind == 0 ? "" : ", \(row.use)")
  }

  var values: Table? {
    guard !rows.isEmpty else { return nil }
    return Table(
      [
        Column<Row>(forPeople: "min", style: .decimals(0), \.time),
        Column(forPeople: "g/kg", style: .decimals(3), \.value),
        Column(forPeople: "SD", style: .decimals(3), \.deviation),
        Column(forPeople: "fitted curve", style: .decimals(3), \.fitted),
        Column(forPeople: "use", \.use),
      ], rows: rows)
  }

  private var drinkLayers: [Chart.Layer] {
    let series = evaluation.series
    let marks = series.drinks.map { drink in
      let mass = drink.ethanol.mass(forBodyWeight: series.subject.weight)
      let from = place(drink.time)
      let to = place(drink.time + drink.duration)
      return Chart.Mark(
        x: from, y: 0, ends: to > from && !isSmall ? .init(low: from, high: to) : nil,
        text: isSmall
          ? ""
          : "\(NumberStyle.decimals(0).format(from)) min: drink"
            + (mass.map { ", \(NumberStyle.significant(3).format($0.value)) g of ethanol" } ?? ""))
    }
    return marks.isEmpty
      ? []
      : [
        Chart.Layer(
          "drink", .text, .marks(marks, isSmall ? .tick : .drink, along: .horizontal, width: 4))
      ]
  }

  // MARK: Curves

  private var bandLayers: [Chart.Layer] {
    let boxes = zip(evaluation.times, evaluation.fitted).compactMap { time, point in
      point.low.flatMap { low in
        point.high.map { Chart.Box(place(time), place(time), low.value, $0.value) }
      }
    }
    guard !boxes.isEmpty else { return [] }
    let level = study.fitOptions.interval?.level ?? Interval.defaultLevel
    return [
      Chart.Layer(
        "\(NumberStyle.exact(100 * level)) % band of the fitted curve", .faint, .band(boxes))
    ]
  }

  private var fittedLayers: [Chart.Layer] {
    guard !evaluation.fitted.isEmpty else { return [] }
    let points = zip(evaluation.times, evaluation.fitted).map {
      Chart.Point(x: place($0), y: $1.concentration.value)
    }
    return [
      Chart.Layer("fitted curve", .text, .line(points, width: isSmall ? 1.3 : 2.2))
    ]
  }

  private var predictedLayers: [Chart.Layer] {
    evaluation.predicted.map { curve in
      let number = number(of: curve.method)
      let points = zip(evaluation.times, curve.concentrations).filter(\.1.value.isFinite).map {
        Chart.Point(x: place($0), y: $1.value)
      }
      return Chart.Layer(
        curve.method, .color(number), .line(points, dash: number + 1, width: 1.2),
        isNamed: false)
    }
  }

  private var soberLayers: [Chart.Layer] {
    let score = evaluation.scores.first
    var layers: [Chart.Layer] = []
    if let from = score?.measured.lastAbove?.minutes {
      let to = score?.measured.first?.minutes ?? .infinity
      layers.append(
        Chart.Layer(
          "became sober in this span (readings)", .color(Self.ofReadings),
          .boxes([Chart.Box(place(minutes: from), place(minutes: to), -.infinity, .infinity)]
          ))
      )
    }
    let threshold = score?.threshold.concentration.value ?? 0
    if threshold > 0, !isSmall {
      layers.append(
        Chart.Layer(
          "threshold", .text, .rule(.horizontal, at: threshold, dash: 2)
        ))
    }
    return layers
  }

  /// The predicted time to sobriety of a method, in a row of its own so that none hides another.
  private func timeLayer(of method: String, at height: Double) -> Chart.Layer? {
    guard
      let prediction = evaluation.scores.first(where: { $0.method == method })?.prediction.value
    else { return nil }
    let (time, isLater) =
      switch prediction.outcome {
      case .neverAbove: (Hours(0), false)
      case .at(let time): (time, false)
      case .laterThan(let time): (time, true)
      }
    let ends =
      isLater
      ? Interval(low: time.minutes, high: .infinity) : isSmall ? nil : prediction.interval
    let minutes = { NumberStyle.decimals(0).format($0 as Double) }
    let mark = Chart.Mark(
      x: place(minutes: time.minutes), y: height,
      ends: ends.map { .init(low: place(minutes: $0.low), high: place(minutes: $0.high)) },
      text: isSmall
        ? ""
        : "\(method): sober \(isLater ? "after" : "at") \(minutes(time.minutes)) min"
          + (isLater
            ? "" : prediction.interval.map { " (\(minutes($0.low))-\(minutes($0.high)))" } ?? ""))
    let number = number(of: method)
    let symbols = Chart.Symbol.ofRows
    // Its bar has the dashes of its curve, which tell it from others without colours.
    return Chart.Layer(
      method, .color(number),
      isSmall
        ? .marks(
          [mark], symbols[(number < Self.ofReadings ? number : number - 1) % symbols.count],
          along: .horizontal)
        : .marks([mark], .dot, along: .horizontal, width: 2, dash: number + 1),
      isNamed: isSmall)
  }

  /// The place in the palette of what readings say about sobriety.
  private static let ofReadings = 5

  /// The place of a method in the palette, the same with and without given models, which come last.
  private func number(of method: String) -> Int {
    let options = study.predictionOptions
    let names = options.methods.map(\.name) + options.models
    let place = names.firstIndex(of: method) ?? 0
    let isModel = options.models.contains(method)
    return place < Self.ofReadings && !isModel ? place : max(place, Self.ofReadings) + 1
  }
}

extension Series {
  /// Subject, or subject and occasion; no other series has the same.
  package var label: String { label(", occasion ") }

  /// Subject, or subject/occasion, where many stand in little room; no other series has the same.
  var shortLabel: String { label("/") }

  /// The name, quoted as in CSV if the separator stands in it, so that the occasion follows the separator.
  private func label(_ separator: String) -> String {
    let name = subject.id
    // By bytes: a quote with an accent on it is not the character that a search would look for.
    let isAmbiguous =
      name.utf8.first == UInt8(ascii: "\"")
      || separator.utf8.allSatisfy(name.utf8.contains) && name.utf8.contains(separator.utf8)
    let shown = isAmbiguous ? "\"\(name.doublingQuotes)\"" : name
    return occasion.map { "\(shown)\(separator)\($0)" } ?? shown
  }
}

extension [Series] {
  /// The names of their files, each once: letters, digits and hyphens of subject and occasion, and a number behind a
  /// name that another has before it. Some file systems ignore capitals.
  package var fileNames: [String] {
    var taken: Set<String> = []
    var counts: [String: Int] = [:]
    return map { series in
      let parts = [series.subject.id, series.occasion ?? ""].map(\.fileName)
      let name = parts.filter { !$0.isEmpty }.joined(separator: "-").orIfEmpty("unnamed")
      var unique = name
      while !taken.insert(unique.lowercased()).inserted {
        counts[name.lowercased(), default: 1] += 1
        unique = "\(name)-\(counts[name.lowercased(), default: 1])"
      }
      return unique
    }
  }
}

extension String {
  /// The letters and digits of the text, of any script, with hyphens for the rest; 40 at most.
  fileprivate var fileName: String {
    let kept = unicodeScalars.split {
      !($0.properties.isAlphabetic || $0.properties.numericType != nil)
    }
    return kept.map { String($0) }.joined(separator: "-").unicodeScalars.prefix(40).reduce(into: "")
    {
      $0.unicodeScalars.append($1)
    }
  }

  fileprivate func orIfEmpty(_ other: String) -> String { isEmpty ? other : self }
}
