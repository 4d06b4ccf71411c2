import AlcoholKinetics
import Estimation
import StudyData
package import Validation

extension Figure {
  /// The assumed curve with the times of readings, and below it the information of a reading at each time.
  package static func design(_ plan: SamplingPlan) -> Figure {
    let telling = plan.sensitivities
    let times = plan.times
    let marks = ["planned", "best"].compactMap { name -> Chart.Layer? in
      let readingTimes = times.filter { $0.design == name }
      guard !readingTimes.isEmpty else { return nil }
      let isBest = name == "best"
      return Chart.Layer(
        "\(name) times", .color(isBest ? 1 : 7),
        .marks(
          readingTimes.map {
            Chart.Mark(
              x: $0.minutes, y: $0.predicted, text: "\(NumberStyle.exact($0.minutes)) min")
          }, isBest ? .dot : .cross))
    }
    let minutes = telling.map(\.minutes)
    let curve = Chart.Layer(
      "assumed curve", .color(0),
      .line(telling.map { Chart.Point(x: $0.minutes, y: $0.predicted) }))
    let above = Chart(
      x: Chart.Axis(sinceFirstDrink, minutes, steps: .minutes, length: Chart.Axis.page),
      y: Chart.Axis(bloodAlcohol, telling.map(\.predicted), from: 0, length: nil, height: 230),
      layers: [curve] + marks, height: 230)
    let parameters = plan.options.estimate.sorted()
    let lines = parameters.enumerated().map { index, parameter in
      Chart.Layer(
        "\(parameter.symbol)\(parameter.isLogarithmic ? ", relative" : ", by h")",
        .color(index + 2),
        .line(
          telling.map { Chart.Point(x: $0.minutes, y: $0.slopes[index]) }, dash: index))
    }
    let below = Chart(
      x: above.x,
      y: Chart.Axis(
        "change in SDs of a reading", telling.flatMap(\.slopes), length: nil, height: 160),
      layers: lines + [Chart.Layer("none", .faint, .rule(.horizontal, at: 0), isNamed: false)],
      height: 160)
    return Figure(
      name: "design",
      alt: "Blood alcohol against time with the best times for readings"
        + (plan.planned == nil ? "" : " and the planned ones")
        + ", and how much a reading depends on \(parameters.map(\.symbol).inWords).",
      caption:
        "Above: the assumed curve of the first person and the times of readings. Below: by how many of its standard "
        + "deviations a reading changes with each parameter.",
      charts: [above, below])
  }
}
