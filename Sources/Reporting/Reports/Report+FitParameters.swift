import AlcoholKinetics
import Estimation

extension FitParameter {
  /// The order of columns: r stands behind the method that gave it, and the others follow.
  static let reported = [FitParameter.r] + allCases.sorted().filter { $0 != .r }

  /// The order in which people read them: absorption, elimination, distribution, the rest.
  static let forPeople: [FitParameter] = [.ka, .beta, .vmax, .km, .r, .lag, .gain]

  /// The stable name of the column with the value, its unit included.
  var columnName: String {
    switch self {
    case .ka: "ka_per_h"
    case .beta: "beta_g_per_kg_h"
    case .r: "r"
    case .lag: "lag_min"
    case .gain: "gain"
    case .vmax: "vmax_g_per_kg_h"
    case .km: "km_g_per_kg"
    }
  }

  /// The unit of ``reportedValue(_:)``; empty for the gain.
  var reportedUnit: String {
    switch self {
    case .ka: "1/h"
    case .lag: "min"
    case .beta, .r, .gain, .vmax, .km: unit
    }
  }

  /// A value as results carry it: all times are in min.
  func reportedValue(_ value: Double) -> Double {
    self == .lag ? Hours(value).minutes : value
  }

  /// Whether people are shown it also where it is what it is unless something else is said.
  var isAlwaysShown: Bool { self != .lag && self != .gain }

  /// The value that goes without saying; nil if there is none.
  fileprivate var neutralValue: Double? {
    switch self {
    case .lag: 0
    case .gain: 1
    case .ka, .beta, .r, .vmax, .km: nil
    }
  }

  fileprivate func shown(_ value: Double) -> String {
    let style: NumberStyle = self == .lag ? .decimals(1) : .significant(3)
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
    let low = low.flatMap { $0 > 0 || parameter == .lag ? parameter.shown($0) : nil }
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
