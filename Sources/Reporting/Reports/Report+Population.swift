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
    let diagnostics = answer.diagnostics
    let name = answer.best?.rFactor ?? ""
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
    "population",
    columns: [
      Column("r_factor", heading: "r", \.rFactor),
      Column("model", \.fit.model.elimination.rawValue),
      Column("method", \.fit.method),
      Column("people", heading: "people", \.fit.individuals.count),
      Column("series", \.fit.seriesCount),
      Column("readings", heading: "readings", \.fit.readingCount),
      Column("quantified", \.fit.quantifiedCount),
    ] + ReadingUse.columns { $0.fit.uses[$1] ?? 0 } + [
      Column("left_out_series", \.fit.leftOut.count),
      Column("left_out_readings") { $0.fit.leftOut.reduce(0) { $0 + $1.readings } },
      Column("estimated", heading: "estimated", \.fit.estimatedCount),
      Column("ofv", heading: "OFV", style: .decimals(3), \.fit.objective),
      Column("minus_two_log_likelihood", style: .decimals(3), \.fit.minusTwoLogLikelihood),
      Column("difference", heading: "above best", style: .decimals(2), \.aboveLowest),
      Column("aic", heading: "AIC", style: .decimals(2), \.fit.aic),
      Column("bic", heading: "BIC", style: .decimals(2), \.fit.bic),
      Column("vuong_z", \.rank?.z),
      Column("vuong_p", heading: "p", style: .significant(2), \.rank?.pValue),
      Column("first_pct", heading: "first %", style: .decimals(0)) {
        $0.rank.map { 100 * $0.shareFirst }
      },
      Column("standing", heading: "standing", \.rank?.standing),
      Column("r_spread", heading: "SD of ln r", \.fit.spreadOfR),
      Column("epsilon_shrinkage_pct", \.fit.epsilonShrinkage.ifFinite),
      Column("condition", \.fit.uncertainty?.conditionNumber.ifFinite),
      Column("iterations", \.fit.iterations),
      Column("starts", \.fit.starts.count),
      Column("starts_at_best") { row in
        row.fit.starts.count { row.fit.isAtBest($0) }
      },
      Column("status", oneOf: PopulationAnswer.Fit.statuses, heading: "status", \.status),
      .warnings { $0.fit.warnings.map(\.code) },
    ])

  static let typicalValues = TableLayout<FitPart<PopulationParameter>>(
    "typical",
    columns: [
      Column("r_factor", heading: "r", \.rFactor),
      Column("parameter", heading: "parameter", \.part.rawValue),
      Column("unit", heading: "unit", \.part.reportedUnit),
      Column("value", heading: "typical", \.typicalValue),
      Column("is_fixed") { $0.fit.model.fixedTypical[$0.part] != nil },
      Column("rse_pct", heading: "RSE %", style: .decimals(1)) { $0.typicalError(\.uncertainty) },
      Column("low", heading: "low", \.typicalInterval?.low),
      Column("high", heading: "high", \.typicalInterval?.high),
      Column("bootstrap_bias_pct", heading: "bias %", style: .decimals(1)) {
        $0.fit.typicalBias($0.index)
      },
      Column("df") { value in
        value.typicalInterval.map { _ in value.fit.degreesOfFreedom(of: value.part) }
      },
      Column("robust_rse_pct") { $0.typicalError(\.sandwich) },
    ])

  private static let pairColumns: [Column<Spread>] = [
    Column("r_factor", heading: "r", \.row.rFactor),
    Column("parameter", heading: "parameter", \.first.rawValue),
    Column("other", heading: "with", \.second.rawValue),
    Column("covariance", heading: "covariance", \.covariance),
    Column("correlation", heading: "correlation", style: .decimals(2), \.correlation),
  ]

  static let betweenPeople = TableLayout<Spread>(
    "between",
    columns: pairColumns + [
      Column("cv_pct", heading: "CV %", style: .decimals(1), \.variation),
      Column("se", heading: "SE", \.error),
      Column("low", heading: "low", \.interval?.low),
      Column("high", heading: "high", \.interval?.high),
      Column("bootstrap_bias_pct", style: .decimals(1), \.bias),
      Column("robust_se", \.robust),
      Column("eta_shrinkage_pct", heading: "shrinkage %", style: .decimals(0), \.shrinkage),
    ])

  static let withinPeople = TableLayout<Spread>(
    "within",
    columns: pairColumns + [
      Column("se", \.error),
      Column("low", heading: "low", \.interval?.low),
      Column("high", heading: "high", \.interval?.high),
    ])

  static let betweenStudies = TableLayout<Spread>(
    "studies",
    columns: [
      Column("r_factor", heading: "r", \.row.rFactor),
      Column("parameter", heading: "parameter", \.first.rawValue),
      Column("variance", heading: "between studies", \.covariance),
      Column("se", \.error),
      Column("low", heading: "low", \.interval?.low),
      Column("high", heading: "high", \.interval?.high),
    ])

  static let covariateEffects = TableLayout<FitPart<PopulationModel.Covariate>>(
    "covariates",
    columns: [
      Column("r_factor", heading: "r", \.rFactor),
      Column("parameter", heading: "parameter", \.part.parameter.rawValue),
      Column("covariate", heading: "covariate", \.part.name),
      Column("form", heading: "form", \.part.form.rawValue),
      Column("center", heading: "center") { $0.fit.centers[$0.index] },
      Column("coefficient", heading: "theta") { $0.fit.values.coefficients[$0.index] },
      Column("se", heading: "SE") { $0.fit.uncertainty?.coefficients[$0.index] },
      Column("low", heading: "low") { $0.fit.coefficientInterval($0.index)?.low },
      Column("high", heading: "high") { $0.fit.coefficientInterval($0.index)?.high },
    ])

  static let residualErrors = TableLayout<
    (rFactor: String, name: String, value: Double, error: Double?)
  >(
    "residual",
    columns: [
      Column("r_factor", heading: "r", \.rFactor),
      Column("error", oneOf: ["sd", "cv"], heading: "error", \.name),
      Column("value", heading: "value", \.value),
      Column("rse_pct", heading: "RSE %", style: .decimals(1)) { $0.error.map { 100 * $0 } },
    ])

  static let estimateCovariances = TableLayout<PopulationAnswer.Fit.EstimatePair>(
    "estimate_covariance",
    columns: [
      Column("r_factor", \.rFactor),
      Column("estimate") { $0.all.names[$0.first] },
      Column("other") { $0.all.names[$0.second] },
      Column("covariance") { $0.all.covariance($0.first, $0.second) },
      Column("correlation") { $0.all.correlation($0.first, $0.second) },
    ])

  static let individuals = TableLayout<PopulationAnswer.Fit.Individual>(
    "individuals",
    columns: [
      Column("r_factor", \.rFactor),
      Column("subject", \.person.subject),
      Column("parameter", \.parameter.rawValue),
      Column("unit", \.parameter.reportedUnit),
      Column("value") { $0.parameter.reportedValue($0.value) },
      Column("eta") { row in
        row.randomIndex.map { row.person.effects[$0] }
      },
      Column("eta_se") { row in
        row.randomIndex.map { row.person.standardErrors[$0] }
      },
      Column("eta_shrinkage_pct", \.shrinkage),
      Column("is_prior_dominated") { row in
        row.shrinkage.map { $0 > PopulationFit.largestShrinkageOfPerson }
      },
      Column("contribution", \.person.contribution.ifFinite),
    ])

  static let populationStarts = TableLayout<FitPart<PopulationFit.Start>>(
    "population_starts",
    columns: [
      Column("r_factor", \.rFactor),
      Column("origin", \.part.origin),
      Column("ofv", \.part.objective?.ifFinite),
      Column("is_converged", \.part.isConverged),
      Column("found_best") { $0.fit.isAtBest($0.part) },
    ])

  static let notUsed = TableLayout<FitPart<LeftOutSeries>>(
    "left_out",
    columns: [
      Column("r_factor", heading: "r", \.rFactor),
      Column("subject", heading: "subject", \.part.subject),
      Column("occasion", heading: "occasion", \.part.occasion),
      Column("readings", \.part.readings),
      Column("reason", heading: "left out because") { "\($0.part.code): \($0.part.reason)" },
    ])

  // MARK: Tests

  static let covariateSteps = TableLayout<CovariateSearch.Step>(
    "covariate_search",
    columns: [
      Column("round", heading: "round", \.round),
      Column("phase", heading: "phase", \.phase),
      Column("parameter", heading: "parameter", \.covariate.parameter.rawValue),
      Column("covariate", heading: "covariate", \.covariate.name),
      Column("form", \.covariate.form.rawValue),
      Column("fall", heading: "-2 ln L", style: .decimals(2), \.fall),
      Column("p", heading: "p", style: .significant(2), \.pValue),
      Column("is_taken", heading: "taken", \.isTaken),
    ])

  static let fullModel = TableLayout<FitPart<PopulationModel.Covariate>>(
    "full_model", columns: covariateEffects.columns)

  static let nestedTests = TableLayout<(file: String, test: NestedFitsTest)>(
    "likelihood_ratio",
    columns: [
      Column("against", heading: "against", \.file),
      Column("fall", heading: "-2 ln L", style: .decimals(3), \.test.fall),
      Column("df", heading: "df", \.test.degreesOfFreedom),
      Column("variances", heading: "variances", \.test.variances),
      Column("p", heading: "p", style: .significant(2), \.test.pValue),
      Column("effects", heading: "effects") { $0.test.effects.joined(separator: "; ") },
    ])

  static let leftOutReadings = TableLayout<FitPart<LeftOutReading>>(
    "left_out_readings",
    columns: [
      Column("r_factor", heading: "r", \.rFactor),
      Column("subject", heading: "subject", \.part.subject),
      Column("occasion", heading: "occasion", \.part.occasion),
      Column("time_min", heading: "time", \.part.time.minutes),
      Column("value", heading: "value", \.part.value),
      Column("unit", \.part.unit.rawValue),
      Column("use", oneOf: ReadingUse.causes, heading: "because", \.part.use.rawValue),
    ])

  // MARK: Diagnostics

  static let predictions = TableLayout<(rFactor: String, value: PopulationDiagnostics.Reading)>(
    "predictions",
    columns: [
      Column("r_factor", \.rFactor),
      Column("subject", \.value.subject),
      .occasion(heading: nil) { $0.value.occasion },
      Column("time_min", \.value.time.minutes),
      Column("since_first_drink_min", \.value.sinceFirstDrink.minutes),
      Column("observed_g_per_kg", \.value.observed),
      Column("limit_g_per_kg", \.value.limit),
      Column("below_detection", \.value.isBelowDetection),
      Column("population_g_per_kg", \.value.population),
      Column("individual_g_per_kg", \.value.individual),
      Column("iwres", \.value.iwres),
      Column("cwres", \.value.cwres),
      Column("npde", \.value.npde),
      Column("prediction_corrected_g_per_kg", \.value.predictionCorrected),
      Column("variability_corrected_g_per_kg", \.value.variabilityCorrected),
    ])

  static let predictiveChecks = TableLayout<(rFactor: String, value: PredictiveCheck.Row)>(
    "vpc",
    columns: [
      Column("r_factor", \.rFactor),
      Column("kind", \.value.kind),
      Column("from_min", \.value.from.minutes),
      Column("to_min", \.value.to.minutes),
      Column("time_min", \.value.middle.minutes),
      Column("readings", \.value.readings),
      Column("percentile", \.value.percentile),
      Column("unit", oneOf: ["g/kg", "1"]) { $0.value.percentile == nil ? "1" : "g/kg" },
      Column("observed", \.value.observed),
      Column("low", \.value.low),
      Column("median", \.value.median),
      Column("high", \.value.high),
      Column("inside", \.value.isInside),
    ])

  static let etaCovariates = TableLayout<(rFactor: String, value: EffectAgainstCovariate)>(
    "eta_covariates",
    columns: [
      Column("r_factor", \.rFactor),
      Column("parameter", heading: "eta of", \.value.parameter.rawValue),
      Column("covariate", heading: "covariate", \.value.covariate),
      Column("people", heading: "people", \.value.points.count),
      Column("correlation", heading: "correlation", style: .decimals(2), \.value.correlation),
      Column("low", heading: "low", style: .decimals(2), \.value.interval?.low),
      Column("high", heading: "high", style: .decimals(2), \.value.interval?.high),
    ])

  static let standardNormality = TableLayout<
    (rFactor: String, residual: String, test: StandardNormalTest)
  >(
    "standard_normal",
    columns: [
      Column("r_factor", \.rFactor),
      Column("residual", oneOf: ["cwres", "npde"], heading: "residual", \.residual),
      Column("readings", heading: "readings", \.test.count),
      Column("mean", heading: "mean", \.test.mean),
      Column("mean_p", heading: "p", style: .significant(2), \.test.meanPValue.ifFinite),
      Column("variance", heading: "variance", \.test.variance),
      Column("variance_p", heading: "p", style: .significant(2), \.test.variancePValue),
      Column("shapiro_w", heading: "W", style: .decimals(4), \.test.normality?.statistic),
      Column("shapiro_p", heading: "p", style: .significant(2), \.test.normality?.pValue),
    ])
}

extension PredictiveCheck.Kind: ColumnValue {}
extension PopulationFit.Start.Origin: ColumnValue {}
extension CovariateSearch.Step.Phase: ColumnValue {}
extension PopulationMethod: ColumnValue {}
extension PopulationRanking.Standing: ColumnValue {}

// MARK: - Rows

extension PopulationAnswer.Fit {
  var status: String { fit.status?.rawValue ?? "evaluated" }

  static let statuses = FitStatus.allCases.filter { $0 != .failed }.map(\.rawValue) + ["evaluated"]

  /// The parameters of the residual error, with the standard errors of their logarithms.
  var residualErrors: [(rFactor: String, name: String, value: Double, error: Double?)] {
    let values = fit.values
    let errors = fit.uncertainty?.residual ?? [nil, nil]
    return [("sd", values.sd, errors[0]), ("cv", values.cv, errors[1])].filter { $0.1 > 0 }.map {
      (rFactor, $0, $1, $2)
    }
  }

  /// Two estimates by their indices among all, or one with itself.
  typealias EstimatePair = (rFactor: String, all: PopulationEstimates, first: Int, second: Int)

  var estimates: [EstimatePair] {
    fit.estimates.map { all in
      all.names.indices.flatMap { row in (0...row).map { (rFactor, all, row, $0) } }
    } ?? []
  }

  /// One parameter of one person, and its index among the random effects; nil without variation
  /// between people.
  typealias Individual = (
    rFactor: String, person: PopulationFit.Individual, parameter: PopulationParameter,
    value: Double, randomIndex: Int?, shrinkage: Double?
  )

  var individuals: [Individual] {
    fit.individuals.flatMap { person in
      zip(fit.model.parameters, person.values).map { parameter, value in
        let index = fit.model.random.firstIndex(of: parameter)
        return (
          rFactor, person, parameter, value, index,
          index.flatMap { fit.etaShrinkage(of: person, $0) }
        )
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

/// One of several parts of a population fit, and its index among them; tables have a row for each.
struct FitPart<Part: Sendable>: Sendable {
  let row: PopulationAnswer.Fit
  let index: Int
  let part: Part

  var rFactor: String { row.rFactor }
  var fit: PopulationFit { row.fit }

  static func all(_ row: PopulationAnswer.Fit, _ parts: [Part]) -> [Self] {
    parts.enumerated().map { Self(row: row, index: $0, part: $1) }
  }
}

extension FitPart<PopulationParameter> {
  /// True if there is a typical value; r has none if a method predicts it.
  var isTypical: Bool { fit.model.rFactor == nil || part != .kinetic(.r) }

  var typicalValue: Double { part.reportedValue(fit.typicalValue(index)) }

  /// The standard error of the typical value in percent of it.
  func typicalError(_ kind: KeyPath<PopulationFit, PopulationFit.Uncertainty?>) -> Double? {
    fit[keyPath: kind].flatMap { $0.typical[index] }.map { 100 * $0 }
  }

  var typicalInterval: Interval? {
    fit.typicalInterval(index)?.map(part.reportedValue)
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
  let first: PopulationParameter
  let second: PopulationParameter
  let covariance: Double
  let correlation: Double

  /// The entries of a covariance on and below its diagonal, but for those that the model has at zero.
  static func all(_ row: PopulationAnswer.Fit, between level: PopulationLevel) -> [Spread] {
    let parameters = row.fit.model[level]
    let matrix = row.fit.values[level]
    return parameters.indices.flatMap { i in
      (0...i).map { j in
        Spread(
          row: row, level: level, first: parameters[i], second: parameters[j],
          covariance: matrix[i, j],
          correlation: matrix[i, j] / (matrix[i, i] * matrix[j, j]).squareRoot())
      }
    }.filter {
      $0.isVariance || (level == .occasion ? row.fit.model.isFull : $0.covariance != 0)
    }
  }

  private var isVariance: Bool { first == second }

  // Of a variance alone.

  var variation: Double? { isVariance ? PopulationFit.percentVariation(covariance) : nil }

  var error: Double? { isVariance ? row.fit.variance(of: first, between: level)?.error : nil }

  var interval: Interval? { isVariance ? row.fit.varianceInterval(of: first, between: level) : nil }

  var bias: Double? { isVariance ? row.fit.varianceBias(of: first, between: level) : nil }

  /// The standard error from the sandwich, between people.
  var robust: Double? { randomIndex.flatMap { row.fit.sandwich?.between[$0].ifFinite } }

  var shrinkage: Double? { randomIndex.flatMap { row.fit.etaShrinkage[$0].ifFinite } }

  private var randomIndex: Int? { isVariance ? row.fit.model.random.firstIndex(of: first) : nil }
}
