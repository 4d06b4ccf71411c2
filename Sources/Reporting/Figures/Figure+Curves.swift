import AlcoholKinetics
import Estimation
import StudyData
public import Validation

extension Figure {
  /// Readings with error bars, the fitted curve with its band, every method's predicted curve, and
  /// when somebody was and was predicted to be sober.
  public static func curves(of evaluation: SeriesEvaluation, in study: StudyEvaluation) -> Figure {
    let drawing = CurveDrawing(evaluation, study)
    return Figure(
      name: "curve-\(evaluation.series.fileName)",
      alt: drawing.alt,
      caption: drawing.caption,
      size: Size(width: 720, height: 480),
      script: drawing.script)
  }
}

/// The script of a curve and what is said about it.
private struct CurveDrawing {
  let evaluation: SeriesEvaluation
  let study: StudyEvaluation
  private let start: Hours
  private let fit: SeriesFit?

  init(_ evaluation: SeriesEvaluation, _ study: StudyEvaluation) {
    self.evaluation = evaluation
    self.study = study
    start = evaluation.series.drinks.map(\.time).min() ?? 0
    fit = evaluation.fit.result.value
  }

  private var level: String {
    NumberStyle.exact(100 * (study.fitOptions.interval?.level ?? IntervalOptions.defaultLevel))
  }

  var alt: String {
    let readings = evaluation.series.readings.count
    let methods = evaluation.predicted.map(\.rFactor).joined(separator: ", ")
    return "Blood alcohol of \(evaluation.series.label) against time: \(readings) readings, "
      + (fit == nil ? "no fit" : "the fitted curve")
      + (methods.isEmpty ? "." : ", and the curves predicted by \(methods).")
  }

  var caption: String {
    var parts = ["Subject \(evaluation.series.label)"]
    if let fit {
      parts.append("Points: readings, with the standard deviation from the fit")
      parts.append(
        hasBand
          ? "Thick line: fitted curve with its \(level) % confidence band"
          : "Thick line: fitted curve; no confidence band can be given")
      if !leftOut.isEmpty { parts.append("Crosses: readings left out") }
      if fit.count(.censored) > 0 {
        parts.append("Open triangles: below detection, drawn at the limit")
      }
    } else {
      parts.append("Crosses: readings (not fitted)")
    }
    if !evaluation.predicted.isEmpty {
      parts.append("Coloured: predicted curves; triangles on the axis: predicted time of sobriety")
    }
    if let shaded { parts.append(shaded) }
    return parts.joined(separator: ". ") + "."
  }

  /// What the shaded span says; nil without one.
  private var shaded: String? {
    switch measured.knowledge {
    case .between: "Shaded: sobriety was reached between these readings"
    case .atLeast: "Shaded from the last reading on: sobriety was reached later"
    case .atMost, .unknown: nil
    }
  }

  private var measured: MeasuredSobriety {
    evaluation.comparisons.first?.sobriety.measured ?? .noReadings
  }

  var script: String {
    let plots = (bandPlots + predictedPlots + soberPlots + fittedPlots + readingPlots)
      .joined(separator: ", \\\n  ")
    return """
      set xlabel 'hours since the first drink'
      set ylabel 'blood alcohol, g/kg'
      set yrange [0:*]
      set offsets 0, 0, graph 0.05, 0
      set key outside center top horizontal samplen 2.5
      \(soberScript)\(data)
      plot \(plots)
      """
  }

  private func hours(_ time: Hours) -> Double { (time - start).value }

  // MARK: Data

  private var data: String {
    let curves = evaluation.times.indices.map { index -> [Double?] in
      let point = evaluation.fitted.indices.contains(index) ? evaluation.fitted[index] : nil
      return [
        hours(evaluation.times[index]), point?.concentration.value, point?.low?.value,
        point?.high?.value,
      ] + evaluation.predicted.map { $0.concentrations[index].value }
    }
    return [
      PlotScript.data("curves", curves),
      PlotScript.data("fitted", readings(.quantified)),
      PlotScript.data("censored", readings(.censored)),
      PlotScript.data("left", leftOut),
    ].joined(separator: "\n")
  }

  /// Time, concentration or limit, and standard deviation.
  private func readings(_ use: ReadingUse) -> [[Double?]] {
    (fit?.readings ?? []).filter { $0.use == use }.map { reading in
      [
        hours(reading.time), (reading.limit ?? reading.observed).value,
        reading.standardDeviation,
      ]
    }
  }

  private var leftOut: [[Double?]] {
    guard let fit else {
      return evaluation.series.readings.map { reading in
        let blood = reading.bloodConcentration(using: study.fitOptions.factors)
        return [hours(reading.time), blood.value, nil]
      }
    }
    return fit.readings.filter { !$0.use.isUsed }.map { [hours($0.time), $0.observed.value, nil] }
  }

  // MARK: Plots

  private var hasBand: Bool { evaluation.fitted.contains { $0.low != nil } }

  private var bandPlots: [String] {
    guard hasBand else { return [] }
    return [
      "$curves using 1:3:4 with filledcurves fs transparent solid 0.3 noborder "
        + "lc rgb '\(PlotColor.grid)' title '\(level) % band'"
    ]
  }

  private var fittedPlots: [String] {
    guard !evaluation.fitted.isEmpty else { return [] }
    return ["$curves using 1:2 with lines lw 2.5 lc rgb '\(PlotColor.ink)' title 'fitted'"]
  }

  private var predictedPlots: [String] {
    evaluation.predicted.enumerated().map { index, curve in
      "$curves using 1:\(5 + index) with lines lw 1.6 dt \(PlotColor.dashes(index)) "
        + "lc rgb '\(color(of: curve.rFactor))' title \(PlotScript.quoted(curve.rFactor))"
    }
  }

  private var readingPlots: [String] {
    let ink = "lc rgb '\(PlotColor.ink)'"
    let grey = "lc rgb '\(PlotColor.leftOut)'"
    return [
      "$left using 1:2 with points pt 2 ps 0.7 lw 1.5 \(grey) notitle",
      "$censored using 1:2 with points pt 10 ps 0.9 \(ink) notitle",
      "$fitted using 1:2:3 with yerrorbars pt 7 ps 0.55 lw 1 \(ink) title 'readings'",
    ]
  }

  private var soberPlots: [String] {
    evaluation.comparisons.compactMap { comparison in
      guard let time = comparison.sobriety.prediction.value?.time else { return nil }
      return "'+' using (\(PlotScript.number(time.value))):(0) every ::0::0 "
        + "with points pt 9 ps 1.1 lc rgb '\(color(of: comparison.rFactor))' notitle"
    }
  }

  /// The span in which sobriety was reached, and the threshold.
  private var soberScript: String {
    var lines: [String] = []
    if let from = measured.lastAbove {
      let to = measured.first.map { PlotScript.number($0.value) } ?? "graph 1"
      lines.append(
        "set object rectangle from \(PlotScript.number(from.value)),graph 0 "
          + "to \(to),graph 1 behind "
          + "fc rgb '#56b4e9' fs transparent solid 0.18 noborder")
    }
    let threshold = evaluation.comparisons.first?.sobriety.threshold.concentration.value ?? 0
    if threshold > 0 {
      lines.append(
        "set arrow from graph 0,first \(PlotScript.number(threshold)) "
          + "to graph 1,first \(PlotScript.number(threshold)) nohead dt 3 lc rgb '\(PlotColor.ink)'"
      )
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func color(of method: String) -> String {
    let names = study.predictionOptions.methods.map(\.name)
    return PlotColor.method(names.firstIndex(of: method) ?? 0)
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
