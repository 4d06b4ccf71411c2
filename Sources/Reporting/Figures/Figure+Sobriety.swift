import AlcoholKinetics
import Estimation
public import Validation

extension Figure {
  /// What is known of the error of the predicted time to sobriety of every series, by method.
  public static func sobrietyErrors(of study: StudyEvaluation) -> Figure? {
    let names = study.predictionOptions.methods.map(\.name)
    let errors = names.map { thinned(sobrietyErrors(of: study, by: $0)) }
    guard errors.contains(where: { !$0.isEmpty }) else { return nil }
    let bars = errors.enumerated().flatMap { index, errors in
      errors.enumerated().map { position, error in
        // Side by side rather than on top of each other, always in the same way.
        let shift =
          errors.count > 1 ? 0.5 * (Double(position) / Double(errors.count - 1) - 0.5) : 0
        return Chart.Mark(error.range, y: Double(names.count - index) - shift, text: error.text)
      }
    }
    let biases = study.summary.sobriety.filter { $0.sex == nil }.compactMap { summary in
      summary.errors.map { errors in
        Chart.Mark(
          Chart.Mark.Interval(least: errors.bias.least, most: errors.bias.most),
          y: Double(names.count - (names.firstIndex(of: summary.rFactor) ?? 0)) - 0.36,
          text: "\(summary.rFactor), mean: \(errors.bias.displayed ?? "no limits") min")
      }
    }
    return Figure(
      name: "sobriety-errors",
      alt:
        "Limits of the error of the predicted time to sobriety, in minutes, one bar for each "
        + "series and method.",
      caption:
        "Error of the predicted time to sobriety. Each bar spans the limits of the error of one series; "
        + "an arrow means no limit, because the readings end above the threshold. Left of 0, people were "
        + "sober later than predicted." + thinning(study.series.count),
      charts: [
        rowChart(
          "error of the time to sobriety, min", names, (bars + biases).compactMap(\.ends),
          [
            Chart.Layer(
              label: "limits of the mean error", ink: .text,
              shape: .marks(biases, nil, along: .horizontal, width: 4)),
            Chart.Layer(
              label: "limits of the error of one series", ink: .color(0),
              shape: .marks(bars, nil, along: .horizontal, width: 1.6)),
          ], length: Chart.Axis.panel, rowHeight: 44)
      ])
  }

  /// What the error of the time to sobriety lies between against the predicted time, a chart for each
  /// method, all to one scale: Bland and Altman's plot for a measured value of which only limits are known.
  public static func blandAltman(of study: StudyEvaluation) -> Figure? {
    let summaries = study.summary.sobriety.filter { $0.sex == nil && $0.errors != nil }
    let panels = summaries.map { summary in
      (
        summary: summary,
        marks: sobrietyErrors(of: study, by: summary.rFactor).compactMap { error in
          error.predicted.map { Chart.Mark(error.range, x: $0, text: error.text) }
        }
      )
    }.filter { $0.marks.count > 1 }
    guard !panels.isEmpty else { return nil }
    let height = 170
    let all = panels.flatMap(\.marks)
    let biases = panels.compactMap(\.summary.errors?.bias).flatMap { [$0.least, $0.most] }
    let x = Chart.Axis("predicted, min", all.map(\.x), steps: .minutes, length: Chart.Axis.panel)
    let y = Chart.Axis(
      "predicted - measured, min",
      all.compactMap(\.ends).flatMap { [$0.low, $0.high] } + biases.compactMap(\.self) + [0],
      length: nil, height: height)
    return Figure(
      name: "bland-altman",
      alt:
        "Plots of the error of the time to sobriety against the predicted time, for "
        + "\(panels.map(\.summary.rFactor).joined(separator: ", ")).",
      caption:
        "Time to sobriety, predicted minus measured, against the predicted time. Each bar spans the "
        + "limits of one error; an arrow means no limit. After Bland & Altman (1986), but against the "
        + "predicted time, because it is known exactly." + thinning(study.series.count),
      charts: panels.map { summary, marks in
        let limits = [summary.errors?.bias.least, summary.errors?.bias.most].compactMap(\.self)
        return Chart(
          title: summary.rFactor, x: x, y: y,
          layers: [
            Chart.Layer(label: "no error", ink: .text, shape: .rule(.horizontal, at: 0, dash: 2))
          ]
            + limits.map {
              Chart.Layer(
                label: "limit of the bias", ink: .text, shape: .rule(.horizontal, at: $0, dash: 1))
            } + [
              Chart.Layer(
                label: "limits of the error of one series", ink: .color(0),
                shape: .marks(thinned(marks), nil, along: .vertical, width: 1.6))
            ], height: height)
      })
  }

  /// What is known of the errors of a method: their limits, and the predicted time in min since the first
  /// drink, 0 for a curve that is never above the threshold; nil where only that it is later than some
  /// time is known.
  private static func sobrietyErrors(
    of study: StudyEvaluation, by method: String
  ) -> [(range: Chart.Mark.Interval, predicted: Double?, text: String)] {
    study.series.compactMap { series in
      guard let score = series.comparisons.first(where: { $0.rFactor == method })?.sobriety,
        let error = score.error
      else { return nil }
      let predicted: Double? =
        switch score.prediction.value?.outcome {
        case nil, .laterThan: nil
        case .neverAbove: 0
        case .at(let time): time.minutes
        }
      let limits = BoundedStatistic.displayed(error.least, error.most) ?? "no limits"
      return (
        Chart.Mark.Interval(least: error.least, most: error.most), predicted,
        "\(series.series.label): \(limits) min"
      )
    }
  }
}
