import AlcoholKinetics
import Estimation
import Foundation
import Population

extension Report.FirstScreen {
  /// The answer of population fits of one study: what is typical, how people differ, and which method for r is best.
  init?(_ rows: [PopulationRow], judged: JudgedPopulation?, remarks: [String]) {
    guard
      let main = rows.first(where: { $0.fit.model.rFactor == nil })
        ?? rows.first(where: { $0.place?.standing == .first }) ?? rows.first
    else { return nil }
    let fit = main.fit
    let ranked = rows.count > 1 ? RankedMethod.all(rows) : []
    self.init(
      question: "What is typical, and how do people differ? \(fit.individuals.count) people, "
        + "\(fit.readingCount) readings.",
      answer: [
        [Self.typical(fit), RankedMethod.sentence(ranked, of: fit)].compactMap(\.self)
          .joined(separator: " ")
      ],
      tables: [
        Table(TypicalRow.columns, rows: TypicalRow.all(fit)),
        Table(RankedMethod.columns, rows: ranked),
        Table(
          Report.covariateEffects.columns, rows: PopulationPart.all(main, main.fit.model.covariates)
        ),
      ] + Report.diagnosticSections(judged).map(\.table),
      remarks: [Self.model(main, isAlone: ranked.isEmpty)] + Self.warnings(rows) + remarks
        + (judged?.remarks ?? []) + [
          "All tables: --details. All people: --format json."
        ])
  }

  private static func typical(_ fit: PopulationFit) -> String {
    let values = TypicalRow.all(fit)
    let typical = values.filter { $0.isTypical }.map { row in
      let unit = row.parameter == .kinetic(.r) ? "" : " " + row.parameter.reportedUnit
      return "\(row.parameter.symbol) \(TypicalRow.style.format(row.value))"
        + unit.replacing(" 1/", with: " /")
    }
    func spreads(_ units: String, _ variance: (TypicalRow) -> Double?) -> String? {
      let found = values.compactMap { row in
        variance(row).map { (row, NumberStyle.decimals(0).format(TypicalRow.variation($0))) }
      }
      guard !found.isEmpty else { return nil }
      let isOfAll = found.count == values.count && values.allSatisfy(\.isTypical)
      return "\(units) differ by "
        + (isOfAll
          ? found.map(\.1).inWords + " %"
          : found.map { "\($1) % in \($0.parameter.symbol)" }.inWords)
    }
    let parts = [
      typical.isEmpty ? nil : "typical \(typical.joined(separator: ", "))",
      spreads("people", \.people), spreads("occasions", \.occasions), spreads("studies", \.studies),
    ].compactMap(\.self).joined(separator: "; ")
    let start =
      switch fit.status {
      case nil: "At the given values: "
      case .notConverged: "The search did not converge. So far: "
      case .undetermined: "The fit is undetermined, for the reasons below: "
      case .implausible: "The fit is implausible, for the reasons below: "
      case .ok, .failed: ""
      }
    let text = start + parts + "."
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// The model, the error of readings, and for a single fit its likelihood.
  private static func model(_ row: PopulationRow, isAlone: Bool) -> String {
    let (fit, style) = (row.fit, NumberStyle.significant(3))
    let error = [
      fit.values.sd > 0 ? "SD \(style.format(fit.values.sd)) g/kg" : nil,
      fit.values.cv > 0 ? "CV \(style.format(100 * fit.values.cv)) %" : nil,
    ].compactMap(\.self)
    let likelihood = [
      "OFV \(NumberStyle.decimals(3).format(fit.objective))",
      "AIC \(NumberStyle.decimals(2).format(fit.aic))",
    ]
    let source = row.rFactor == "none" ? "" : "r by \(row.rFactor.capitalized), "
    return "\(fit.model.elimination.title), \(source)\(fit.method.rawValue); error of readings: "
      + (error + (isAlone ? likelihood : [])).joined(separator: ", ") + "."
  }

  /// Each warning once with the methods it is about, and who could not be used.
  private static func warnings(_ rows: [PopulationRow]) -> [String] {
    let texts = rows.flatMap { row in row.fit.warnings.map { "\($0.code): \($0)" } }
    let different = texts.enumerated().filter { texts.firstIndex(of: $1) == $0 }.map(\.element)
    let warnings = different.map { text in
      let about = rows.filter { row in row.fit.warnings.contains { "\($0.code): \($0)" == text } }
      return about.count == rows.count
        ? text : "\(text) [\(about.map(\.rFactor).joined(separator: ", "))]"
    }
    return warnings + Report.leftOut(rows.map(\.fit))
  }
}

/// A parameter of a population with its spreads, as a row.
private struct TypicalRow: Sendable {
  static let style = NumberStyle.significant(3)

  let parameter: PopulationParameter
  let value: Double
  /// Whether there is a typical value: of r not where a method predicts it.
  let isTypical: Bool
  let interval: Interval?
  /// Variances of the logarithm.
  let people: Double?
  let peopleInterval: Interval?
  let occasions: Double?
  let studies: Double?
  let shrinkage: Double?

  static func all(_ fit: PopulationFit) -> [TypicalRow] {
    fit.model.parameters.enumerated().map { place, parameter in
      let model = fit.model
      let one = model.random.firstIndex(of: parameter)
      let other = model.occasional.firstIndex(of: parameter)
      return TypicalRow(
        parameter: parameter, value: parameter.reportedValue(fit.typicalValue(place)),
        isTypical: model.rFactor == nil || parameter != .kinetic(.r),
        interval: fit.typicalInterval(place).map {
          Interval(low: parameter.reportedValue($0.low), high: parameter.reportedValue($0.high))
        },
        people: one.map { fit.values.between[$0 * model.random.count + $0] },
        peopleInterval: one == nil ? nil : fit.varianceInterval(of: parameter, between: .person),
        occasions: other.map { fit.values.within[$0 * model.occasional.count + $0] },
        studies: model.studyLevel.firstIndex(of: parameter).map { fit.values.studies[$0] },
        shrinkage: one.flatMap { fit.etaShrinkage[$0].ifFinite })
    }
  }

  /// The coefficient of variation in percent that belongs to a variance of logarithms.
  static func variation(_ variance: Double) -> Double {
    100 * (exp(max(0, variance)) - 1).squareRoot()
  }

  static let columns: [Column<TypicalRow>] = [
    Column(forPeople: "parameter", \.parameter.symbol),
    Column(forPeople: "unit", \.parameter.reportedUnit),
    Column(forPeople: "typical (95 %)") { row in
      row.isTypical ? shown(row.value, row.interval, style) : "by the method"
    },
    Column(forPeople: "people CV % (95 %)") { row in
      row.people.map {
        shown(
          variation($0),
          row.peopleInterval.map { Interval(low: variation($0.low), high: variation($0.high)) },
          .decimals(0))
      }
    },
    Column(forPeople: "shrinkage %", style: .decimals(0), \.shrinkage),
    Column(forPeople: "occasions CV %", style: .decimals(0)) { $0.occasions.map(variation) },
    Column(forPeople: "studies CV %", style: .decimals(0)) { $0.studies.map(variation) },
  ]

  private static func shown(_ value: Double, _ interval: Interval?, _ style: NumberStyle) -> String
  {
    style.format(value)
      + (interval.map { " (\(style.format($0.low))-\(style.format($0.high)))" } ?? "")
  }
}

/// A method for r among others, best first, as a row.
private struct RankedMethod: Sendable {
  let row: PopulationRow
  /// The part of the variance of ln r that the method explains; nil without a fit of an estimated r beside it.
  let explained: Double?

  static func all(_ rows: [PopulationRow]) -> [RankedMethod] {
    let without = rows.first { $0.fit.model.rFactor == nil }?.spreadOfR
    let found = rows.map { row in
      let left = row.fit.model.rFactor == nil ? nil : row.spreadOfR
      let explained = without.flatMap { without in
        left.flatMap { without > 0 ? 1 - $0 * $0 / (without * without) : nil }
      }
      return RankedMethod(row: row, explained: explained)
    }
    return rows.contains { $0.place != nil }
      ? found.sorted { $0.row.fit.aic < $1.row.fit.aic } : found
  }

  /// Whether the people cannot tell it from the first, or its criterion is as good.
  private var isOpen: Bool {
    guard let place = row.place, place.standing != .first else { return false }
    return place.standing == .indistinguishable || place.behind < 2
  }

  private var verdict: String? {
    guard let place = row.place else { return nil }
    if place.standing == .first { return "first" }
    if isOpen { return "indistinguishable" }
    return "worse" + (place.pValue.map { " (p \(NumberStyle.significant(2).format($0)))" } ?? "")
  }

  /// Which method is best and which cannot be told from it.
  static func sentence(_ methods: [RankedMethod], of fit: PopulationFit) -> String? {
    guard let best = methods.first else { return nil }
    guard best.row.place != nil else {
      return "The methods are not ranked: their fits are not of the same people and readings."
    }
    let open = methods.filter(\.isOpen)
    let unit =
      fit.studies.isEmpty
      ? "\(fit.individuals.count) people" : "\(fit.studies.count) studies"
    let explained = best.explained.map { " (\(percent($0)) of its spread explained)" }
    let name =
      best.row.fit.model.rFactor == nil ? "An estimated r" : "r by \(best.row.rFactor.capitalized)"
    return "\(name) fits best\(explained ?? "")"
      + (open.isEmpty
        ? "; the others are worse (p < 0.05)."
        : open.count == methods.count - 1
          ? ", but \(unit) cannot tell it from the others."
          : ", but \(unit) cannot tell it from \(open.map(\.words).inWords).")
  }

  private var words: String {
    row.fit.model.rFactor == nil ? "an estimated r" : row.rFactor.capitalized
  }

  private static func percent(_ share: Double) -> String {
    "\(NumberStyle.decimals(0).format(100 * share)) %"
  }

  static let columns: [Column<RankedMethod>] = [
    Column(forPeople: "r by", \.row.rFactor),
    Column(forPeople: "verdict", \.verdict),
    Column(forPeople: "explained %", style: .decimals(0)) { $0.explained.map { 100 * $0 } },
    Column(forPeople: "CV of r %", style: .decimals(0)) {
      $0.row.spreadOfR.map { TypicalRow.variation($0 * $0) }
    },
    Column(forPeople: "-2 ln L +", style: .decimals(1)) { method in
      method.row.lowest.map { method.row.fit.minusTwoLogLikelihood - $0 }
    },
    Column(forPeople: "AIC +", style: .decimals(1), \.row.place?.behind),
    Column(forPeople: "first %", style: .decimals(0)) { $0.row.place.map { 100 * $0.shareFirst } },
  ]
}
