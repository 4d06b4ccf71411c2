package import AlcoholKinetics
package import Population

/// A prior and the one that it became by learning, for people who compare them.
package struct PriorAnswer: Sendable {
  /// The tables of the file.
  let tables: PriorTables
  /// The subjects and series that it knows of; nil if a file does not say.
  let people: Int?
  let series: Int?
  /// The number of people whose completed series it learned from.
  let learnedFrom: Int
  fileprivate let changes: [Change]

  /// A parameter before and after.
  struct Change: Sendable {
    let before: PopulationPrior.Part
    let after: PopulationPrior.Part
  }

  /// Compares a prior with what it became.
  ///
  /// - Parameters:
  ///   - before: The prior, estimated from `people` subjects and `series` occasions, if that is known.
  ///   - after: The prior that learned.
  ///   - learned: The number of people and of series that it learned from.
  /// - Throws: `Problem` if no file can hold the prior.
  package init(
    from before: PopulationPrior, people: Int?, series: Int?, to after: PopulationPrior,
    learned: (people: Int, series: Int)
  ) throws(Problem) {
    self.people = people.map { $0 + learned.people }
    self.series = series.map { $0 + learned.series }
    learnedFrom = learned.people
    tables = try PriorTables(after, people: self.people)
    changes = zip(before.parts, after.parts).map(Change.init)
  }
}

extension Report {
  /// The report of a prior that learned from a study: what changed, and the tables of its file.
  package static func prior(_ answer: PriorAnswer, provenance: Provenance) -> Report {
    let tables = answer.tables
    var provenance = provenance
    if !tables.held.isEmpty {
      provenance.options.append(
        Provenance.Option(name: "fix", value: .array(tables.held.map(JSONValue.string))))
    }
    let changes = Section(priorChanges, rows: answer.changes)
    var report = Report(
      sections: [
        changes, Section(priorPopulation, rows: [answer]),
        Section(priorTypical, rows: tables.typical),
        Section(spreads("between"), rows: tables.between),
        Section(spreads("within"), rows: tables.within),
        Section(spreads("studies"), rows: tables.studies),
        Section(priorEffects, rows: tables.effects), Section(priorErrors, rows: tables.errors),
      ], provenance: provenance,
      firstScreen: FirstScreen(
        question: "What do completed people say of the next one?",
        answer: [
          answer.learnedFrom == 0
            ? "Nothing: nobody is completed, and the prior is unchanged."
            : "The prior learned the level and spread of the study from "
              + "\(answer.learnedFrom.counted("person", "people")). SD in % of the value."
        ], tables: [changes.table],
        remarks: [
          "Write the prior as a file with -o FILE.json; forecast and fit take it as --prior."
        ]
      ))
    let title = tables.title.map { title in
      answer.learnedFrom == 0
        ? title : "\(title); learned from \(answer.learnedFrom.counted("person", "people"))"
    }
    func range(_ range: ClosedRange<Double>?) -> JSONValue {
      range.map { .array([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null
    }
    let domain = [
      ("food", JSONValue(tables.food)), ("age_y", range(tables.ageY)),
      ("ethanol_g_per_kg", range(tables.ethanolGPerKg)),
    ].filter { $0.1.line != "null" }
    report.members =
      (title.map { [("title", .string($0))] } ?? [])
      + (domain.isEmpty ? [] : [("applies_to", .object(domain.map { ($0.0, $0.1) }))])
    return report
  }

  static let priorChanges = TableLayout<PriorAnswer.Change>(
    "learned",
    columns: [
      Column("parameter", heading: "parameter", \.after.parameter.rawValue),
      Column("unit", heading: "unit", \.after.parameter.reportedUnit),
      Column("value_before", heading: "before", \.before.value),
      Column("value", heading: "learned", \.after.value),
      Column("level_sd_before_pct", heading: "level SD", style: .decimals(1)) {
        100 * $0.before.levelSD
      },
      Column("level_sd_pct", heading: "learned", style: .decimals(1)) { 100 * $0.after.levelSD },
      Column("spread_sd_before_pct", heading: "people SD", style: .decimals(1)) {
        100 * $0.before.spreadSD
      },
      Column("spread_sd_pct", heading: "learned", style: .decimals(1)) { 100 * $0.after.spreadSD },
    ])

  static let priorPopulation = TableLayout<PriorAnswer>(
    "population",
    columns: [
      Column("model", \.tables.model.rawValue),
      Column("people", \.people),
      Column("series", \.series),
      Column("learned_from", \.learnedFrom),
      Column("status", oneOf: ["ok", "undetermined"]) {
        $0.tables.isUndetermined ? "undetermined" : "ok"
      },
    ])

  static let priorTypical = TableLayout<PriorTables.Typical>(
    "typical",
    columns: [
      Column("parameter", \.parameter.rawValue),
      Column("unit", \.parameter.reportedUnit),
      Column("value", \.value),
      Column("se", \.se),
    ])

  static func spreads(_ name: String) -> TableLayout<PriorTables.Spread> {
    TableLayout(
      name,
      columns: [
        Column("parameter", \.parameter.rawValue),
        Column("other", \.other.rawValue),
        Column("covariance", \.covariance),
      ])
  }

  static let priorEffects = TableLayout<PriorTables.Effect>(
    "covariates",
    columns: [
      Column("parameter", \.parameter.rawValue),
      Column("covariate", \.covariate.name),
      Column("form", \.covariate.form.rawValue),
      Column("center", \.center),
      Column("coefficient", \.coefficient),
    ])

  static let priorErrors = TableLayout<(name: String, value: Double)>(
    "residual",
    columns: [
      Column("error", \.name),
      Column("value", \.value),
    ])
}
