import AlcoholKinetics
import Estimation
import Foundation
import Population
import StudyData

extension Report.FirstScreen {
  /// The answer of population fits of one study: what is typical, how people differ, and which method for r is best.
  init?(_ rows: [PopulationRow], judged: JudgedPopulation?, remarks: [String]) {
    guard
      let main = rows.first(where: { $0.fit.model.rFactor == nil })
        ?? rows.first(where: \.isFirst) ?? rows.first
    else { return nil }
    let fit = main.fit
    let ranked = rows.count > 1 ? PopulationRow.bestFirst(rows) : []
    self.init(
      question: "What is typical, and how do people differ? \(fit.individuals.count) people, "
        + "\(fit.readingCount) readings.",
      answer: [
        [Self.typical(main), PopulationRow.sentence(ranked, of: fit)].compactMap(\.self)
          .joined(separator: " ")
      ],
      tables: [
        Table(Parameter.columns, rows: Parameter.parameters(main)),
        Table(PopulationRow.rankColumns, rows: ranked),
        Table(
          Report.covariateEffects.columns, rows: PopulationPart.all(main, fit.model.covariates)),
      ] + Report.diagnosticSections(judged).map(\.table),
      remarks: [Self.model(main, isAlone: ranked.isEmpty)] + Self.warnings(rows) + remarks
        + (judged?.remarks ?? []) + [
          "All tables: --details. All people: --format json."
        ])
  }

  private typealias Parameter = PopulationPart<PopulationParameter>

  private static func typical(_ row: PopulationRow) -> String {
    let values = Parameter.parameters(row)
    let typical = values.filter(\.isTypical).map { value in
      let unit = value.part == .kinetic(.r) ? "" : " " + value.part.reportedUnit
      return "\(value.part.symbol) \(Parameter.style.format(value.typicalValue))"
        + unit.replacing(" 1/", with: " /")
    }
    func spreads(_ units: String, _ level: PopulationLevel) -> String? {
      let found = values.compactMap { value in
        value.variation(between: level).map { (value, NumberStyle.decimals(0).format($0)) }
      }
      guard !found.isEmpty else { return nil }
      let isOfAll = found.count == values.count && values.allSatisfy(\.isTypical)
      return "\(units) differ by "
        + (isOfAll
          ? found.map(\.1).inWords + " %"
          : found.map { "\($1) % in \($0.part.symbol)" }.inWords)
    }
    let parts = [
      typical.isEmpty ? nil : "typical \(typical.joined(separator: ", "))",
      spreads("people", .person), spreads("occasions", .occasion), spreads("studies", .study),
    ].compactMap(\.self).joined(separator: "; ")
    let start =
      switch row.fit.status {
      case nil: "At the given values: "
      case .notConverged: "The search did not converge. So far: "
      case .undetermined: "The fit is undetermined, for the reasons below: "
      case .implausible: "The fit is implausible, for the reasons below: "
      case .ok, .failed: ""
      }
    return (start + parts + ".").capitalizedFirst
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
    let warnings = texts.uniqued.map { text in
      let about = rows.filter { row in row.fit.warnings.contains { "\($0.code): \($0)" == text } }
      return about.count == rows.count
        ? text : "\(text) [\(about.map(\.rFactor).joined(separator: ", "))]"
    }
    return warnings + Report.leftOut(rows.map(\.fit))
      + (Report.intervals(rows.map(\.fit)).map { [$0] } ?? [])
  }
}

extension PopulationPart<PopulationParameter> {
  fileprivate static let style = NumberStyle.significant(3)

  fileprivate static let columns: [Column<Self>] = [
    Column(forPeople: "parameter", \.part.symbol),
    Column(forPeople: "unit", \.part.reportedUnit),
    Column(forPeople: "typical (95 %)") { row in
      guard row.isTypical else { return "by the method" }
      let value = style.format(row.typicalValue, row.typicalInterval)
      return row.fit.model.fixedTypical[row.part] == nil ? value : "\(value) fixed"
    },
    Column(forPeople: "people CV % (95 %)") { row in
      row.variation(between: .person).map { variation in
        let variances = row.fit.varianceInterval(of: row.part, between: .person)
        return NumberStyle.decimals(0).format(
          variation, variances?.map(PopulationFit.percentVariation))
      }
    },
    Column(forPeople: "shrinkage %", style: .decimals(0)) { row in
      row.fit.model.random.firstIndex(of: row.part).flatMap { row.fit.etaShrinkage[$0].ifFinite }
    },
    Column(forPeople: "occasions CV %", style: .decimals(0)) { $0.variation(between: .occasion) },
    Column(forPeople: "studies CV %", style: .decimals(0)) { $0.variation(between: .study) },
  ]
}

// Methods for r among others.
extension PopulationRow {
  fileprivate static func bestFirst(_ rows: [PopulationRow]) -> [PopulationRow] {
    rows.contains { $0.place != nil } ? rows.sorted { $0.fit.aic < $1.fit.aic } : rows
  }

  /// Whether the people cannot tell it from the first, or its criterion is as good.
  private var isOpen: Bool {
    guard let place, !isBest else { return false }
    return place.standing == .indistinguishable || place.behind < 2
  }

  /// Whether it is the first, or tied with others.
  private var isBest: Bool { [.first, .tied].contains(place?.standing) }

  private var verdict: String? {
    guard let place else { return nil }
    if isBest { return place.standing.rawValue }
    if isOpen { return "indistinguishable" }
    return "worse" + (place.pValue.map { " (p \(NumberStyle.significant(2).format($0)))" } ?? "")
  }

  /// Which method is best and which cannot be told from it.
  fileprivate static func sentence(_ methods: [PopulationRow], of fit: PopulationFit) -> String? {
    guard let best = methods.first else { return nil }
    guard best.place != nil else {
      return "The methods are not ranked: their fits are not of the same people and readings."
    }
    let open = methods.filter(\.isOpen)
    let tied = methods.filter { $0.place?.standing == .tied }
    let unit =
      fit.studies.isEmpty
      ? "\(fit.individuals.count) people" : "\(fit.studies.count) studies"
    let explained = best.explained.map {
      " (\(NumberStyle.decimals(0).format(100 * $0)) % of its spread explained)"
    }
    let name = best.fit.model.rFactor == nil ? "An estimated r" : "r by \(best.rFactor.capitalized)"
    if tied.count == methods.count {
      return
        "All \(tied.count) methods for r fit equally well: these readings do not tell them apart."
    }
    let first =
      tied.isEmpty
      ? "\(name) fits best\(explained ?? "")"
      : "r by \(tied.map(\.words).inWords) is tied for the best fit"
    return first
      + (open.isEmpty
        ? "; the others are worse (p < 0.05)."
        : open.count == methods.count - Swift.max(1, tied.count)
          ? ", but \(unit) cannot tell \(tied.isEmpty ? "it" : "them") from the others."
          : ", but \(unit) cannot tell \(tied.isEmpty ? "it" : "them") from \(open.map(\.words).inWords).")
  }

  private var words: String {
    fit.model.rFactor == nil ? "an estimated r" : rFactor.capitalized
  }

  fileprivate static let rankColumns: [Column<PopulationRow>] = [
    Column(forPeople: "r by", \.rFactor),
    Column(forPeople: "verdict", \.verdict),
    Column(forPeople: "explained %", style: .decimals(0)) { $0.explained.map { 100 * $0 } },
    Column(forPeople: "CV of r %", style: .decimals(0)) {
      $0.fit.spreadOfR.map { PopulationFit.percentVariation($0 * $0) }
    },
    Column(forPeople: "-2 ln L +", style: .decimals(1), \.aboveLowest),
    Column(forPeople: "AIC +", style: .decimals(1), \.place?.behind),
    Column(forPeople: "first %", style: .decimals(0)) { $0.place.map { 100 * $0.shareFirst } },
  ]
}
