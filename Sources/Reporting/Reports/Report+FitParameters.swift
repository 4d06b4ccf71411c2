import AlcoholKinetics
import Estimation
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
    [
      Column("r", in: "kg/kg", heading: "r", style: .decimals(3), "r by the method") {
        value($0, .r)
      }
    ]
      + (kinetic + [.lag]).map { parameter in
        Column(
          parameter.columnName, in: parameter.columnUnit,
          "\(parameter.symbol) used for the prediction; empty if it hit a search limit"
        ) { row in value(row, parameter).map(parameter.reportedValue) }
      }
  }

  /// The stable name of the column with the value, its unit included.
  var columnName: String { traits.columnName }

  var meaning: String { traits.meaning }

  /// The unit of its columns; nil without any.
  var columnUnit: String? { reportedUnit.isEmpty ? nil : reportedUnit }

  /// Whether people are shown it even at its default.
  var isAlwaysShown: Bool { !traits.isUsuallyNeutral }

  /// The default value, which is not worth showing; nil if there is none.
  fileprivate var neutralValue: Double? { traits.isUsuallyNeutral ? traits.usualValue : nil }

  fileprivate var style: NumberStyle { traits.isTime ? .decimals(1) : .significant(3) }

  fileprivate func shown(_ value: Double) -> String { style.format(reportedValue(value)) }
}

extension SeriesFit {
  /// What people are shown of a parameter: never a value that the readings do not determine.
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
    "starts", "In JSON: a row per start of a fit.",
    columns: Series.identityColumns(isForPeople: false) { $0.fit.series } + [
      Column("start", "number of the start, from 1", \.number)
    ]
      + FitParameter.reported.map { parameter in
        Column(
          "start_\(parameter.columnName)", in: parameter.columnUnit,
          "\(parameter.symbol): starting value, if estimated"
        ) { estimated(parameter, in: $0.outcome.start, of: $0.fit) }
      }
      + FitParameter.reported.map { parameter in
        Column(
          "end_\(parameter.columnName)", in: parameter.columnUnit,
          "\(parameter.symbol): final value, if estimated; empty if it hit a search limit"
        ) { start in
          start.outcome.atLimit.contains(parameter)
            ? nil : estimated(parameter, in: start.outcome.end, of: start.fit)
        }
      } + [
        Column("objective", "minimised value reached", \.outcome.objective.ifFinite),
        Column("iterations", "iterations", \.outcome.iterations),
        Column("exit", "why the search ended", \.outcome.exitName),
        Column("found_best", "whether this start found the best minimum", \.outcome.foundBest),
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
    "correlations", "In JSON: a row per pair of estimates of a fit.",
    columns: Series.identityColumns(isForPeople: false) { $0.series } + [
      Column("parameter_a", "first parameter", \.first),
      Column("parameter_b", "second parameter", \.second),
      Column("correlation", "correlation of their estimates", \.value),
    ])

  static let covariances = TableLayout<EstimatePair>(
    "covariances",
    "In JSON: a row per element of the covariance matrix of the estimates of a fit, its lower half left out. "
      + "Parameters at a bound are not in it.",
    columns: Series.identityColumns(isForPeople: false) { $0.series } + [
      Column("parameter_a", "first parameter", \.first),
      Column("parameter_b", "second parameter; the first one again for its variance", \.second),
      Column("unit_a", "unit of the first parameter; empty without any", \.first.columnUnit),
      Column("unit_b", "unit of the second parameter; empty without any", \.second.columnUnit),
      Column(
        "covariance", "covariance of their estimates, in unit_a times unit_b", \.value.ifFinite),
    ])
}
