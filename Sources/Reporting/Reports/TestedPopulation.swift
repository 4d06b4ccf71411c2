import AlcoholKinetics
import Estimation
public import Population

/// Tests of a population's effects: a search for covariates, and a fit against another that was stored.
public struct TestedPopulation: Sendable {
  let search: CovariateSearch?
  let against: (file: String, test: NestedFitsTest)?

  /// Puts together what was tested.
  public init(search: CovariateSearch? = nil, against: (file: String, test: NestedFitsTest)? = nil)
  {
    self.search = search
    self.against = against
  }

  var sections: [Report.Section] {
    let full = search.map { search in
      PopulationPart.all(
        PopulationRow.all([(search.full.model.rFactor?.name ?? "none", search.full)])[0],
        search.full.model.covariates)
    }
    return [
      Report.Section(Report.covariateSteps, rows: search?.steps ?? []),
      Report.Section(Report.fullModel, rows: full ?? []),
      Report.Section(Report.nestedTests, rows: against.map { [$0] } ?? []),
    ]
  }

  /// What was found, in sentences.
  package var remarks: [String] {
    let number = NumberStyle.significant(2)
    var remarks: [String] = []
    if let search {
      let kept = search.kept.map { "\($0.parameter.rawValue)=\($0.name)" }
      let tests = search.candidates.count
      let (forward, backward) = (search.limits.forward, search.limits.backward)
      let chance = NumberStyle.decimals(0).format(100 * search.chanceOfFalseEntry)
      let fall = NumberStyle.decimals(2).format(search.ofAll.fall)
      remarks += [
        "Covariates kept, of \(tests) tried: \(kept.isEmpty ? "none" : kept.joined(separator: ", ")). Forward at p < "
          + "\(number.format(forward)), backward at p < \(number.format(backward)). If none had an effect, one or more "
          + "would enter in \(chance) % of studies; effects that are chosen are too large on average, and their "
          + "intervals do not know of the choice.",
        "All \(tests) at once: -2 ln L lower by \(fall), p \(number.format(search.ofAll.pValue)). Their effects without a "
          + "choice: full_model in JSON, or --details.",
      ]
    }
    if let (file, test) = against {
      let mixture =
        test.variances > 0
        ? " (mixture of chi-squared distributions, since a variance cannot be below zero)" : ""
      remarks.append(
        "Against \(file): -2 ln L differs by \(NumberStyle.decimals(3).format(test.fall)) for "
          + "\(test.degreesOfFreedom) more, the \(test.effects.joined(separator: ", the ")); p "
          + "\(number.format(test.pValue))\(mixture).")
    }
    return remarks
  }
}

extension Report {
  static let covariateSteps = TableLayout<CovariateSearch.Step>(
    "covariate_search",
    "In JSON, with `--covariates-search`: a row per round and covariate that was tried.",
    columns: [
      Column("round", heading: "round", "round of the search", \.round),
      Column(
        "phase", oneOf: CovariateSearch.Step.Phase.allCases.map(\.rawValue), heading: "phase",
        "forward: added; backward: taken away", \.phase.rawValue),
      Column(
        "parameter", heading: "parameter", "the parameter", \.covariate.parameter.rawValue),
      Column("covariate", heading: "covariate", "the covariate", \.covariate.name),
      Column("form", "its form, as in `covariates`", \.covariate.form.rawValue),
      Column(
        "fall", heading: "-2 ln L", style: .decimals(2), "by how much -2 ln L is lower with it",
        \.fall),
      Column(
        "p", heading: "p", style: .significant(2),
        "p value by likelihood ratio, with one degree of freedom; none if the fit did not converge",
        \.pValue),
      Column(
        "is_taken", heading: "taken", "whether the round added it, or took it away", \.isTaken),
    ])

  static let fullModel = TableLayout<PopulationPart<PopulationModel.Covariate>>(
    "full_model",
    "In JSON, with `--covariates-search`: a row per candidate, in the model with all of them.",
    columns: covariateEffects.columns)

  static let nestedTests = TableLayout<(file: String, test: NestedFitsTest)>(
    "likelihood_ratio", "In JSON, with `--against`: the test of two nested fits.",
    columns: [
      Column("against", heading: "against", "the file of the other fit", \.file),
      Column(
        "fall", heading: "-2 ln L", style: .decimals(3),
        "by how much -2 ln L of the fit with more numbers is lower", \.test.fall),
      Column("df", heading: "df", "how many numbers it has more", \.test.degreesOfFreedom),
      Column(
        "variances", heading: "variances",
        "how many of these cannot be below zero: p is that of a mixture of chi-squared distributions",
        \.test.variances),
      Column("p", heading: "p", style: .significant(2), "p value", \.test.pValue),
      Column("effects", heading: "effects", "what it has more") {
        $0.test.effects.joined(separator: "; ")
      },
    ])

  static let leftOutReadings = TableLayout<PopulationPart<LeftOutReading>>(
    "left_out_readings",
    "In JSON: a row per fit and reading that is not used, but for those of series in `left_out`.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.rFactor),
      Column("subject", heading: "subject", "whose", \.part.subject),
      Column("occasion", heading: "occasion", "which occasion", \.part.occasion),
      Column("time_min", in: "min", heading: "time", "when it was taken", \.part.time.minutes),
      Column("value", in: "`unit`", heading: "value", "what it showed", \.part.value),
      Column("unit", "the unit of the study's readings", \.part.unit.rawValue),
      Column(
        "use", oneOf: ReadingUse.allCases.filter { !$0.isUsed }.map(\.rawValue), heading: "because",
        "why it is left out", \.part.use.rawValue),
    ])
}
