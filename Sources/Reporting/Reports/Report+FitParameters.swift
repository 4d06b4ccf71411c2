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

  /// The columns of what curves were predicted with beside r.
  static func kineticColumns<Row>(
    _ parameters: @escaping @Sendable (Row) -> ModelParameters?
  ) -> [Column<Row>] {
    kinetic.map { parameter in
      Column(parameter.columnName) { row in
        .number(parameters(row)?[parameter].map(parameter.reportedValue))
      }
    }
  }

  /// The stable name of the column with the value, its unit included.
  var columnName: String { traits.columnName }

  /// Whether people are shown it also where it is what it is unless something else is said.
  var isAlwaysShown: Bool { !traits.isUsuallyNeutral }

  /// The value that goes without saying; nil if there is none.
  fileprivate var neutralValue: Double? { traits.isUsuallyNeutral ? traits.usualValue : nil }

  fileprivate func shown(_ value: Double) -> String {
    let style: NumberStyle = traits.isTime ? .decimals(1) : .significant(3)
    return style.format(reportedValue(value))
  }
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
  /// Whether the readings determine it; nil if this was not examined.
  var verdict: String? { isIdentifiable.map { $0 ? "yes" : "no" } }

  fileprivate func shown(_ parameter: FitParameter) -> String {
    guard low != nil || high != nil else { return shownWithError(parameter) }
    // An end beyond the range of numbers is none.
    let low = low.flatMap { $0 > 0 || parameter.traits.canBeZero ? parameter.shown($0) : nil }
    let high = high.flatMap { $0.isFinite ? parameter.shown($0) : nil }
    switch (low, high) {
    case (let low?, let high?): return "\(parameter.shown(value)) (\(low)-\(high))"
    case (let low?, nil): return "> \(low)"
    case (nil, let high?): return "< \(high)"
    case (nil, nil): return "?"
    }
  }

  private func shownWithError(_ parameter: FitParameter) -> String {
    guard isIdentifiable != false, !isAtBound else { return "?" }
    let error = standardError.map { NumberStyle.significant(2).format(parameter.reportedValue($0)) }
    return "\(parameter.shown(value)) +- \(error ?? "?")"
  }
}

/// One start of one fit, as a row.
struct FitStart {
  let series: Series
  /// Counted from 1.
  let number: Int
  let estimated: Set<FitParameter>
  let outcome: StartOutcome

  static func all(of fit: StudyFit) -> [FitStart] {
    guard let value = fit.result.value else { return [] }
    return value.starts.enumerated().map { index, outcome in
      FitStart(
        series: fit.series, number: index + 1, estimated: Set(value.estimates.keys),
        outcome: outcome)
    }
  }

  static let columns: [Column<FitStart>] =
    Series.namesForPrograms { $0.series } + [Column("start") { .integer($0.number) }]
    + FitParameter.reported.map { parameter in
      Column("start_\(parameter.columnName)") { $0.cell(parameter, $0.outcome.start) }
    }
    + FitParameter.reported.map { parameter in
      Column("end_\(parameter.columnName)") { $0.cell(parameter, $0.outcome.end) }
    } + outcomeColumns

  private static let outcomeColumns: [Column<FitStart>] = [
    Column("objective") { .number($0.outcome.objective) },
    Column("iterations") { .integer($0.outcome.iterations) },
    Column("exit") { .text($0.outcome.exitName) },
    Column("found_best") { .text($0.outcome.foundBest ? "yes" : "no") },
  ]

  /// The value of a parameter that was estimated.
  private func cell(_ parameter: FitParameter, _ values: ParameterValues) -> Cell {
    guard estimated.contains(parameter) else { return .missing }
    return .number(values[parameter].map(parameter.reportedValue))
  }
}

/// The correlation of two estimates of one fit, as a row.
struct FitCorrelation {
  let series: Series
  let first: FitParameter
  let second: FitParameter
  let value: Double

  /// Every pair once.
  static func all(of fit: StudyFit) -> [FitCorrelation] {
    guard let diagnostics = fit.result.value?.diagnostics,
      let correlation = diagnostics.correlation
    else { return [] }
    let parameters = diagnostics.parameters
    return parameters.indices.flatMap { row in
      parameters.indices.dropFirst(row + 1).map { column in
        FitCorrelation(
          series: fit.series, first: parameters[row], second: parameters[column],
          value: correlation[row * parameters.count + column])
      }
    }
  }

  static let columns: [Column<FitCorrelation>] =
    Series.namesForPrograms { $0.series } + [
      Column("parameter_a") { .text($0.first.rawValue) },
      Column("parameter_b") { .text($0.second.rawValue) },
      Column("correlation") { .number($0.value) },
    ]
}

extension Series {
  /// Subject and occasion, in tables that people are not shown.
  fileprivate static func namesForPrograms<Row>(
    _ series: @escaping @Sendable (Row) -> Series
  ) -> [Column<Row>] {
    [
      Column("subject") { .text(series($0).subject.id) },
      Column("occasion") { .words(series($0).occasion) },
    ]
  }
}
