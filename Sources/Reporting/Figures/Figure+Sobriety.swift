import AlcoholKinetics
import Estimation
public import Validation

extension Figure {
  /// The errors of predicted times to sobriety, a row for each method: every series by size of its
  /// error, those without a limit last, and the typical error with its interval.
  public static func sobrietyErrors(of study: StudyEvaluation) -> Figure? {
    let summaries = study.summary.sobriety.filter { $0.sex == nil }
    let errors = summaries.map { summary in
      let ofMethod = percentErrors(of: study, by: summary.method).sorted {
        $0.range.middle < $1.range.middle
      }
      let isBounded = { (error: (range: Interval, text: String)) in
        error.range.low.isFinite && error.range.high.isFinite
      }
      return thinned(ofMethod.filter(isBounded) + ofMethod.filter { !isBounded($0) }, to: mostBars)
    }
    guard errors.contains(where: { !$0.isEmpty }) else { return nil }
    let typical = summaries.enumerated().compactMap { index, summary in
      summary.estimate?.biasPercentOfMeasured.map { bias in
        Chart.Mark(
          x: bias.value, y: Double(summaries.count - index), ends: bias.interval,
          text: "\(summary.method): \(NumberStyle.decimals(0).format(bias.value)) %")
      }
    }
    let limits: [Double] = errors.joined().flatMap { [$0.range.low, $0.range.high] }
    let ends: [Double] = typical.flatMap { [$0.x, $0.ends?.low ?? $0.x, $0.ends?.high ?? $0.x] }
    let bounds = limits.filter(\.isFinite) + ends
    let low = bounds.min() ?? -100
    let high = min(bounds.max() ?? 0, mostPercent)
    let most = errors.map(\.count).max() ?? 0
    let bars = errors.enumerated().flatMap { index, errors in
      errors.enumerated().map { position, error in
        let part = (Double(position) + 0.5) / Double(errors.count) - 0.5
        return Chart.Mark(
          Interval(
            low: error.range.low < low ? -.infinity : min(error.range.low, high),
            high: error.range.high > high ? .infinity : error.range.high),
          y: Double(summaries.count - index) - 0.84 * part, text: error.text)
      }
    }
    let chart = rowChart(
      "error, % of the measured time", summaries.map(\.method), [Interval(low: low, high: high)],
      [
        Chart.Layer(
          "limits of the error of one occasion", .faint,
          .marks(bars, nil, along: .horizontal, width: 1.4), isNamed: false),
        Chart.Layer(
          "typical error with its interval", .text,
          .marks(typical, .dot, along: .horizontal, width: 3), isNamed: false),
      ], length: Chart.Axis.panel, rowHeight: min(84, max(26, 10 + 5 * most / 2)), isNamed: false)
    return Figure(
      name: "sobriety-errors",
      alt:
        "Errors of the predicted time to sobriety in percent of the measured time, by method: every occasion's limits, "
        + "and the typical error with its interval.",
      caption:
        "How far each method is off. Thick: the typical error, with its interval over people. Thin: each occasion's "
        + "error, between the limits that its readings set; an arrow: it goes on. Left of 0: predicted too early."
        + (study.series.count > mostBars
          ? " At most \(mostBars) occasions of a method are drawn." : ""),
      charts: [chart], namesAllInFiles: true)
  }

  /// More bars than this in a row are a blot.
  private static let mostBars = 40
  /// Larger errors, in percent, are shown as going on, so that one of them does not make all others small.
  private static let mostPercent = 150.0

  /// The limits of a method's errors, in percent of the measured time; -infinite where the subject
  /// may have been above the threshold for ever.
  private static func percentErrors(
    of study: StudyEvaluation, by method: String
  ) -> [(range: Interval, text: String)] {
    study.series.compactMap { series in
      let score = series.scores.first { $0.method == method }
      guard let range = score?.error?.percentOfMeasured else { return nil }
      let isOpen = range.low <= -100 && range.high > -100
      let limits = Interval(low: isOpen ? -.infinity : range.low, high: range.high)
      let words = SobrietyError.displayed(
        isOpen ? nil : range.low, range.high.isFinite ? range.high : nil)
      // As for parameters, the axis names the unit.
      return (limits, "\(series.series.shortLabel): \(words ?? "no limits")")
    }
  }

  /// The limits of the error of the time to sobriety against the predicted time, a chart for each method, all to one scale:
  /// Bland and Altman's plot for a measured value that is known between limits.
  public static func blandAltman(of study: StudyEvaluation) -> Figure? {
    let panels = study.summary.sobriety.filter { $0.sex == nil }.map { summary in
      (
        method: summary.method, bias: summary.estimate?.biasMinutes.value,
        marks: errorMarks(of: study, by: summary.method)
      )
    }.filter { $0.marks.count > 1 }
    guard !panels.isEmpty else { return nil }
    let height = 170
    let all = panels.flatMap(\.marks)
    let x = Chart.Axis("predicted, min", all.map(\.x), steps: .minutes, length: Chart.Axis.panel)
    let y = Chart.Axis(
      "predicted - measured, min",
      all.compactMap(\.ends).flatMap { [$0.low, $0.high] } + panels.compactMap(\.bias) + [0],
      length: nil, height: height)
    return Figure(
      name: "bland-altman",
      alt:
        "Plots of the error of the time to sobriety against the predicted time, for "
        + "\(panels.map(\.method).joined(separator: ", ")).",
      caption:
        "Time to sobriety, predicted minus measured, against the predicted time. Each bar spans the "
        + "limits of one error; an arrow means no limit. The dashed line is the estimated mean error. After Bland & "
        + "Altman (1986), but against the predicted time, because it is known exactly."
        + thinning(study.series.count),
      charts: panels.map { method, bias, marks in
        Chart(
          title: method, x: x, y: y,
          layers: [Chart.Layer("no error", .text, .rule(.horizontal, at: 0, dash: 2))]
            + [bias].compactMap(\.self).map {
              Chart.Layer("mean error", .text, .rule(.horizontal, at: $0, dash: 1))
            } + [
              Chart.Layer(
                "limits of the error of one series", .color(0),
                .marks(thinned(marks), nil, along: .vertical, width: 1.6))
            ], height: height)
      })
  }

  /// The limits of the errors of a method, at the predicted time in min since the first drink, 0 for a curve that is never
  /// above the threshold; without those of which only is known that they are later than some time.
  private static func errorMarks(of study: StudyEvaluation, by method: String) -> [Chart.Mark] {
    study.series.compactMap { series in
      guard let score = series.scores.first(where: { $0.method == method }),
        let error = score.error, let outcome = score.prediction.value?.outcome
      else { return nil }
      let predicted: Double
      switch outcome {
      case .laterThan: return nil
      case .neverAbove: predicted = 0
      case .at(let time): predicted = time.minutes
      }
      return Chart.Mark(
        Chart.Mark.Interval(least: error.least, most: error.most), x: predicted,
        text: "\(series.series.label): \(error.displayed ?? "no limits") min")
    }
  }
}
