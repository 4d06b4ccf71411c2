import AlcoholKinetics
public import Casework
import Estimation
import Foundation

extension Figure {
  /// The band of curves behind the answer to a case, with the measurement, drinks, the time asked about and
  /// limits.
  public static func band(of answer: CaseAnswer) -> Figure {
    let drawing = CaseDrawing(answer)
    return Figure(
      name: "case-band", alt: drawing.alt, caption: "The most likely curve and its band.",
      charts: [drawing.chart])
  }

  /// The share of each input in the variance of the answer; nil without random draws.
  public static func sensitivities(of answer: CaseAnswer) -> Figure? {
    let rows = answer.sensitivities
    guard !rows.isEmpty else { return nil }
    let marks = rows.enumerated().map { index, row in
      let first = max(0, row.first)
      let total = max(0, row.total)
      let error = row.totalError
      let text =
        "\(row.input.words): \(NumberStyle.decimals(2).format(total)) with interactions, "
        + "\(NumberStyle.decimals(2).format(first)) alone"
      let y = Double(rows.count - index)
      return (
        alone: Chart.Mark(.init(low: 0, high: first), y: y, text: text),
        total: Chart.Mark(
          x: total, y: y, ends: .init(low: total - 2 * error, high: total + 2 * error), text: text)
      )
    }
    return Figure(
      name: "case-inputs",
      alt: "Bars: the part of the variance of the answer from each input. "
        + rows.map { "\($0.input.words): \(NumberStyle.decimals(2).format($0.total))" }.joined(
          separator: ", "),
      caption: "Part of the answer's variance from each uncertain input.",
      charts: [
        Chart(
          x: Chart.Axis("part of the variance", [], from: 0, to: 1.05, length: 180),
          y: Chart.Axis(rows: rows.map(\.input.shortWords)),
          layers: [
            Chart.Layer(
              "from the input alone (first-order index)", .color(0),
              .marks(marks.map(\.alone), nil, along: .horizontal, width: 12)),
            Chart.Layer(
              "with its interactions (total index), with two standard errors", .text,
              .marks(marks.map(\.total), .dot, along: .horizontal, width: 1.6)),
          ], height: 30 * rows.count)
      ])
  }
}

extension CaseInput.Name {
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
    case .absorbed: "fraction absorbed"
    }
  }

  /// A shorter name, for charts with little room.
  fileprivate var shortWords: String {
    switch self {
    case .beta: "elimination beta"
    case .r: "distribution r"
    case .ka: "absorption k_a"
    default: words
    }
  }
}

private struct CaseDrawing {
  let answer: CaseAnswer
  private var caseInput: Case { answer.one }

  init(_ answer: CaseAnswer) { self.answer = answer }

  var alt: String {
    "Blood alcohol against time from \(caseInput.clock.text(answer.band.first?.time ?? 0)) to "
      + "\(caseInput.clock.text(answer.band.last?.time ?? 0)): the most likely curve and its band."
  }

  private let height = 210

  var chart: Chart {
    let highest = answer.band.map(\.high) + caseInput.limits + measured.map(\.y)
    return Chart(
      x: time,
      y: Chart.Axis(caseInput.unit.words, highest + [0.01], from: 0, length: nil, height: height),
      layers: layers.filter { !$0.shape.isEmpty }, height: height)
  }

  private var layers: [Chart.Layer] {
    let band =
      answer.options.mode == .guideline
      ? "range of all combinations of the inputs' ends"
      : "\(NumberStyle.exact(100 * answer.options.level)) % of the curves at each time"
    let times = answer.band.map(\.time.value)
    var layers = [
      Chart.Layer(
        band, .color(0), .band(zip(times, answer.band).map { Chart.Box($0, $0, $1.low, $1.high) })),
      Chart.Layer(
        "curve of the most likely inputs", .text,
        .line(
          zip(times, answer.band).map { Chart.Point(x: $0, y: $1.likeliest) }, width: 2.2)),
    ]
    layers += caseInput.limits.map {
      Chart.Layer("limit", .text, .rule(.horizontal, at: $0, dash: 2))
    }
    if let marked {
      layers.append(
        Chart.Layer("time asked about", .faint, .rule(.vertical, at: marked, dash: 1)))
    }
    layers.append(
      Chart.Layer("measurement", .text, .marks(measured, .dot)))
    let drinks = caseInput.drinks.map { drink in
      Chart.Mark(
        x: drink.start.value, y: 0,
        ends: drink.duration > 0
          ? .init(low: drink.start.value, high: drink.end.value) : nil,
        text: "\(caseInput.clock.text(drink.start)): \(drink.text)")
    }
    layers.append(
      Chart.Layer("drink", .text, .marks(drinks, .drink, along: .horizontal, width: 4)))
    return layers
  }

  private var measured: [Chart.Mark] {
    guard caseInput.question != .forward, let measured = caseInput.measurement else { return [] }
    let blood = measured.unit.bloodConcentration(
      of: measured.value, using: caseInput.assumptions.factors)
    let value = caseInput.unit.value(of: blood, using: caseInput.assumptions.factors)
    return [
      Chart.Mark(
        x: measured.time.value, y: value,
        text: "\(caseInput.clock.text(measured.time)): \(NumberStyle.significant(3).format(value)) "
          + caseInput.unit.symbol, isReading: true)
    ]
  }

  /// The time asked about; a question for a time has none.
  private var marked: Double? {
    caseInput.question == .sober || caseInput.question == .drinks ? nil : caseInput.at?.value
  }

  /// Clock times at whole hours, or at quarters of an hour where the span is short.
  private var time: Chart.Axis {
    let times =
      answer.band.map(\.time.value) + caseInput.drinks.flatMap { [$0.start.value, $0.end.value] }
      + measured.map(\.x) + (marked.map { [$0] } ?? [])
    let start = times.min() ?? 0
    let end = times.max() ?? 1
    let step = [0.25, 0.5, 1, 2, 3, 6, 12, 24].first { (end - start) / $0 <= 8 } ?? 48
    let first = (start / step).rounded(.up)
    let ticks = stride(from: first, through: max(first, (end / step).rounded(.down)), by: 1).map {
      // The date stands in the text; an axis has room for the clock.
      let text = caseInput.clock.text(Hours($0 * step)).split(separator: " ").last.map(String.init)
      return Chart.Axis.Tick(value: $0 * step, text: text ?? "")
    }
    let room = max(0.02 * (end - start), 0.01)
    return Chart.Axis("local time", start - room, end + room, ticks: ticks)
  }
}

extension ConcentrationUnit {
  var words: String { "\(matrix.rawValue) alcohol, \(symbol)" }
}
