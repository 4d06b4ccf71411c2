import AlcoholKinetics
public import Casework
import Foundation

extension Figure {
  /// The band of curves behind the answer to a case, with the measurement, the time asked about and limits.
  public static func band(of answer: CaseAnswer) -> Figure {
    let drawing = CaseDrawing(answer)
    return Figure(
      name: "case-band", alt: drawing.alt, caption: drawing.caption,
      size: Size(width: 720, height: 420),
      script: drawing.script)
  }

  /// Which input contributes how much to the variance of the answer; nil without random draws.
  public static func sensitivities(of answer: CaseAnswer) -> Figure? {
    let rows = answer.sensitivities
    guard !rows.isEmpty else { return nil }
    let data = rows.enumerated().map { index, row -> [Double?] in
      [max(0, row.first), Double(rows.count - index), max(0, row.total), 2 * row.totalError]
    }
    let color = PlotColor.method(0)
    return Figure(
      name: "case-inputs",
      alt: "Bars: the part of the variance of the answer from each input. "
        + rows.map { "\($0.input.words): \(NumberStyle.decimals(2).format($0.total))" }.joined(
          separator: ", "),
      caption:
        "Part of the answer's variance from each uncertain input. Thick: from the input alone "
        + "(first-order index); thin: with its interactions (total index), with two standard errors.",
      size: Size(width: 720, height: 90 + 36 * rows.count),
      script: """
        \(PlotScript.data("bars", data))
        \(PlotScript.rowNames(rows.map(\.input.words)))
        set xrange [0:1.05]
        set xlabel 'part of the variance'
        unset key
        plot $bars using (0):2:1:(0) with vectors nohead lw 14 lc rgb '\(color)' notitle, \\
          $bars using (0):2:3:(0) with vectors nohead lw 3 lc rgb '\(PlotColor.ink)' notitle, \\
          $bars using 3:2:4 with xerrorbars pt 7 ps 0.5 lc rgb '\(PlotColor.ink)' notitle
        """)
  }
}

extension CaseInput.Name {
  /// What people call it.
  var words: String {
    switch self {
    case .measurement: "measurement"
    case .breathRatio: "blood:breath ratio"
    case .serumRatio: "serum:blood ratio"
    case .beta: "elimination rate beta"
    case .r: "distribution factor r"
    case .ka: "absorption rate constant k_a"
    case .lag: "lag"
    case .weight: "body weight"
    case .height: "body height"
    case .volumes: "volumes of drinks"
    case .strengths: "strengths of drinks"
    }
  }
}

private struct CaseDrawing {
  let answer: CaseAnswer
  private var one: Case { answer.one }

  init(_ answer: CaseAnswer) { self.answer = answer }

  var alt: String {
    "Blood alcohol against time from \(one.clock.text(answer.band.first?.time ?? 0)) to "
      + "\(one.clock.text(answer.band.last?.time ?? 0)): the most likely curve and its band."
  }

  var caption: String {
    let band =
      answer.options.mode == .guideline
      ? "Band: range of all combinations of the inputs' ends"
      : "Band: \(NumberStyle.exact(100 * answer.options.level)) % of the curves at each time"
    var parts = ["Line: curve of the most likely inputs", band]
    if one.measurement != nil, isMeasurementShown { parts.append("Point: the measurement") }
    if marked != nil { parts.append("Upright line: the time asked about") }
    if !one.limits.isEmpty { parts.append("Dotted: limits") }
    return parts.joined(separator: ". ") + "."
  }

  private var isMeasurementShown: Bool { one.question != .forward }

  /// The time asked about; a question for a time has none.
  private var marked: Double? {
    one.question == .sober || one.question == .drinks ? nil : one.at?.value
  }

  var script: String {
    let points: [[Double?]] =
      isMeasurementShown
      ? one.measurement.map { measured in
        let blood = measured.unit.bloodConcentration(
          of: measured.value, using: one.assumptions.factors)
        return [[measured.time.value, one.unit.value(of: blood, using: one.assumptions.factors)]]
      } ?? [] : []
    let ink = PlotColor.ink
    let lines = one.limits.map { limit in
      let y = PlotScript.number(limit)
      return "set arrow from graph 0,first \(y) to graph 1,first \(y) nohead dt 3 lc rgb '\(ink)'\n"
    }.joined()
    let mark =
      marked.map {
        let x = PlotScript.number($0)
        return
          "set arrow from first \(x),graph 0 to first \(x),graph 1 nohead dt 2 lc rgb '\(PlotColor.leftOut)'\n"
      } ?? ""
    let highest = answer.band.map(\.high) + one.limits
    return """
      \(PlotScript.data("band", answer.band.map { [$0.time.value, $0.likeliest, $0.low, $0.high] }))
      \(PlotScript.data("measured", points))
      \(tics)
      set ylabel \(PlotScript.quoted(one.unit.words)) noenhanced
      set yrange [0:\(PlotScript.number(max((highest.max() ?? 1) * 1.08, 0.01)))]
      set offsets graph 0.02, graph 0.02, 0, 0
      unset key
      \(lines)\(mark)plot $band using 1:3:4 with filledcurves fs transparent solid 0.3 noborder \
      lc rgb '\(PlotColor.method(0))' notitle, \\
        $band using 1:2 with lines lw 2.5 lc rgb '\(ink)' notitle, \\
        $measured using 1:2 with points pt 7 ps 0.9 lc rgb '\(ink)' notitle
      """
  }

  /// Clock times at whole hours, eight at most; at quarters of an hour where the span is short.
  private var tics: String {
    guard let start = answer.band.first?.time.value, let end = answer.band.last?.time.value else {
      return ""
    }
    let step = [0.25, 0.5, 1, 2, 3, 6, 12, 24].first { (end - start) / $0 <= 8 } ?? 48
    let first = (start / step).rounded(.up)
    let times = stride(from: first, through: max(first, (end / step).rounded(.down)), by: 1).map {
      $0 * step
    }
    let labels = times.map { time in
      // The date stands in the text; an axis has room for the clock.
      let text = one.clock.text(Hours(time))
      return "'\(text.split(separator: " ").last ?? "")' \(PlotScript.number(time))"
    }
    return "set xlabel 'local time'\nset xtics (\(labels.joined(separator: ", ")))"
  }
}

extension ConcentrationUnit {
  /// The matrix and the unit, as people read them.
  var words: String { "\(matrix) alcohol, \(symbol)" }

  /// What the sample was.
  var matrix: String {
    switch self {
    case .serumGramsPerLitre: "serum"
    case .breathMilligramsPerLitre, .breathMicrogramsPer100Millilitres, .breathGramsPer210Litres:
      "breath"
    default: "blood"
    }
  }

  /// The unit alone.
  var symbol: String {
    switch self {
    case .bloodGramsPerKilogram: "g/kg"
    case .bloodGramsPerLitre, .serumGramsPerLitre: "g/L"
    case .bloodMilligramsPer100Millilitres: "mg/100 ml"
    case .bloodGramsPer100Millilitres: "g/100 ml"
    case .breathMilligramsPerLitre: "mg/L"
    case .breathMicrogramsPer100Millilitres: "ug/100 ml"
    case .breathGramsPer210Litres: "g/210 L"
    }
  }
}
