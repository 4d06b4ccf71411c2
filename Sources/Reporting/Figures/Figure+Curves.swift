import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Figure {
  /// Readings with error bars, the fitted curve with its band, every method's predicted curve, drinks, and
  /// when somebody was and was predicted to be sober.
  public static func curves(of evaluation: SeriesEvaluation, in study: StudyEvaluation) -> Figure {
    let drawing = CurveDrawing(evaluation, study)
    return Figure(
      name: "curve-\(evaluation.series.fileName)", alt: drawing.alt,
      caption: "Subject \(evaluation.series.label): readings, fitted curve and predictions.",
      charts: [drawing.chart],
      values: drawing.values)
  }

  /// What time is counted from in figures, in its unit.
  static let sinceFirstDrink = "time since the first drink, min"
  /// What a blood alcohol is called beside an axis.
  static let bloodAlcohol = "blood alcohol, g/kg"
}

/// The chart of a series and what is said about it.
private struct CurveDrawing {
  let evaluation: SeriesEvaluation
  let study: StudyEvaluation
  private let start: Hours
  private let fit: SeriesFit?
  /// Of each prediction the band of people like this one.
  private let predictedBands: [(rFactor: String, boxes: [Chart.Box])]

  init(_ evaluation: SeriesEvaluation, _ study: StudyEvaluation) {
    self.evaluation = evaluation
    self.study = study
    let start = evaluation.series.drinks.map(\.time).min() ?? 0
    self.start = start
    fit = evaluation.fit.result.value
    predictedBands = evaluation.predicted.compactMap { curve in
      let boxes = evaluation.band(of: curve.rFactor, study.predictionOptions).map {
        let minutes = ($0.time - start).minutes
        return Chart.Box(minutes, minutes, $0.interval.low, $0.interval.high)
      }
      return boxes.isEmpty ? nil : (curve.rFactor, boxes)
    }
  }

  var alt: String {
    let readings = evaluation.series.readings.count
    let methods = evaluation.predicted.map(\.rFactor).joined(separator: ", ")
    return "Blood alcohol of \(evaluation.series.label) against time: \(readings) readings, "
      + (fit == nil ? "no fit" : "the fitted curve")
      + (methods.isEmpty ? "." : ", and the curves predicted by \(methods).")
  }

  var chart: Chart {
    let layers =
      soberLayers + predictedBandLayers + bandLayers + predictedLayers + fittedLayers
      + readingLayers + drinkLayers
    let times = evaluation.times + evaluation.series.drinks.map(\.time)
    return Chart(
      x: Chart.Axis(
        Figure.sinceFirstDrink, times.map(minutes), steps: .minutes, length: Chart.Axis.page),
      y: Chart.Axis(Figure.bloodAlcohol, heights + [0.01], from: 0, length: nil, height: height),
      layers: layers, height: height)
  }

  private let height = 290

  private func minutes(_ time: Hours) -> Double { (time - start).minutes }

  /// All that has to be seen; of the band of a fitted curve, which may have no upper end, what is not far above
  /// everything else.
  private var heights: [Double] {
    let highest = highestLine
    let bands = predictedBands.flatMap { $0.boxes.map(\.high) }
    return lines + bands
      + evaluation.fitted.compactMap { $0.high.map { min($0.value, Self.mostOfBand * highest) } }
  }

  /// So many times the highest line a fitted curve's band is drawn.
  private static let mostOfBand = 1.5

  private var highestLine: Double { lines.filter(\.isFinite).max() ?? 0 }

  private var lines: [Double] {
    evaluation.predicted.flatMap(\.concentrations).map(\.value)
      + evaluation.fitted.map(\.concentration.value) + rows.map { $0.value + ($0.deviation ?? 0) }
  }

  // MARK: Readings

  /// A reading as it is drawn.
  private struct Row {
    let time: Double
    /// What was measured, or the limit that it is below.
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
          time: minutes(reading.time), value: blood.value, deviation: nil, fitted: nil,
          use: "not fitted", kind: 2)
      }
    }
    return fit.readings.map { reading in
      let kind = reading.use == .quantified ? 0 : reading.use == .censored ? 1 : 2
      return Row(
        time: minutes(reading.time),
        value: (kind == 1 ? reading.limit ?? reading.observed : reading.observed).value,
        deviation: kind == 0 ? reading.standardDeviation : nil, fitted: reading.predicted.value,
        use: ["fitted", "below the limit of detection", "left out"][kind], kind: kind)
    }
  }

  private var readingLayers: [Chart.Layer] {
    let kinds: [(label: String, ink: Chart.Ink, symbol: Chart.Symbol)] = [
      ("reading, with its SD", .text, .dot),
      ("below detection, at the limit", .text, .ring),
      (fit == nil ? "reading (not fitted)" : "reading left out", .faint, .cross),
    ]
    return [2, 1, 0].compactMap { kind in
      let marks = rows.filter { $0.kind == kind && $0.value.isFinite }.map { row in
        Chart.Mark(
          x: row.time, y: max(row.value, 0),
          ends: row.deviation.map { .init(low: row.value - $0, high: row.value + $0) },
          text: words(of: row), isReading: true)
      }
      let own = kinds[kind]
      return marks.isEmpty
        ? nil : Chart.Layer(label: own.label, ink: own.ink, shape: .marks(marks, own.symbol))
    }
  }

  private func words(of row: Row) -> String {
    "\(NumberStyle.decimals(0).format(row.time)) min: \(row.kind == 1 ? "< " : "")"
      + "\(NumberStyle.significant(3).format(row.value)) g/kg"
      + (row.kind == 0 ? "" : ", \(row.use)")
  }

  /// The readings in numbers.
  var values: Table? {
    guard !rows.isEmpty else { return nil }
    return Table(
      [
        Column<Row>(forPeople: "min", style: .decimals(0)) { $0.time },
        Column(forPeople: "g/kg", style: .decimals(3)) { $0.value },
        Column(forPeople: "SD", style: .decimals(3)) { $0.deviation },
        Column(forPeople: "fitted curve", style: .decimals(3)) { $0.fitted },
        Column(forPeople: "use") { $0.use },
      ], rows: rows)
  }

  private var drinkLayers: [Chart.Layer] {
    let series = evaluation.series
    let marks = series.drinks.map { drink in
      let mass = drink.ethanol.mass(forBodyWeight: series.subject.weight)
      let (from, to) = (minutes(drink.time), minutes(drink.time + drink.duration))
      return Chart.Mark(
        x: from, y: 0, ends: to > from ? .init(low: from, high: to) : nil,
        text: "\(NumberStyle.decimals(0).format(from)) min: drink"
          + (mass.map { ", \(NumberStyle.significant(3).format($0.value)) g of ethanol" } ?? ""))
    }
    return marks.isEmpty
      ? []
      : [
        Chart.Layer(
          label: "drink", ink: .text, shape: .marks(marks, .drink, along: .horizontal, width: 4))
      ]
  }

  // MARK: Curves

  private var bandLayers: [Chart.Layer] {
    let boxes = zip(evaluation.times, evaluation.fitted).compactMap { time, point in
      point.low.flatMap { low in
        point.high.map { Chart.Box(minutes(time), minutes(time), low.value, $0.value) }
      }
    }
    guard !boxes.isEmpty else { return [] }
    let level = study.fitOptions.interval?.level ?? IntervalOptions.defaultLevel
    let most = Self.mostOfBand * highestLine
    let isCut = boxes.contains { $0.high > most }
    return [
      Chart.Layer(
        label: "\(NumberStyle.exact(100 * level)) % band of the fitted curve"
          + (isCut ? " (goes on above)" : ""), ink: .faint,
        shape: .band(boxes))
    ]
  }

  private var fittedLayers: [Chart.Layer] {
    guard !evaluation.fitted.isEmpty else { return [] }
    let points = zip(evaluation.times, evaluation.fitted).map {
      Chart.Point(x: minutes($0), y: $1.concentration.value)
    }
    return [Chart.Layer(label: "fitted curve", ink: .text, shape: .line(points, width: 2.2))]
  }

  /// Of each prediction the band of people like this one.
  private var predictedBandLayers: [Chart.Layer] {
    predictedBands.map { band in
      Chart.Layer(
        label: "90 % band of \(band.rFactor)", ink: .color(place(of: band.rFactor)),
        shape: .band(band.boxes, isLight: true))
    }
  }

  private var predictedLayers: [Chart.Layer] {
    evaluation.predicted.map { curve in
      let place = place(of: curve.rFactor)
      let points = zip(evaluation.times, curve.concentrations).map {
        Chart.Point(x: minutes($0), y: $1.value)
      }
      return Chart.Layer(
        label: curve.rFactor, ink: .color(place), shape: .line(points, dash: place + 1))
    }
  }

  private var soberLayers: [Chart.Layer] {
    let measured = evaluation.comparisons.first?.sobriety.measured ?? .noReadings
    var layers: [Chart.Layer] = []
    if let from = measured.lastAbove {
      let to = measured.first?.minutes ?? .infinity
      layers.append(
        Chart.Layer(
          label: to.isFinite
            ? "sober between these readings" : "sober later than this",
          ink: .color(5), shape: .boxes([Chart.Box(from.minutes, to, 0, .infinity)])))
    }
    let threshold = evaluation.comparisons.first?.sobriety.threshold.concentration.value ?? 0
    if threshold > 0 {
      layers.append(
        Chart.Layer(
          label: "threshold", ink: .text, shape: .rule(.horizontal, at: threshold, dash: 2)
        ))
    }
    let predicted = evaluation.comparisons.compactMap { comparison -> Chart.Layer? in
      guard let time = comparison.sobriety.prediction.value?.time else { return nil }
      let text =
        "\(comparison.rFactor): sober at \(NumberStyle.decimals(0).format(time.minutes)) min"
      return Chart.Layer(
        label: "predicted sober (colour: method)",
        ink: .color(place(of: comparison.rFactor)),
        shape: .marks([Chart.Mark(x: time.minutes, y: threshold, text: text)], .down))
    }
    return layers + predicted
  }

  private func place(of method: String) -> Int {
    study.predictionOptions.methods.map(\.name).firstIndex(of: method) ?? 0
  }
}

extension Series {
  /// Subject, or subject and occasion; no other series has the same.
  var label: String { label(", occasion ") }

  /// Subject, or subject/occasion, where many stand in little room; no other series has the same.
  var shortLabel: String { label("/") }

  /// The name of the series' files: letters, digits and hyphens; no other series has the same.
  var fileName: String { label.fileName }

  /// A name in which the separator stands is quoted as in CSV, so that what follows the separator is
  /// the occasion.
  private func label(_ separator: String) -> String {
    let name = subject.id
    // By bytes: a quote with an accent on it is not the character that a search would look for.
    let isAmbiguous =
      name.utf8.first == UInt8(ascii: "\"") || name.utf8.contains(separator.utf8)
    let shown = isAmbiguous ? "\"\(name.doublingQuotes)\"" : name
    return occasion.map { "\(shown)\(separator)\($0)" } ?? shown
  }
}

extension String {
  /// The text as a part of a file's name: letters, digits and hyphens; and, where that is not the text
  /// itself, the beginning of its SHA-256, which tells it from others.
  ///
  /// Capitals are among what is told apart in this way: some file systems do not.
  var fileName: String {
    let kept = unicodeScalars.map { scalar in
      scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        ? String(scalar) : "-"
    }.joined()
    let simple = String(kept.split(separator: "-").joined(separator: "-").prefix(60))
    guard simple != self || simple.lowercased() != simple || simple.endsInDigest else {
      return self
    }
    return "\(simple)-\(digest)"
  }

  private static let digestLength = 16

  private var digest: String {
    let bytes = Array(utf8)
    return String(bytes.withUnsafeBytes(SHA256.hexDigest).prefix(Self.digestLength))
  }

  /// Whether it could be the name of something else with its digest.
  private var endsInDigest: Bool {
    let end = suffix(Self.digestLength + 1)
    return end.count > Self.digestLength && end.first == "-"
      && end.dropFirst().allSatisfy(\.isHexDigit)
  }

  /// By scalars, as CSV is read.
  fileprivate var doublingQuotes: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      text.unicodeScalars.append(scalar)
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
    }
  }
}
