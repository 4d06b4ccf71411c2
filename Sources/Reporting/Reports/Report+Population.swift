import AlcoholKinetics
import Estimation
public import Population
import StudyData

extension Report {
  /// The report of population fits of one study, which differ in the method for r.
  public static func population(
    _ fits: [(rFactor: String, fit: PopulationFit)], judged: JudgedPopulation? = nil,
    tests: TestedPopulation = TestedPopulation(), remarks: [String] = [], provenance: Provenance
  ) -> Report {
    let remarks = tests.remarks + remarks
    let rows = PopulationRow.all(fits)
    func parts<Part>(_ parts: (PopulationFit) -> [Part]) -> [PopulationPart<Part>] {
      rows.flatMap { PopulationPart.all($0, parts($0.fit)) }
    }
    return Report(
      sections: [
        Section(populations, rows: rows),
        Section(
          typicalValues, rows: rows.flatMap(PopulationPart.parameters).filter(\.isTypical)),
        Section(betweenPeople, rows: rows.flatMap { Spread.all($0, between: .person) }),
        Section(withinPeople, rows: rows.flatMap { Spread.all($0, between: .occasion) }),
        Section(betweenStudies, rows: parts(\.model.studyLevel)),
        Section(covariateEffects, rows: parts(\.model.covariates)),
        Section(residualErrors, rows: rows.flatMap(\.residualErrors)),
        Section(estimateCovariances, rows: rows.flatMap(\.estimates)),
        Section(individuals, rows: rows.flatMap(\.individuals)),
        Section(populationStarts, rows: parts(\.starts)), Section(notUsed, rows: parts(\.leftOut)),
        Section(leftOutReadings, rows: parts(\.leftOutReadings)),
      ] + tests.sections + diagnosticSections(judged),
      notes: notes(rows) + remarks + (judged?.remarks ?? []), provenance: provenance,
      firstScreen: FirstScreen(rows, judged: judged, remarks: remarks))
  }

  private static func notes(_ rows: [PopulationRow]) -> [String] {
    guard let fit = rows.first?.fit else { return [] }
    var notes = [
      "\(fit.individuals.count) people, \(fit.readingCount) readings; OFV is -2 ln L without n ln 2 pi"
    ]
    notes += leftOut(rows.map(\.fit))
    notes += intervals(rows.map(\.fit)).map { [$0] } ?? []
    for row in rows {
      notes += row.fit.warnings.map { warning in
        "\(warning.code): \(rows.count > 1 ? "\(row.rFactor): " : "")\(warning)"
      }
    }
    notes += rankingNotes(rows)
    if !fit.studies.isEmpty {
      notes.append(
        "a spread between \(fit.studies.count) studies (\(fit.studies.joined(separator: ", "))) rests on as "
          + "many values; a person of another study differs by the variances between people and between "
          + "studies together, and typical values of what studies differ in are known as well as "
          + "\(fit.studies.count) values tell")
    }
    return notes
  }

  /// What is left out of fits, in sentences: readings and series, by reason. Fits of one study leave out the same
  /// readings, or say of which method they speak.
  package static func leftOut(_ fits: [PopulationFit]) -> [String] {
    let texts = fits.map { fit in
      var groups = RemarkGroups()
      for one in fit.leftOut {
        groups.add("\(one.reason.firstClause) (\(one.code))", one.subject.asRemarkLabel)
      }
      let lost = fit.leftOut.reduce(0) { $0 + $1.readings }
      return [
        LeftOut(fit.uses, lost: lost).remark,
        groups.text(within: 180).map {
          "Not used, \(fit.leftOut.count) of \(fit.leftOut.count + fit.seriesCount) series: \($0)."
        },
      ].compactMap(\.self)
    }
    return texts.uniqued.flatMap(\.self)
  }

  /// How intervals were made, if not by standard errors.
  package static func intervals(_ fits: [PopulationFit]) -> String? {
    switch fits.compactMap(\.otherIntervals).first {
    case nil: return nil
    case let other? where other.kind == .profile: return "Intervals by profile likelihood."
    case let other?:
      let units = fits.first?.studies.isEmpty ?? true ? "people" : "studies"
      let failed =
        other.failed > 0 ? "; the fits of \(other.failed) failed and are not counted" : ""
      return "Intervals by \(other.replicates) studies of resampled \(units)\(failed)."
    }
  }

  /// How sure the order of several fits is.
  private static func rankingNotes(_ rows: [PopulationRow]) -> [String] {
    guard rows.count > 1 else { return [] }
    guard let best = rows.first(where: \.isFirst) else {
      return ["not ranked: the fits are not of the same people and readings"]
    }
    func percent(_ share: Double) -> String { "\(Int((100 * share).rounded())) %" }
    let open = rows.filter { $0.place?.standing == .indistinguishable }.map(\.rFactor)
    let units = best.fit.studies.isEmpty ? "people" : "studies"
    let verdict =
      open.isEmpty
      ? "the others are worse (p < 0.05)"
      : "indistinguishable from it: \(open.joined(separator: ", "))"
    let tied = rows.filter { $0.place?.standing == .tied }.map(\.rFactor)
    return [
      "ranked first: \((tied.isEmpty ? [best.rFactor] : tied).inWords)\(tied.isEmpty ? "" : " tied; \(best.rFactor)"), in \(percent(best.place?.shareFirst ?? 0)) of resampled \(units); \(verdict) "
        + "(Vuong's test over \(best.fit.contributions.count) \(units))"
    ]
  }

  package static let populations = TableLayout<PopulationRow>(
    "population", "A row per fit: with `--r-factor all`, one for each method and one without.",
    columns: [
      Column(
        "r_factor", heading: "r",
        "method whose prediction is a person's typical r; none: r is estimated", \.rFactor),
      Column("model", "model of elimination", \.fit.model.elimination.rawValue),
      Column("method", "how random effects are integrated out", \.fit.method),
      Column("people", heading: "people", "people", \.fit.individuals.count),
      Column("series", "series: the occasions of all people", \.fit.seriesCount),
      Column("readings", heading: "readings", "readings", \.fit.readingCount),
      Column("quantified", "readings that were not below detection", \.fit.quantifiedCount),
    ] + ReadingUse.columns { $0.fit.uses[$1] ?? 0 } + [
      Column(
        "left_out_series", "series that could not be used; `left_out` tells why",
        \.fit.leftOut.count),
      Column("left_out_readings", "readings of these series that could be used otherwise") {
        $0.fit.leftOut.reduce(0) { $0 + $1.readings }
      },
      Column(
        "estimated", heading: "estimated", "numbers that were estimated", \.fit.estimatedCount),
      Column(
        "ofv", heading: "OFV", style: .decimals(3), "-2 ln L without n ln 2 pi, as NONMEM has it",
        \.fit.objective),
      Column(
        "minus_two_log_likelihood", style: .decimals(3), "-2 ln L, constants included",
        \.fit.minusTwoLogLikelihood),
      Column(
        "difference", heading: "above best", style: .decimals(2),
        "-2 ln L above that of the best row; none where fits are not of the same people and readings",
        \.aboveLowest),
      Column(
        "aic", heading: "AIC", style: .decimals(2), "Akaike's information criterion", \.fit.aic),
      Column(
        "bic", heading: "BIC", style: .decimals(2), "Schwarz's, with the number of people",
        \.fit.bic),
      Column(
        "vuong_z",
        "of several fits: AIC above that of the first, in standard errors over people (Vuong 1989)",
        \.place?.z),
      Column(
        "vuong_p", heading: "p", style: .significant(2),
        "its two-sided p value, by Student's t with people minus one degrees of freedom",
        \.place?.pValue),
      Column(
        "first_pct", heading: "first %", style: .decimals(0),
        "of several fits: how often it has the lowest AIC if people are resampled"
      ) { $0.place.map { 100 * $0.shareFirst } },
      Column(
        "standing", heading: "standing",
        "of several fits: first by AIC, tied with others, indistinguishable from it (p >= 0.05), or worse",
        \.place?.standing),
      Column(
        "r_spread", heading: "SD of ln r", "standard deviation of ln r that is left between people",
        \.fit.spreadOfR),
      Column(
        "epsilon_shrinkage_pct", "100 (1 - SD of weighted residuals)",
        \.fit.epsilonShrinkage.ifFinite),
      Column(
        "condition", "condition number of the correlations of the estimates",
        \.fit.uncertainty?.conditionNumber.ifFinite),
      Column("iterations", "steps of the search", \.fit.iterations),
      Column("starts", "starts of the search", \.fit.starts.count),
      Column("starts_at_best", "starts that ended at the reported minimum") { row in
        row.fit.starts.count { row.fit.isAtBest($0) }
      },
      Column(
        "status", oneOf: PopulationRow.statuses, heading: "status",
        "how far the fit can be used; ok: two starts ended in this minimum, with standard errors, typical values are "
          + "known, and people differ in what is random", \.status),
      .warnings { $0.fit.warnings.map(\.code) },
    ])

  static let typicalValues = TableLayout<PopulationPart<PopulationParameter>>(
    "typical", "In JSON: a row per fit and parameter.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.rFactor),
      Column("parameter", heading: "parameter", "the parameter", \.part.rawValue),
      Column("unit", heading: "unit", "its unit", \.part.reportedUnit),
      Column("value", in: "`unit`", heading: "typical", "typical value", \.typicalValue),
      Column("is_fixed", "whether it was held there") { $0.fit.model.fixedTypical[$0.part] != nil },
      Column(
        "rse_pct", heading: "RSE %", style: .decimals(1),
        "relative standard error, from the curvature"
      ) { $0.typicalError(\.uncertainty) },
      Column(
        "low", in: "`unit`", heading: "low",
        "lower end of the 95 % interval: by Student's t, or as --interval says",
        \.typicalInterval?.low),
      Column("high", in: "`unit`", heading: "high", "its upper end", \.typicalInterval?.high),
      Column(
        "df",
        "its degrees of freedom: people minus one, or studies minus one where studies differ in the parameter; "
          + "and minus the covariates on it"
      ) { value in value.typicalInterval.map { _ in value.fit.degreesOfFreedom(of: value.part) } },
      Column("robust_rse_pct", "relative standard error, from the sandwich") {
        $0.typicalError(\.sandwich)
      },
    ])

  static let betweenPeople = TableLayout<Spread>(
    "between", "In JSON: a row per fit and pair of parameters that differ between people: Omega.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.row.rFactor),
      Column("parameter", heading: "parameter", "a parameter", \.one.rawValue),
      Column("other", heading: "with", "the same or another", \.other.rawValue),
      Column("covariance", heading: "covariance", "covariance of their logarithms", \.covariance),
      Column(
        "correlation", heading: "correlation", style: .decimals(2),
        "correlation of their logarithms", \.correlation),
      Column(
        "cv_pct", heading: "CV %", style: .decimals(1),
        "100 sqrt(e^variance - 1), of one parameter", \.variation),
      Column(
        "se", heading: "SE", "standard error of a variance; none of one that was held", \.error),
      Column(
        "low", heading: "low",
        "lower end of the 95 % interval of a variance, by chi squared or as --interval says; 0 for a variance at zero",
        \.interval?.low),
      Column(
        "high", heading: "high", "its upper end; of a variance at zero by likelihood ratio",
        \.interval?.high),
      Column("robust_se", "the same from the sandwich", \.robust),
      Column(
        "eta_shrinkage_pct", heading: "shrinkage %", style: .decimals(0),
        "100 (1 - SD of the modes / omega)", \.shrinkage),
    ])

  static let withinPeople = TableLayout<Spread>(
    "within", "In JSON: a row per fit and pair of parameters that differ between occasions: Pi.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.row.rFactor),
      Column("parameter", heading: "parameter", "a parameter", \.one.rawValue),
      Column("other", heading: "with", "the same or another", \.other.rawValue),
      Column(
        "covariance", heading: "covariance", "covariance of their logarithms between occasions",
        \.covariance),
      Column(
        "correlation", heading: "correlation", style: .decimals(2), "their correlation",
        \.correlation),
      Column("se", "standard error of a variance", \.error),
      Column("low", heading: "low", "as in `between`", \.interval?.low),
      Column("high", heading: "high", "as in `between`", \.interval?.high),
    ])

  static let betweenStudies = TableLayout<PopulationPart<PopulationParameter>>(
    "studies",
    "In JSON: a row per fit and parameter in which studies differ beyond their people.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.rFactor),
      Column("parameter", heading: "parameter", "the parameter", \.part.rawValue),
      Column("variance", heading: "between studies", "variance of its logarithm between studies") {
        $0.fit.values.studies[$0.place]
      },
      Column("se", "standard error of the variance") {
        $0.fit.uncertainty?.studies[$0.place].ifFinite
      },
      Column("low", heading: "low", "as in `between`") {
        $0.fit.varianceInterval(of: $0.part, between: .study)?.low
      },
      Column("high", heading: "high", "as in `between`") {
        $0.fit.varianceInterval(of: $0.part, between: .study)?.high
      },
    ])

  static let covariateEffects = TableLayout<PopulationPart<PopulationModel.Covariate>>(
    "covariates",
    "In JSON: a row per fit and effect of a covariate on the logarithm of a typical value.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.rFactor),
      Column("parameter", heading: "parameter", "the parameter", \.part.parameter.rawValue),
      Column("covariate", heading: "covariate", "the covariate", \.part.name),
      Column(
        "form", heading: "form", "power: theta ln(x / center); exponential: theta (x - center)",
        \.part.form.rawValue),
      Column("center", heading: "center", "the centre") { $0.fit.centers[$0.place] },
      Column("coefficient", heading: "theta", "the coefficient theta") {
        $0.fit.values.coefficients[$0.place]
      },
      Column("se", heading: "SE", "its standard error") {
        $0.fit.uncertainty?.coefficients[$0.place]
      },
      Column("low", heading: "low", "lower end of its 95 % interval, as in `typical`") {
        $0.fit.coefficientInterval($0.place)?.low
      },
      Column("high", heading: "high", "upper end of its 95 % interval") {
        $0.fit.coefficientInterval($0.place)?.high
      },
    ])

  static let residualErrors = TableLayout<
    (rFactor: String, name: String, value: Double, error: Double?)
  >(
    "residual", "In JSON: a row per fit and parameter of the residual error.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.rFactor),
      Column(
        "error", oneOf: ["sd", "cv"], heading: "error",
        "sd: at zero, in g/kg; cv: at high concentrations", \.name),
      Column("value", heading: "value", "its value", \.value),
      Column("rse_pct", heading: "RSE %", style: .decimals(1), "relative standard error") {
        $0.error.map { 100 * $0 }
      },
    ])

  static let estimateCovariances = TableLayout<PopulationRow.EstimatePair>(
    "estimate_covariance",
    """
    In JSON: a row per fit and pair of estimates, whose covariance simulate --from draws with. `typical.ka` is the
    logarithm of a typical value, `covariates.beta,sex` a coefficient, `between.ka` the logarithm of a standard deviation
    between people (so `within.` and `studies.`), `between.ka,beta` an entry of Omega's lower triangular factor, and
    `residual.sd` the logarithm of an error of readings.
    """,
    columns: [
      Column("r_factor", "as in `population`", \.rFactor),
      Column("estimate", "an estimate") { $0.all.names[$0.one] },
      Column("other", "the same or another") { $0.all.names[$0.other] },
      Column("covariance", "their covariance, from the curvature") {
        $0.all.covariance($0.one, $0.other)
      },
      Column("correlation", "their correlation") { $0.all.correlation($0.one, $0.other) },
    ])

  static let individuals = TableLayout<PopulationRow.Individual>(
    "individuals",
    "In JSON: a row per fit, person and parameter: the mode of what is known of the person.",
    columns: [
      Column("r_factor", "as in `population`", \.rFactor),
      Column("subject", "the person", \.person.subject),
      Column("parameter", "the parameter", \.parameter.rawValue),
      Column("unit", "its unit", \.parameter.reportedUnit),
      Column("value", in: "`unit`", "the person's value on the first occasion") {
        $0.parameter.reportedValue($0.value)
      },
      Column("eta", "the person's eta; none where people do not differ") { row in
        row.place.map { row.person.effects[$0] }
      },
      Column("eta_se", "its standard error") { row in
        row.place.map { row.person.standardErrors[$0] }
      },
      Column(
        "contribution", "what the person contributes to the OFV; none where studies differ",
        \.person.contribution.ifFinite),
    ])

  static let populationStarts = TableLayout<PopulationPart<PopulationFit.Start>>(
    "population_starts",
    "In JSON: a row per fit and start of its search, in the order in which they were searched.",
    columns: [
      Column("r_factor", "as in `population`", \.rFactor),
      Column(
        "origin", oneOf: PopulationFit.Start.Origin.allCases.map(\.rawValue),
        "where it began. typical: at a typical person's values; own-fits: at the medians of people's own fits; shifted: "
          + "at slower or faster absorption and elimination; beside: beside the lowest minimum, if no second start had "
          + "found it", \.part.origin.rawValue),
      Column("ofv", "the OFV where it ended", \.part.objective?.ifFinite),
      Column(
        "is_converged",
        "whether it ended in a minimum; one that creeps far above another is given up",
        \.part.isConverged),
      Column("found_best", "whether it ended at the reported minimum, to 0.02 of the OFV") {
        $0.fit.isAtBest($0.part)
      },
    ])

  static let notUsed = TableLayout<PopulationPart<LeftOutSeries>>(
    "left_out",
    """
    In JSON: a row per fit and series that could not be used. With several methods for r, a series that one of them
    cannot use is left out of every fit.
    """,
    columns: [
      Column(
        "r_factor", heading: "r",
        "as in `population`; of several methods the first that cannot use the series", \.rFactor),
      Column("subject", heading: "subject", "whose", \.part.subject),
      Column("occasion", heading: "occasion", "which occasion", \.part.occasion),
      Column("readings", "its readings that could be used otherwise", \.part.readings),
      Column("reason", heading: "left out because", "code and reason") {
        "\($0.part.code): \($0.part.reason)"
      },
    ])
}
