import AlcoholKinetics
import Estimation
import Foundation
import Population
import StudyData

extension Report {
  /// The report of population fits of one study.
  public static func population(_ answer: PopulationAnswer, provenance: Provenance) -> Report {
    let fits = answer.fits
    func parts<Part>(_ parts: (PopulationFit) -> [Part]) -> [FitPart<Part>] {
      fits.flatMap { FitPart.all($0, parts($0.fit)) }
    }
    func spreads(_ level: PopulationLevel) -> [Spread] {
      fits.flatMap { Spread.all($0, between: level) }
    }
    return Report(
      sections: [
        Section(populations, rows: fits),
        Section(typicalValues, rows: parts(\.model.parameters).filter(\.isTypical)),
        Section(betweenPeople, rows: spreads(.person)),
        Section(withinPeople, rows: spreads(.occasion)),
        Section(betweenStudies, rows: spreads(.study)),
        Section(covariateEffects, rows: parts(\.model.covariates)),
        Section(residualErrors, rows: fits.flatMap(\.residualErrors)),
        Section(estimateCovariances, rows: fits.flatMap(\.estimates)),
        Section(individuals, rows: fits.flatMap(\.individuals)),
        Section(populationStarts, rows: parts(\.starts)), Section(notUsed, rows: parts(\.leftOut)),
        Section(leftOutReadings, rows: parts(\.leftOutReadings)),
        Section(covariateSteps, rows: answer.search?.steps ?? []),
        Section(fullModel, rows: answer.fullModel),
        Section(nestedTests, rows: answer.against.map { [$0] } ?? []),
      ] + diagnosticSections(answer),
      notes: answer.notes + answer.remarks, provenance: provenance,
      firstScreen: answer.firstScreen)
  }

  /// The tables of diagnostics; empty ones without any.
  static func diagnosticSections(_ answer: PopulationAnswer) -> [Section] {
    let (diagnostics, name) = (answer.diagnostics, answer.best?.rFactor ?? "")
    return [
      Section(
        standardNormality,
        rows: [("cwres", diagnostics?.cwres), ("npde", diagnostics?.npde)].compactMap {
          kind, test in
          test.map { (rFactor: name, residual: kind, test: $0) }
        }),
      Section(etaCovariates, rows: (diagnostics?.covariates ?? []).map { (name, $0) }),
      Section(predictiveChecks, rows: (diagnostics?.predictiveCheck.rows ?? []).map { (name, $0) }),
      Section(predictions, rows: (diagnostics?.readings ?? []).map { (name, $0) }),
    ]
  }

  /// Every reading with its predictions and residuals, the file of `--residuals`.
  public static func residuals(of answer: PopulationAnswer) -> Table {
    diagnosticSections(answer)[3].table
  }

  static let populations = TableLayout<PopulationAnswer.Fit>(
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
        "status", oneOf: PopulationAnswer.Fit.statuses, heading: "status",
        "how far the fit can be used; ok: two starts ended in this minimum, with standard errors, typical values are "
          + "known, and people differ in what is random", \.status),
      .warnings { $0.fit.warnings.map(\.code) },
    ])

  static let typicalValues = TableLayout<FitPart<PopulationParameter>>(
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

  static let betweenStudies = TableLayout<Spread>(
    "studies",
    "In JSON: a row per fit and parameter in which studies differ beyond their people.",
    columns: [
      Column("r_factor", heading: "r", "as in `population`", \.row.rFactor),
      Column("parameter", heading: "parameter", "the parameter", \.one.rawValue),
      Column(
        "variance", heading: "between studies", "variance of its logarithm between studies",
        \.covariance),
      Column("se", "standard error of the variance", \.error),
      Column("low", heading: "low", "as in `between`", \.interval?.low),
      Column("high", heading: "high", "as in `between`", \.interval?.high),
    ])

  static let covariateEffects = TableLayout<FitPart<PopulationModel.Covariate>>(
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

  static let estimateCovariances = TableLayout<PopulationAnswer.Fit.EstimatePair>(
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

  static let individuals = TableLayout<PopulationAnswer.Fit.Individual>(
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

  static let populationStarts = TableLayout<FitPart<PopulationFit.Start>>(
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

  static let notUsed = TableLayout<FitPart<LeftOutSeries>>(
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

  // MARK: Tests

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

  static let fullModel = TableLayout<FitPart<PopulationModel.Covariate>>(
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

  static let leftOutReadings = TableLayout<FitPart<LeftOutReading>>(
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

  // MARK: Diagnostics

  static let predictions = TableLayout<(rFactor: String, value: PopulationDiagnostics.Reading)>(
    "predictions",
    """
    `--diagnostics`, in JSON, and the file written by `--residuals`: a row per reading, of the fit with the lowest
    -2 ln L. Readings below detection that the fit passed over are among them.
    """,
    columns: [
      Column("r_factor", "as in `population`", \.rFactor),
      Column("subject", "subject", \.value.subject),
      .occasion(heading: nil) { $0.value.occasion },
      Column("time_min", "time of the reading", \.value.time.minutes),
      Column(
        "since_first_drink_min", "time since the first drink", \.value.sinceFirstDrink.minutes),
      Column("observed_g_per_kg", "the reading, as concentration in blood", \.value.observed),
      Column("limit_g_per_kg", "limit of detection, where it is known", \.value.limit),
      Column(
        "below_detection", "whether the reading is below that limit", \.value.isBelowDetection),
      Column(
        "population_g_per_kg", "prediction for a typical person of the same covariates",
        \.value.population),
      Column("individual_g_per_kg", "prediction of the person's own curve", \.value.individual),
      Column(
        "iwres", "residual about the person's own curve, in standard deviations", \.value.iwres),
      Column("cwres", "conditional weighted residual (Hooker et al. 2007)", \.value.cwres),
      Column("npde", "normalised prediction distribution error (Comets et al. 2008)", \.value.npde),
      Column(
        "prediction_corrected_g_per_kg", "the reading as the prediction-corrected check has it",
        \.value.predictionCorrected),
      Column(
        "variability_corrected_g_per_kg", "the reading as the variability-corrected check has it",
        \.value.variabilityCorrected),
    ])

  static let predictiveChecks = TableLayout<(rFactor: String, value: PredictiveCheck.Row)>(
    "vpc",
    """
    `--diagnostics`, in JSON: a row per kind of predictive check, bin of time and percentile. Without a value, a
    percentile is below detection.
    """,
    columns: [
      Column("r_factor", "as in `population`", \.rFactor),
      Column(
        "kind",
        "readings as they are, corrected for predictions or for variability, or the fraction below detection",
        \.value.kind),
      Column("from_min", "first time since the first drink in the bin", \.value.from.minutes),
      Column("to_min", "last time in the bin", \.value.to.minutes),
      Column("time_min", "median time in the bin", \.value.middle.minutes),
      Column("readings", "readings that take part", \.value.readings),
      Column("percentile", in: "%", "the percentile; none for the fraction", \.value.percentile),
      Column("unit", oneOf: ["g/kg", "1"], "unit of the next four") {
        $0.value.percentile == nil ? "1" : "g/kg"
      },
      Column("observed", in: "`unit`", "that of the readings", \.value.observed),
      Column("low", in: "`unit`", "2.5th percentile of simulated studies", \.value.low),
      Column("median", in: "`unit`", "median of simulated studies", \.value.median),
      Column("high", in: "`unit`", "97.5th percentile of simulated studies", \.value.high),
      Column("inside", "whether that of the readings is between the two", \.value.isInside),
    ])

  static let etaCovariates = TableLayout<(rFactor: String, value: EffectAgainstCovariate)>(
    "eta_covariates",
    """
    `--diagnostics`: a row per parameter that differs between people and covariate that somebody has as a number.
    """,
    columns: [
      Column("r_factor", "as in `population`", \.rFactor),
      Column("parameter", heading: "eta of", "the parameter", \.value.parameter.rawValue),
      Column(
        "covariate", heading: "covariate", "the covariate; sex is 1 for women", \.value.covariate),
      Column("people", heading: "people", "people with a number", \.value.points.count),
      Column(
        "correlation", heading: "correlation", style: .decimals(2),
        "Pearson's; none for fewer than 4 people, where all are the same, or where shrinkage exceeds 99 %",
        \.value.correlation),
      Column(
        "low", heading: "low", style: .decimals(2), "lower end of its 95 % interval",
        \.value.interval?.low),
      Column(
        "high", heading: "high", style: .decimals(2), "upper end of its 95 % interval",
        \.value.interval?.high),
    ])

  static let standardNormality = TableLayout<
    (rFactor: String, residual: String, test: StandardNormalTest)
  >(
    "standard_normal",
    "`--diagnostics`: a row per kind of residual that is standard normal if the model is right.",
    columns: [
      Column("r_factor", "as in `population`", \.rFactor),
      Column(
        "residual", oneOf: ["cwres", "npde"], heading: "residual", "kind of residual", \.residual),
      Column("readings", heading: "readings", "readings that have one", \.test.count),
      Column("mean", heading: "mean", "mean; 0 if the model is right", \.test.mean),
      Column(
        "mean_p", heading: "p", style: .significant(2), "p value of a mean of 0",
        \.test.meanPValue.ifFinite),
      Column("variance", heading: "variance", "variance; 1 if the model is right", \.test.variance),
      Column(
        "variance_p", heading: "p", style: .significant(2), "p value of a variance of 1",
        \.test.variancePValue),
      Column(
        "shapiro_w", heading: "W", style: .decimals(4), "statistic of Shapiro and Wilk's test",
        \.test.normality?.statistic),
      Column(
        "shapiro_p", heading: "p", style: .significant(2),
        "p value of a normal distribution; none for fewer than 3 readings or more than 5000",
        \.test.normality?.pValue),
    ])
}

extension PredictiveCheck.Kind: ColumnValue {}
extension PopulationMethod: ColumnValue {}
extension PopulationRanking.Standing: ColumnValue {}

// MARK: - Rows

extension PopulationAnswer.Fit {
  var status: String { fit.status?.rawValue ?? "evaluated" }

  static let statuses = FitStatus.allCases.filter { $0 != .failed }.map(\.rawValue) + ["evaluated"]

  /// The parameters of the residual error, with the standard errors of their logarithms.
  var residualErrors: [(rFactor: String, name: String, value: Double, error: Double?)] {
    let (values, errors) = (fit.values, fit.uncertainty?.residual ?? [nil, nil])
    return [("sd", values.sd, errors[0]), ("cv", values.cv, errors[1])].filter { $0.1 > 0 }.map {
      (rFactor, $0, $1, $2)
    }
  }

  /// Two estimates, or one with itself, by their places among all.
  typealias EstimatePair = (rFactor: String, all: PopulationEstimates, one: Int, other: Int)

  var estimates: [EstimatePair] {
    fit.estimates.map { all in
      all.names.indices.flatMap { one in (0...one).map { (rFactor, all, one, $0) } }
    } ?? []
  }

  /// What is known of a parameter of a person, and its place among the random ones; nil if people do not differ in it.
  typealias Individual = (
    rFactor: String, person: PopulationFit.Individual, parameter: PopulationParameter,
    value: Double, place: Int?
  )

  var individuals: [Individual] {
    fit.individuals.flatMap { person in
      zip(fit.model.parameters, person.values).map { parameter, value in
        (rFactor, person, parameter, value, fit.model.random.firstIndex(of: parameter))
      }
    }
  }
}

extension PopulationFit {
  /// The standard deviation of ln r between people; nil if they do not differ in it.
  var spreadOfR: Double? {
    variance(of: .kinetic(.r), between: .person)?.variance.squareRoot()
  }

  /// The coefficient of variation in percent that belongs to a variance of logarithms.
  static func percentVariation(_ variance: Double) -> Double {
    100 * (exp(variance) - 1).squareRoot()
  }
}

/// One of several parts of a population fit, and its place among them; tables have a row for each.
struct FitPart<Part: Sendable>: Sendable {
  let row: PopulationAnswer.Fit
  let place: Int
  let part: Part

  var rFactor: String { row.rFactor }
  var fit: PopulationFit { row.fit }

  static func all(_ row: PopulationAnswer.Fit, _ parts: [Part]) -> [Self] {
    parts.enumerated().map { Self(row: row, place: $0, part: $1) }
  }
}

extension FitPart<PopulationParameter> {
  /// Whether there is a typical value: of r not where a method predicts it.
  var isTypical: Bool { fit.model.rFactor == nil || part != .kinetic(.r) }

  var typicalValue: Double { part.reportedValue(fit.typicalValue(place)) }

  /// The standard error of the typical value in percent of it.
  func typicalError(_ kind: KeyPath<PopulationFit, PopulationFit.Uncertainty?>) -> Double? {
    fit[keyPath: kind].flatMap { $0.typical[place] }.map { 100 * $0 }
  }

  var typicalInterval: Interval? {
    fit.typicalInterval(place)?.map(part.reportedValue)
  }

  /// The coefficient of variation in percent; nil if the parameter does not differ there.
  func variation(between level: PopulationLevel) -> Double? {
    fit.variance(of: part, between: level).map { PopulationFit.percentVariation($0.variance) }
  }
}

/// A variance or covariance of logarithms, between people, between the occasions of one or between studies.
struct Spread: Sendable {
  let row: PopulationAnswer.Fit
  private let level: PopulationLevel
  let one: PopulationParameter
  let other: PopulationParameter
  let covariance: Double
  let correlation: Double

  /// The entries of a covariance on and below its diagonal, but for those that the model has at zero.
  static func all(_ row: PopulationAnswer.Fit, between level: PopulationLevel) -> [Spread] {
    let (parameters, matrix) = (row.fit.model[level], row.fit.values[level])
    return parameters.indices.flatMap { one in
      (0...one).map { other in
        Spread(
          row: row, level: level, one: parameters[one], other: parameters[other],
          covariance: matrix[one, other],
          correlation: matrix[one, other] / (matrix[one, one] * matrix[other, other]).squareRoot())
      }
    }.filter {
      $0.isVariance || (level == .occasion ? row.fit.model.isFull : $0.covariance != 0)
    }
  }

  private var isVariance: Bool { one == other }

  // Of a variance alone.

  var variation: Double? { isVariance ? PopulationFit.percentVariation(covariance) : nil }

  var error: Double? { isVariance ? row.fit.variance(of: one, between: level)?.error : nil }

  var interval: Interval? { isVariance ? row.fit.varianceInterval(of: one, between: level) : nil }

  /// The standard error from the sandwich, between people.
  var robust: Double? { place.flatMap { row.fit.sandwich?.between[$0].ifFinite } }

  var shrinkage: Double? { place.flatMap { row.fit.etaShrinkage[$0].ifFinite } }

  private var place: Int? { isVariance ? row.fit.model.random.firstIndex(of: one) : nil }
}
