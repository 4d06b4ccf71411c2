import AlcoholKinetics
import Estimation
import Population
import StudyData

extension FitParameter {
  /// The order of columns: r stands behind the method that gave it, and the others follow.
  static let reported = [FitParameter.r] + allCases.filter { $0 != .r }

  /// The order in which people read them: absorption, elimination, distribution, the rest.
  static let forPeople = kinetic + [.r, .lag, .gain]

  /// Absorption and elimination, by any model.
  static let kinetic: [FitParameter] =
    [.ka] + allCases.filter { ![.ka, .r, .lag, .gain].contains($0) }

  /// The columns of what curves were predicted with; no value where it hit a search limit.
  static func predictionColumns<Row>(
    _ value: @escaping @Sendable (Row, FitParameter) -> Double?
  ) -> [Column<Row>] {
    [Column("r", heading: "r", style: .decimals(3)) { value($0, .r) }]
      + (kinetic + [.lag]).map { parameter in
        Column(parameter.columnName) { row in value(row, parameter).map(parameter.reportedValue) }
      }
  }

  /// The stable name of the column with the value, its unit included.
  var columnName: String { traits.columnName }

  /// The unit of its columns; nil without any.
  var columnUnit: String? { reportedUnit.isEmpty ? nil : reportedUnit }

  /// True if people are shown it even at its default.
  var isAlwaysShown: Bool { !traits.isUsuallyNeutral }

  /// The default value, which is not worth showing; nil if there is none.
  fileprivate var neutralValue: Double? { traits.isUsuallyNeutral ? traits.usualValue : nil }

  fileprivate var style: NumberStyle { traits.isTime ? .decimals(1) : .significant(3) }

  fileprivate func shown(_ value: Double) -> String { style.format(reportedValue(value)) }
}

extension SeriesFit {
  /// The value with its interval, for people: never a value that the readings do not determine.
  func shown(_ parameter: FitParameter) -> String? {
    guard let value = values[parameter] else { return nil }
    guard let estimate = estimates[parameter] else {
      return value == parameter.neutralValue ? nil : parameter.shown(value)
    }
    return estimate.shown(parameter)
  }

  /// The standard deviation at zero where it is not the whole of the error.
  var shownSDAtZero: String? {
    guard let sd = noise?.sd, noise?.cv != nil else { return nil }
    return NumberStyle.significant(2).format(sd)
  }
}

extension ParameterEstimate {
  fileprivate func shown(_ parameter: FitParameter) -> String {
    guard low != nil || high != nil else { return shownWithError(parameter) }
    // An end beyond the range of numbers is none.
    let low = low.flatMap { $0 > 0 || parameter.traits.canBeZero ? $0 : nil }
    let high = high.flatMap { $0.isFinite ? $0 : nil }
    let ends = parameter.style.range(
      low.map(parameter.reportedValue), high.map(parameter.reportedValue))
    guard let ends, low != nil, high != nil, !isAtBound, !isInValley else { return ends ?? "?" }
    return "\(parameter.shown(value)) (\(ends))"
  }

  private func shownWithError(_ parameter: FitParameter) -> String {
    guard isIdentifiable != false, !isAtBound else { return "?" }
    let error = standardError.map { NumberStyle.significant(2).format(parameter.reportedValue($0)) }
    return "\(parameter.shown(value)) +- \(error ?? "?")"
  }
}

extension Report {
  /// One start of one fit, counted from 1.
  typealias Start = (fit: StudyFit, number: Int, outcome: StartOutcome)

  static func starts(of fit: StudyFit) -> [Start] {
    (fit.result.value?.starts ?? []).enumerated().map { (fit, $0 + 1, $1) }
  }

  static let starts = TableLayout<Start>(
    "starts",
    columns: Series.identityColumns(isForPeople: false) { $0.fit.series } + [
      Column("start", \.number)
    ]
      + FitParameter.reported.map { parameter in
        Column("start_\(parameter.columnName)") {
          estimated(parameter, in: $0.outcome.start, of: $0.fit)
        }
      }
      + FitParameter.reported.map { parameter in
        Column("end_\(parameter.columnName)") { start in
          start.outcome.atLimit.contains(parameter)
            ? nil : estimated(parameter, in: start.outcome.end, of: start.fit)
        }
      } + [
        Column("objective", \.outcome.objective.ifFinite),
        Column("iterations", \.outcome.iterations),
        Column("exit", \.outcome.exitName),
        Column("found_best", \.outcome.foundBest),
      ])

  /// The value of a parameter that a fit estimated.
  private static func estimated(
    _ parameter: FitParameter, in values: ParameterValues, of fit: StudyFit
  ) -> Double? {
    guard fit.estimate(parameter) != nil else { return nil }
    return values[parameter].map(parameter.reportedValue)
  }

  /// A number for two estimates of one fit: their correlation or covariance.
  typealias EstimatePair = (
    series: Series, first: FitParameter, second: FitParameter, value: Double
  )

  static func correlations(of fit: StudyFit) -> [EstimatePair] {
    guard let diagnostics = fit.result.value?.diagnostics, let values = diagnostics.correlation
    else { return [] }
    let parameters = diagnostics.parameters
    return triangle(fit.series, parameters, from: 1) { values[$0 * parameters.count + $1] }
  }

  /// The diagonal and every pair once, in the units in which results have the parameters.
  static func covariances(of fit: StudyFit) -> [EstimatePair] {
    guard let value = fit.result.value, let covariance = value.covariance else { return [] }
    let parameters = covariance.parameters
    // By the delta method, as standard errors are.
    let scales = parameters.map { parameter in
      parameter.reportedValue(
        parameter.standardError(ofCoordinate: 1, at: value.values[parameter] ?? .nan))
    }
    return triangle(fit.series, parameters, from: 0) {
      covariance.values[$0 * parameters.count + $1] * scales[$0] * scales[$1]
    }
  }

  /// The upper triangle of a matrix, from the diagonal or from beside it.
  private static func triangle(
    _ series: Series, _ parameters: [FitParameter], from first: Int,
    _ value: (_ row: Int, _ column: Int) -> Double
  ) -> [EstimatePair] {
    parameters.indices.flatMap { row in
      parameters.indices.dropFirst(row + first).map { column in
        (series, parameters[row], parameters[column], value(row, column))
      }
    }
  }

  static let correlations = TableLayout<EstimatePair>(
    "correlations",
    columns: Series.identityColumns(isForPeople: false) { $0.series } + [
      Column("parameter_a", \.first),
      Column("parameter_b", \.second),
      Column("correlation", \.value),
    ])

  static let covariances = TableLayout<EstimatePair>(
    "covariances",
    columns: Series.identityColumns(isForPeople: false) { $0.series } + [
      Column("parameter_a", \.first),
      Column("parameter_b", \.second),
      Column("unit_a", \.first.columnUnit),
      Column("unit_b", \.second.columnUnit),
      Column("covariance", \.value.ifFinite),
    ])

  static let derived = TableLayout<(fit: StudyFit, estimate: DerivedEstimate)>(
    "derived",
    columns: Series.identityColumns { $0.fit.series } + [
      Column("quantity", \.estimate.quantity),
      Column(forPeople: "quantity") { row in
        let threshold = row.estimate.threshold.map {
          " \(NumberStyle.significant(3).format($0))"
        }
        return row.estimate.quantity.title + (threshold ?? "")
      },
      Column(forPeople: "value") { $0.fit.kept?.value.shown($0.estimate) },
      Column("unit", heading: "unit", \.estimate.quantity.unit),
      Column("threshold_g_per_kg", \.estimate.threshold),
      Column("value", \.estimate.value),
      Column("se", \.estimate.standardError),
      Column(forPeople: "SE (delta)", style: .significant(2), \.estimate.standardError),
      Column("low", \.estimate.low),
      Column("high", \.estimate.high),
    ])
}

extension SeriesFit {
  /// The derived quantity with its interval, for people: never a value that the readings do not
  /// determine.
  func shown(_ estimate: DerivedEstimate) -> String? {
    let style: NumberStyle = estimate.quantity.unit == "min" ? .decimals(1) : .significant(3)
    let value = estimate.value.map { style.format($0) }
    guard estimate.isEstimated else { return value }
    if let ends = style.range(estimate.low, estimate.high) {
      guard let value, estimate.low != nil, estimate.high != nil else { return ends }
      return "\(value) (\(ends))"
    }
    // Profiles and replicates that set no end say more than a covariance.
    let isExamined = estimates.values.contains { $0.isIdentifiable != nil }
    guard !isExamined, let value, let error = estimate.standardError else { return "?" }
    return "\(value) +- \(NumberStyle.significant(2).format(error))"
  }
}

extension Report {
  /// Columns for derived quantities in rows of fits, after all others; none if none was asked for.
  static func derivedColumns(of options: FitOptions) -> [Column<StudyFit>] {
    let quantities = options.derived.quantities
    return quantities.isEmpty ? [] : derivedColumns(quantities, of: options)
  }

  /// Columns for some quantities; of fits by any options, for nil.
  static func derivedColumns(
    _ quantities: [DerivedQuantity], of options: FitOptions?
  ) -> [Column<StudyFit>] {
    relativeErrorColumns(of: options) + quantities.flatMap(columns)
  }

  private static func relativeErrorColumns(of options: FitOptions?) -> [Column<StudyFit>] {
    parameters(of: options).map { parameter in
      Column(
        "\(parameter.rawValue)_rse_pct", isDetail: options?.estimate.contains(parameter) == false
      ) { fit -> Double? in
        guard let value = fit.kept?.value, !value.derived.isEmpty,
          let estimate = value.estimates[parameter], let error = estimate.standardError
        else { return nil }
        return (100 * error / estimate.value).ifFinite
      }
    }
  }

  private static func columns(of quantity: DerivedQuantity) -> [Column<StudyFit>] {
    let name = quantity.columnStem
    let estimate: @Sendable (StudyFit) -> DerivedEstimate? = { fit in
      fit.kept?.value.derived.first { $0.quantity == quantity }
    }
    let threshold: [Column<StudyFit>] =
      quantity == .timeToThreshold
      ? [Column("threshold_g_per_kg") { estimate($0)?.threshold }] : []
    return threshold + [
      Column(quantity.columnName) { estimate($0)?.value },
      Column("\(name)_se") { estimate($0)?.standardError },
      Column("\(name)_low") { estimate($0)?.low },
      Column("\(name)_high") { estimate($0)?.high },
    ]
  }

  /// The posterior of one parameter of one fit.
  typealias PosteriorRow = (
    series: Series, parameter: FitParameter, estimate: ParameterEstimate, learnedFrom: Int?
  )

  /// Every parameter of a fit that a prior is about.
  static func posteriors(of fit: StudyFit, _ options: FitOptions) -> [PosteriorRow] {
    let people = (options.prior as? LearnedPriors)?.peopleCount(for: fit.series)
    return (fit.result.value?.estimates ?? [:]).filter { $0.value.priorRatio != nil }
      .sorted { $0.key < $1.key }.map { (fit.series, $0.key, $0.value, people) }
  }

  static let posterior = TableLayout<PosteriorRow>(
    "posterior",
    columns: Series.identityColumns { $0.series } + [
      Column("parameter", heading: "parameter", \.parameter),
      Column("unit", heading: "unit", \.parameter.columnUnit),
      Column("value", heading: "mode") { $0.parameter.reportedValue($0.estimate.value) },
      Column("low", heading: "low") { $0.estimate.low.map($0.parameter.reportedValue) },
      Column("high", heading: "high") { $0.estimate.high.map($0.parameter.reportedValue) },
      Column(
        "sd_over_prior_sd", heading: "SD / prior SD", style: .decimals(2), \.estimate.priorRatio),
      Column("verdict", oneOf: ["determined", "prior-dominated"], heading: "verdict") {
        $0.estimate.isPriorDominated == true ? "prior-dominated" : "determined"
      },
      Column("learned_from", \.learnedFrom),
    ])

  /// The ratio of posterior to prior standard deviation, a column for each parameter, and the number of people that the
  /// prior learned from, if it did.
  static func priorColumns(of options: FitOptions?) -> [Column<StudyFit>] {
    let learned = options?.prior as? LearnedPriors
    return parameters(of: options).map { parameter in
      Column(
        "\(parameter.rawValue)_sd_over_prior_sd",
        isDetail: options?.estimate.contains(parameter) == false
      ) {
        $0.result.value?.estimates[parameter]?.priorRatio
      }
    }
      + (options == nil || learned != nil
        ? [Column("learned_from") { learned?.peopleCount(for: $0.series) }] : [])
  }
}
