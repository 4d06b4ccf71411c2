import AlcoholKinetics
import Estimation

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
