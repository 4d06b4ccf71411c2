import AlcoholKinetics
import Estimation
public import Population

/// The diagnostics of a population fit, with the name of its method for r.
public struct JudgedPopulation: Sendable {
  /// The name; `none` where r has a typical value.
  public let rFactor: String
  /// What the readings say of the fit.
  public let diagnostics: PopulationDiagnostics

  public init(rFactor: String, _ diagnostics: PopulationDiagnostics) {
    self.rFactor = rFactor
    self.diagnostics = diagnostics
  }

  /// What there is to say of them, in a sentence each.
  public var remarks: [String] {
    var remarks = [String]()
    let rows = diagnostics.predictiveCheck.rows
    for kind in PredictiveCheck.Kind.allCases {
      let own = rows.filter { $0.kind == kind }
      guard !own.isEmpty else { continue }
      remarks.append(
        "predictive check (\(kind.rawValue)): \(own.count(where: \.isInside)) of \(own.count) values "
          + "inside their 95 % bands")
    }
    let without = diagnostics.readings.count { $0.npde == nil }
    if without > 0 {
      remarks.append(
        "\(without) readings have no NPDE: the covariance of their simulated readings is singular; raise "
          + "--simulations above twice the \(diagnostics.mostReadings) readings of a person, or estimate "
          + "a residual error")
    } else if diagnostics.simulations < 10 * diagnostics.mostReadings {
      remarks.append(
        "NPDE are rough: a person has \(diagnostics.mostReadings) readings; take --simulations "
          + "\(10 * diagnostics.mostReadings) or more")
    }
    return remarks
  }
}

extension Report {
  /// The tables of diagnostics; empty ones without any.
  static func diagnosticSections(_ judged: JudgedPopulation?) -> [Section] {
    let diagnostics = judged?.diagnostics
    let name = judged?.rFactor ?? ""
    return [
      Section(
        standardNormality,
        rows: [("cwres", diagnostics?.cwres), ("npde", diagnostics?.npde)].compactMap {
          kind, test in
          test.map { (rFactor: name, residual: kind, test: $0) }
        }),
      Section(
        etaCovariates,
        rows: (diagnostics?.covariates ?? []).map { (rFactor: name, value: $0) }),
      Section(
        predictiveChecks,
        rows: (diagnostics?.predictiveCheck.rows ?? []).map { (rFactor: name, value: $0) }),
      predictions(of: judged),
    ]
  }

  /// Every reading with its predictions and residuals.
  static func predictions(of judged: JudgedPopulation?) -> Section {
    Section(
      predictions,
      rows: (judged?.diagnostics.readings ?? []).map {
        (rFactor: judged?.rFactor ?? "", value: $0)
      })
  }

  /// The file of `--residuals`.
  public static func residuals(of judged: JudgedPopulation) -> Table {
    predictions(of: judged).table
  }

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
