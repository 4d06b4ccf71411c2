import AlcoholKinetics
import Estimation
import Population
import StudyData
package import Validation

extension Report {
  /// The report of times for readings.
  package static func design(_ plan: SamplingPlan, provenance: Provenance) -> Report {
    let designs = plan.designs
    let table = Section(
      Self.designs, rows: designs.flatMap { design in design.expected.map { (plan, design, $0) } })
    return Report(
      introduction: plan.remarks, sections: [table, Section(designTimes, rows: plan.times)],
      provenance: provenance,
      firstScreen: FirstScreen(
        question: plan.question, answer: [plan.answer], tables: [table.table],
        remarks: plan.remarks))
  }

  /// The expected precision of a parameter or quantity under a design.
  typealias DesignRow = (plan: SamplingPlan, design: SamplingDesign, expected: ExpectedPrecision)

  static let designs = TableLayout<DesignRow>(
    "designs",
    columns: [
      Column("design", oneOf: ["best", "planned"], heading: "times") {
        $0.plan.name(of: $0.design)
      },
      Column("times_min") { $0.design.minutes.map(NumberStyle.exact).joined(separator: ";") },
      Column("efficiency_pct") { $0.plan.efficiency(of: $0.design).map { 100 * $0 } },
      Column("quantity", \.expected.subject.name),
      Column(forPeople: "quantity", \.expected.subject.symbol),
      Column("unit", heading: "unit", \.expected.subject.unit),
      Column("value", heading: "value", \.expected.value),
      Column("standard_error", heading: "SE", \.expected.standardError.ifFinite),
      Column("rse_pct", heading: "RSE %", style: .significant(2)) {
        $0.expected.relativeError.map { 100 * $0 }?.ifFinite
      },
      Column("low", heading: "from", \.expected.interval?.low),
      Column("high", heading: "to", \.expected.interval?.high),
      Column("width", heading: "width") { $0.expected.interval.map { $0.high - $0.low } },
      Column("undetermined_pct", heading: "undetermined %", style: .decimals(0)) {
        $0.expected.undetermined.map { 100 * $0 }
      },
      Column("simulated_to_expected", \.expected.simulatedRatio?.ifFinite),
    ])

  static let designTimes = TableLayout<SamplingPlan.Time>(
    "design_times",
    columns: [
      Column("design", oneOf: ["best", "planned"], \.design),
      Column("time_min", \.minutes),
      Column("predicted_g_per_kg", \.predicted),
    ])
}

// MARK: - People

extension Report {
  /// The report of how many people a study needs.
  package static func people(_ plan: PeoplePlan, provenance: Provenance) -> Report {
    let sections = [
      Section(peopleNeeded, rows: plan.needs.map { (plan, $0) }),
      Section(peopleTried, rows: plan.rows.map { (plan, $0) }),
    ]
    return Report(
      sections: sections, provenance: provenance,
      firstScreen: FirstScreen(
        question: plan.question, answer: [plan.answer], tables: sections.map(\.table),
        remarks: [plan.remark]))
  }

  static let peopleNeeded = TableLayout<(plan: PeoplePlan, need: PeoplePlan.Need)>(
    "people_needed",
    columns: [
      Column("quantity", heading: "what") { $0.plan.name(of: $0.need.parameter) },
      Column("goal_pct", \.plan.goalPercent),
      Column("people", heading: "people", \.need.people),
      Column("people_low", heading: "from", \.need.range?.lowerBound),
      Column("people_high", heading: "to", \.need.range?.upperBound),
    ])

  static let peopleTried = TableLayout<(plan: PeoplePlan, row: PeoplePlan.Row)>(
    "people_tried",
    columns: [
      Column("quantity", heading: "what") { $0.plan.name(of: $0.row.parameter) },
      Column("people", heading: "people", \.row.people),
      Column("result_pct", heading: "%") { 100 * $0.row.value },
      Column("error_pct", heading: "+-", style: .significant(2)) { 100 * $0.row.error },
    ])
}

extension PeoplePlan {
  fileprivate func name(of parameter: FitParameter?) -> String {
    switch aim {
    case .typical: parameter?.rawValue ?? ""
    case .distinguish(let first, let second): "\(first.name)-\(second.name)"
    case .effect(let covariate, _): "\(covariate.parameter.rawValue)=\(covariate.name)"
    }
  }

  fileprivate var goalPercent: Double {
    if case .typical(let goal) = aim { 100 * goal } else { 100 * Self.power }
  }

  fileprivate var question: String {
    let readings = minutes.count.counted("reading")
    let times = minutes.map(NumberStyle.exact).inWords
    let often = occasions > 1 ? " on each of \(occasions) occasions" : " each"
    return
      "How many people does the study need? \(readings)\(often), \(times) min after the first drink."
  }

  fileprivate var answer: String {
    let sizes = needs.map { need -> String in
      let name = need.parameter.map { "\($0.symbol) " } ?? ""
      let range = need.range.map { " (\($0.lowerBound)-\($0.upperBound))" } ?? ""
      return name + (need.people.map { "\($0)\(range)" } ?? "more than \(Self.most) people")
    }
    let who = "\(sizes.inWords)\(needs.first?.people == nil ? "" : " people")"
    switch aim {
    case .typical:
      return
        "Typical values have a relative standard error of \(NumberStyle.exact(goalPercent)) % with so many people: "
        + "\(sizes.inWords)."
    case .effect(let covariate, let ratio):
      let style = NumberStyle.significant(3)
      let change = "\(style.format(100 * abs(ratio - 1))) % \(ratio > 1 ? "higher" : "lower")"
      return
        "If \(covariate.parameter.symbol) is \(change) \(covariate.condition), it takes "
        + "\(who) to show with "
        + "\(NumberStyle.exact(goalPercent)) % power at 5 % that \(covariate.name) acts on it."
    case .distinguish(let first, let second):
      return
        "If r follows \(first.name), it takes \(who) to show with \(NumberStyle.exact(goalPercent)) % power at 5 % "
        + "that \(first.name) predicts concentrations better than \(second.name)."
    }
  }

  fileprivate var remark: String {
    if case .effect = aim {
      "+-: Monte Carlo standard error, of simulated studies that are each fitted without and with the effect; p by "
        + "likelihood ratio."
    } else {
      "+-: Monte Carlo standard error, of \(Self.studies) studies of each size from \(Self.pool) simulated people."
    }
  }
}

extension PopulationModel.Covariate {
  /// The people or the meal that the effect is about.
  fileprivate var condition: String {
    switch name {
    case "sex": "in women"
    case "food": "after a meal"
    default: "for twice the \(name)"
    }
  }
}

extension ExpectedPrecision.Subject {
  /// The stable name, what people call it, and its unit.
  private var words: (name: String, symbol: String, unit: String) {
    switch self {
    case .parameter(let parameter): (parameter.rawValue, parameter.symbol, parameter.reportedUnit)
    case .quantity(let quantity): (quantity.rawValue, quantity.title, quantity.unit)
    }
  }

  var name: String { words.name }
  var symbol: String { words.symbol }
  var unit: String { words.unit }
}

extension SamplingPlan {
  /// A reading of a design.
  typealias Time = (design: String, minutes: Double, predicted: Double)

  var designs: [SamplingDesign] { [best] + (planned.map { [$0] } ?? []) }

  func name(of design: SamplingDesign) -> String {
    design.minutes == best.minutes ? "best" : "planned"
  }

  func efficiency(of design: SamplingDesign) -> Double? {
    design.minutes == best.minutes ? 1 : efficiency
  }

  var times: [Time] {
    guard let first = cases.first, let curve = try? first.curve() else { return [] }
    return designs.flatMap { design in
      design.minutes.map {
        (name(of: design), $0, curve.concentration(at: first.time($0)).value)
      }
    }
  }

  var question: String {
    let people = Set(cases.map(\.series.subject.id)).count
    let draws = cases.count > people ? ", \(cases.count) draws from the prior" : ""
    let readings = best.minutes.count.counted("reading")
    return "When should \(readings) be taken? \(people.counted("person", "people"))\(draws); "
      + "errors of readings: \(options.errorInWords)."
  }

  var answer: String {
    var text =
      "Take readings at \(best.minutes.map(NumberStyle.exact).inWords) min after the first drink: "
      + "\(Self.sentence(best.expected))."
    guard let planned, let efficiency else { return text }
    let gain = NumberStyle.significant(2).format(1 / efficiency)
    let share = NumberStyle.decimals(0).format(100 * efficiency)
    text +=
      efficiency > 0.995
      ? " Your planned times are as informative."
      : " That is \(gain) times the information of the times that you plan, whose efficiency is \(share) %: "
        + "\(Self.sentence(planned.expected))."
    return text
  }

  /// The expected precision of each quantity, in a sentence.
  private static func sentence(_ expected: [ExpectedPrecision]) -> String {
    let precisions = expected.compactMap { precision -> String? in
      if let half = precision.relativeHalfWidth, half < 10 {
        return
          "\(precision.subject.symbol) within \(NumberStyle.significant(2).format(100 * half)) %"
      }
      guard precision.relativeError == nil, let interval = precision.interval else { return nil }
      let half = NumberStyle.significant(2).format((interval.high - interval.low) / 2)
      return "\(precision.subject.symbol) within \(half) \(precision.subject.unit)"
    }
    let open = expected.filter { !$0.standardError.isFinite || ($0.relativeHalfWidth ?? 0) >= 10 }
      .map(\.subject.symbol)
    let without = expected.allSatisfy { $0.interval == nil }
    if without, open.isEmpty {
      return "there are no intervals: with as many parameters as readings the error cannot be "
        + "estimated"
    }
    return
      ((precisions.isEmpty ? [] : ["expect \(precisions.inWords)"])
      + (open.isEmpty ? [] : ["\(open.inWords) undetermined"])).joined(separator: "; ")
  }

  /// Degrees of freedom that are left for the size of errors.
  private var freedom: Int { max(0, best.minutes.count - options.estimate.count) }

  var remarks: [String] {
    let level = NumberStyle.exact(100 * options.level)
    let simulated =
      options.simulations > 0
      ? " Undetermined: of \(options.simulations) simulated people." : ""
    let far = designs.flatMap(\.expected).contains { precision in
      precision.simulatedRatio.map { !(0.8...1.25).contains($0) } ?? false
    }
    let size =
      options.isErrorEstimated
      ? "The error is estimated from each person's readings, with \(freedom.counted("degree", "degrees")) of freedom."
      : "The size of errors is taken as known."
    return [
      size,
      "Within: half the expected \(level) % interval. \(options.aim.inWords)\(simulated)",
      far
        ? "Simulated estimates spread differently than predicted (simulated_to_expected in --format csv): treat "
          + "the expected precision as approximate." : nil,
    ].compactMap(\.self)
  }
}

extension DesignAim {
  fileprivate var inWords: String {
    switch self {
    case .everything: "Best for all parameters together (D-optimal)."
    case .parameters(let parameters):
      "Best for \(parameters.sorted().map(\.symbol).inWords) (Ds-optimal)."
    case .quantity(let quantity): "Best for the \(quantity.title) (c-optimal)."
    }
  }
}

extension SamplingOptions {
  fileprivate var errorInWords: String {
    let style = NumberStyle.significant(2)
    let parts = [
      shownError.sd > 0 ? "SD \(style.format(shownError.sd)) g/kg" : nil,
      shownError.cv > 0 ? "CV \(style.format(100 * shownError.cv)) %" : nil,
      correlationTime.map { "correlated over \(NumberStyle.exact($0.minutes)) min" },
      limit.map { "limit of detection \(style.format($0)) g/kg" },
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}
