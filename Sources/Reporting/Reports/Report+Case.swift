import AlcoholKinetics
public import Casework
import Foundation

extension Report {
  /// The report of an answered case.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - provenance: How the result was made.
  public static func answer(_ answer: CaseAnswer, provenance: Provenance) -> Report {
    let words = CaseWords(answer)
    return Report(
      introduction: words.introduction,
      sections: [
        Section(caseAnswers, rows: answer.values.map { CaseRow(answer: answer, value: $0) }),
        Section(
          caseLimits,
          rows: answer.limits.map { CaseLimitRow(unit: answer.one.unit.rawValue, limit: $0) }),
        Section(
          caseQuantiles,
          rows: answer.values.flatMap { value in
            (value.distribution?.quantiles ?? []).map {
              CaseQuantileRow(value: value, quantile: $0)
            }
          }),
        Section(caseSensitivities, rows: answer.sensitivities),
        Section(caseInputs, rows: answer.inputs),
        Section(caseWarnings, rows: answer.warnings),
        Section(
          caseBand,
          rows: answer.band.map {
            CaseBandRow(clock: answer.one.clock, unit: answer.one.unit.rawValue, point: $0)
          }),
      ],
      notes: words.conclusions + answer.warnings.map { "\($0.code): \($0.message)" },
      provenance: provenance)
  }

  static let caseAnswers = TableLayout<CaseRow>(
    "answers", "A row per quantity; the first is what was asked.",
    columns: [
      Column("question", "the question") { $0.answer.one.question },
      Column("mode", "guideline: most likely value and range; monte-carlo: distribution") {
        $0.answer.options.mode
      },
      Column("quantity", heading: "quantity", "what the row is about") { $0.value.quantity.name },
      Column("limit", heading: "limit", "the limit that a time is about, in the unit of answers") {
        $0.value.quantity.limit
      },
      Column(
        "unit", heading: "unit",
        "unit of the values; h: since the measurement, or without one since the first drink"
      ) { $0.value.quantity.unit },
      Column("likeliest", in: "`unit`", heading: "most likely", "value at the most likely inputs") {
        $0.value.likeliest
      },
      Column(
        "low", in: "`unit`", heading: "low",
        "lower end: of all combinations of the inputs' ends, or of the interval of the distribution"
      ) { $0.value.low },
      Column("high", in: "`unit`", heading: "high", "upper end") { $0.value.high },
      Column(
        "low_se", in: "`unit`", heading: "SE of low", style: .significant(2),
        "standard error of low, from the number of draws"
      ) { $0.value.distribution?.error(of: $0.value.low) },
      Column(
        "high_se", in: "`unit`", heading: "SE of high", style: .significant(2), "the same of high"
      ) {
        $0.value.distribution?.error(of: $0.value.high)
      },
      Column("level", "level of the interval; none in guideline mode") { $0.level },
      Column(
        "likeliest_clock", heading: "most likely at",
        "a time as a clock shows it; none where the limit is not exceeded"
      ) {
        $0.clock($0.value.likeliest)
      },
      Column("low_clock", heading: "earliest", "the same of low") { $0.clock($0.value.low) },
      Column("high_clock", heading: "latest", "the same of high") { $0.clock($0.value.high) },
      Column("median", in: "`unit`", "median of the distribution") {
        $0.value.distribution?.median
      },
      Column("mean", in: "`unit`", "mean of the distribution") { $0.value.distribution?.mean },
      Column("sd", in: "`unit`", heading: "SD", "standard deviation of the distribution") {
        $0.value.distribution?.sd
      },
      Column("draws", "random draws") {
        $0.value.distribution == nil ? nil : $0.answer.options.draws
      },
    ])

  static let caseLimits = TableLayout<CaseLimitRow>(
    "case_limits", "In JSON: a row per limit that the concentration is held against.",
    columns: [
      Column("limit", in: "`unit`", heading: "limit", "the limit") { $0.limit.limit },
      Column("unit", heading: "unit", "its unit") { $0.unit },
      Column(
        "verdict", oneOf: ["above", "not-above", "undecided"], heading: "verdict",
        "above: the whole range or interval is; not-above: none of it is; undecided: a part"
      ) { $0.verdict },
      Column(
        "likeliest_above", heading: "most likely above", "whether the most likely value is above it"
      ) {
        $0.limit.isAbove.likeliest
      },
      Column("chance_above", heading: "chance above", "fraction of draws above it") {
        $0.limit.chance?.value
      },
      Column(
        "chance_se", heading: "SE", style: .significant(2),
        "its standard error, from the number of draws"
      ) {
        $0.limit.chance?.error
      },
    ])

  static let caseQuantiles = TableLayout<CaseQuantileRow>(
    "quantiles", "In JSON: a row per quantity and probability.",
    columns: [
      Column("quantity", "as in `answers`") { $0.value.quantity.name },
      Column("limit", "as in `answers`") { $0.value.quantity.limit },
      Column("unit", "as in `answers`") { $0.value.quantity.unit },
      Column("probability", "the probability of being below") {
        $0.quantile.p
      },
      Column("value", in: "`unit`", "the quantile") { $0.quantile.value },
      Column("se", in: "`unit`", "its standard error, from the number of draws") {
        $0.quantile.error
      },
    ])

  static let caseSensitivities = TableLayout<CaseAnswer.Sensitivity>(
    "sensitivities",
    "In JSON: a row per uncertain input: its part of the variance of the first answer (Sobol indices).",
    columns: [
      Column("input", heading: "input", "the input") { $0.input },
      Column(
        "first", heading: "alone", style: .decimals(3), "first-order index: from the input alone"
      ) {
        $0.first
      },
      Column("first_se", heading: "SE", style: .significant(2), "its standard error") {
        $0.firstError
      },
      Column("total", heading: "with interactions", style: .decimals(3), "total index") {
        $0.total
      },
      Column("total_se", heading: "SE", style: .significant(2), "its standard error") {
        $0.totalError
      },
    ])

  static let caseInputs = TableLayout<CaseInput>(
    "case_inputs", "In JSON: a row per input.",
    columns: [
      Column("input", heading: "input", "the input") { $0.name },
      Column("unit", heading: "unit", "its unit") { $0.unit },
      Column("likeliest", in: "`unit`", heading: "most likely", "most likely value") {
        $0.value.likeliest
      },
      Column("low", in: "`unit`", heading: "low", "lower end of its range") {
        $0.value.ends.lowerBound
      },
      Column("high", in: "`unit`", heading: "high", "upper end of its range") {
        $0.value.ends.upperBound
      },
      Column("distribution", "what is assumed of it") { $0.value.text },
      Column("source", heading: "source", "where that comes from") { $0.source },
    ])

  static let caseWarnings = TableLayout<CaseWarning>(
    "case_warnings", "In JSON: a row per warning.",
    columns: [
      Column("code", "the code") { $0.code },
      Column("message", "what was found, and what to do") { $0.message },
    ])

  static let caseBand = TableLayout<CaseBandRow>(
    "band", "In JSON: a row per point of the curves behind the answer.",
    columns: [
      Column("time_h", in: "h", "hours since the midnight of the case's date") {
        $0.point.time.value
      },
      Column("clock", "the same as a clock shows it") { $0.clock.text($0.point.time) },
      Column("unit", "unit of the concentrations") { $0.unit },
      Column("likeliest", in: "`unit`", "concentration at the most likely inputs") {
        $0.point.likeliest
      },
      Column("low", in: "`unit`", "lower edge, of the range or the interval at each time") {
        $0.point.low
      },
      Column("high", in: "`unit`", "upper edge") { $0.point.high },
    ])
}

extension CaseQuestion: ColumnValue {}
extension CaseOptions.Mode: ColumnValue {}
extension CaseQuantity.Name: ColumnValue {}
extension CaseInput.Name: ColumnValue {}

/// A quantity of an answered case.
struct CaseRow: Sendable {
  let answer: CaseAnswer
  let value: CaseAnswer.Value

  var level: Double? { value.distribution == nil ? nil : answer.options.level }

  /// A time in h as a clock shows it; nil for anything else.
  func clock(_ hours: Double) -> String? {
    guard value.quantity.name == .timeBelow, hours > 0 else { return nil }
    return answer.one.clock.text(answer.one.reference + Hours(hours))
  }
}

struct CaseLimitRow: Sendable {
  let unit: String
  let limit: CaseAnswer.Limit

  var verdict: String {
    limit.isAbove.low ? "above" : limit.isAbove.high ? "undecided" : "not-above"
  }
}

struct CaseQuantileRow: Sendable {
  let value: CaseAnswer.Value
  let quantile: CaseDistribution.Quantile
}

struct CaseBandRow: Sendable {
  let clock: CaseClock
  let unit: String
  let point: CaseAnswer.BandPoint
}

/// An answer in sentences that claim no more than was computed.
struct CaseWords {
  let answer: CaseAnswer
  private var one: Case { answer.one }
  private var clock: CaseClock { one.clock }

  init(_ answer: CaseAnswer) { self.answer = answer }

  /// What stands over the tables.
  var introduction: [String] {
    let how =
      answer.options.mode == .guideline
      ? "Most likely value, and range over all combinations of the inputs' ends."
      : "\(answer.options.draws) random draws, seed \(answer.options.seed); low and high: \(level) % interval."
    return [question, how]
  }

  var level: String { NumberStyle.exact(100 * answer.options.level) }

  /// The question in words.
  var question: String {
    let at = one.at.map(clock.text) ?? ""
    let measured =
      one.measurement.map {
        "\(NumberStyle.exact($0.value)) \($0.unit.symbol) in \($0.unit.matrix) at \(clock.text($0.time))"
      } ?? ""
    switch one.question {
    case .back: return "What was the concentration at \(at), given \(measured)?"
    case .forward: return "What concentration do the stated drinks give at \(at)?"
    case .drinks:
      return "How much was drunk since \(one.began.map(clock.text) ?? ""), given \(measured)?"
    case .later:
      return "What was the concentration at \(at), given \(measured) and the drinks after \(at)?"
    case .sober:
      let from = measured.isEmpty ? "the stated drinks" : measured
      return "When is the concentration at a limit or below, given \(from)?"
    }
  }

  /// The answer in words, then what the drinks explain.
  var conclusions: [String] {
    var lines = answer.values.filter { $0.quantity.name == .timeBelow }.map(time)
    if lines.isEmpty { lines = [main] + later }
    return lines + limits + explanation
  }

  private func number(_ value: Double) -> String { NumberStyle.significant(3).format(value) }

  /// Low, most likely and high in words.
  private func range(_ value: CaseAnswer.Value, _ text: (Double) -> String) -> String {
    let most = text(value.likeliest)
    guard value.low < value.high else { return "\(most) (no uncertain input changes it)" }
    return answer.options.mode == .guideline
      ? "most likely \(most), within the range from \(text(value.low)) to \(text(value.high))"
      : "most likely \(most); with a probability of \(level) % from \(text(value.low)) to \(text(value.high))"
  }

  private func concentration(_ value: CaseAnswer.Value) -> String {
    range(value) { "\(number($0)) \(one.unit.symbol)" }
  }

  private var main: String {
    let value = answer.main
    switch one.question {
    case .drinks:
      let least = number(value.low)
      return
        "Under the stated assumptions the person drank \(range(value) { "\(number($0)) g" }) of ethanol. "
        + (answer.options.mode == .guideline
          ? "The least amount is \(least) g."
          : "With a probability of \(oneSided) % it was at least \(least) g.")
    default:
      let given =
        one.measurement == nil || one.question == .forward ? "stated drinks" : "measurement"
      return "Under the stated assumptions the concentration in \(one.unit.matrix) at "
        + "\(one.at.map(clock.text) ?? "") was "
        + "\(concentration(value)), as far as it follows from the \(given)."
    }
  }

  private var oneSided: String { NumberStyle.exact(50 + 50 * answer.options.level) }

  private var later: [String] {
    let found = answer.values.filter { [.explained, .remaining].contains($0.quantity.name) }
    guard found.count == 2 else { return [] }
    return [
      "The drinks after the event explain \(concentration(found[0])) of the measured concentration; without "
        + "them it would be \(concentration(found[1])).",
      found[1].high <= 0
        ? "The drinks after the event explain all of the measured concentration."
        : found[1].low > 0
          ? "The drinks after the event do not explain all of the measured concentration."
          : "Whether the drinks after the event explain all of the measured concentration is undecided.",
    ]
      + (answer.isOpen
        ? [
          "If the blood was empty before these drinks, the measurement does not tell what was in it at "
            + "\(one.at.map(clock.text) ?? ""): everything from the lower to the upper end goes with it."
        ] : [])
  }

  private func time(_ value: CaseAnswer.Value) -> String {
    let limit = "\(NumberStyle.exact(value.quantity.limit ?? 0)) \(one.unit.symbol)"
    guard value.high > 0 else {
      return one.measurement == nil
        ? "Under the stated assumptions the concentration is never above \(limit)."
        : "Under the stated assumptions the concentration was not above \(limit) any more when it was measured."
    }
    return "Under the stated assumptions the time from which the concentration stays at or below "
      + "\(limit) is "
      + range(value) { hours in
        guard hours <= 0 else { return clock.text(one.reference + Hours(hours)) }
        return one.measurement == nil
          ? "the first drink (never above)" : "the measurement (not above then)"
      } + "."
  }

  private var limits: [String] {
    answer.limits.map { limit in
      let name = "\(NumberStyle.exact(limit.limit)) \(one.unit.symbol)"
      guard let chance = limit.chance else {
        if limit.isAbove.low { return "The whole range is above \(name)." }
        guard limit.isAbove.high else { return "No part of the range is above \(name)." }
        return "The range lies on both sides of \(name); the most likely value is "
          + (limit.isAbove.likeliest ? "above it." : "not above it.")
      }
      let draws = answer.options.draws
      if chance.value == 0, !answer.isOpen { return "None of \(draws) draws is above \(name)." }
      if chance.value == 1 { return "All \(draws) draws are above \(name)." }
      let percent = { (part: Double) in NumberStyle.significant(2).format(100 * part) }
      return
        "The concentration is above \(name) with a probability of \(answer.isOpen ? "at least " : "")"
        + "\(NumberStyle.significant(3).format(100 * chance.value)) % (standard error \(percent(chance.error)) %)."
    }
  }

  private var explanation: [String] {
    guard let expected = answer.values.first(where: { $0.quantity.name == .expected }),
      let difference = answer.values.first(where: { $0.quantity.name == .unexplained })
    else { return [] }
    let rarely = answer.options.mode == .guideline ? "" : ", to the level of the interval"
    let verdict =
      difference.low > 0
      ? "The stated drinks do not explain the measurement\(rarely): more was measured than they give."
      : difference.high < 0
        ? "The stated drinks do not agree with the measurement\(rarely): less was measured than they give."
        : "The measurement agrees with the stated drinks within their uncertainty."
    return [
      "At the time of the measurement the stated drinks give \(concentration(expected)). \(verdict)"
    ]
  }
}
