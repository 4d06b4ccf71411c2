public import AlcoholKinetics
import RealModule

/// What people ask of a fitted curve that is none of its parameters.
///
/// Times are in min since the first drink, concentrations those in blood, without the instrument's gain.
public enum DerivedQuantity: String, CaseIterable, Codable, Hashable, Sendable {
  /// When the curve comes to zero for good; only Widmark's model gets there.
  case timeToZero = "time-to-zero"
  /// When the curve comes to a threshold for good.
  case timeToThreshold = "time-to-threshold"
  /// The highest concentration.
  case peak
  /// When it is first reached.
  case timeOfPeak = "time-of-peak"
  /// What the straight line of Widmark's model, dose / (r x weight) - beta t with the time t since absorption
  /// began, is at the first drink. Other models have no such line, nor has a curve that was at zero in between.
  case c0
  /// The rate of elimination with absorption finished: beta of Widmark's model, and of models whose rate depends
  /// on the concentration the rate at 0.5 g/kg.
  case beta60
  /// The area under the whole curve; not of Michaelis-Menten elimination.
  case auc
  /// ln 2 / k_a.
  case absorptionHalfLife = "absorption-half-life"

  /// The concentration, in g/kg, at which a rate that depends on it is told.
  static let concentrationOfRate = 0.5

  /// What it is called at the head of a table.
  public var title: String {
    switch self {
    case .timeToZero: "time to zero"
    case .timeToThreshold: "time to threshold"
    case .peak: "peak"
    case .timeOfPeak: "time of peak"
    case .c0: "C0"
    case .beta60: "beta60"
    case .auc: "AUC"
    case .absorptionHalfLife: "absorption half-life"
    }
  }

  /// The unit of values.
  public var unit: String {
    switch self {
    case .timeToZero, .timeToThreshold, .timeOfPeak, .absorptionHalfLife: "min"
    case .peak, .c0: "g/kg"
    case .beta60: "g/kg/h"
    case .auc: "g h/kg"
    }
  }

  /// The stable name of columns, without the unit.
  public var columnStem: String { rawValue.replacing("-", with: "_") }

  /// The stable name of the column with the value.
  public var columnName: String {
    switch unit {
    case "min": columnStem + "_min"
    case "g/kg": columnStem + "_g_per_kg"
    case "g/kg/h": columnStem + "_g_per_kg_h"
    default: columnStem + "_g_h_per_kg"
    }
  }

  /// Whether intervals are symmetric about its logarithm next to the estimate: all but times on a clock.
  package var isLogarithmic: Bool {
    switch self {
    case .timeToZero, .timeToThreshold, .timeOfPeak: false
    case .peak, .c0, .beta60, .auc, .absorptionHalfLife: true
    }
  }
}

/// Which derived quantities a fit is asked for.
public struct DerivedOptions: Hashable, Sendable {
  /// The quantities, in the order of results.
  public let quantities: [DerivedQuantity]
  /// What ``DerivedQuantity/timeToThreshold`` asks for.
  public let threshold: GramsPerKilogram

  /// Asks for some quantities; by default for none.
  public init(_ quantities: Set<DerivedQuantity> = [], threshold: GramsPerKilogram = 0) {
    self.quantities = DerivedQuantity.allCases.filter(quantities.contains)
    self.threshold = threshold
  }

  /// Asks for what a list names, and for the time to a threshold if there is one.
  package init(_ list: DerivedList?, threshold: Double?) {
    let names = (list?.names ?? []).subtracting([.timeToThreshold])
    self.init(
      threshold == nil ? names : names.union([.timeToThreshold]),
      threshold: GramsPerKilogram(threshold ?? 0))
  }
}

/// Names of derived quantities: all, none, or some separated by commas.
package struct DerivedList: TextOption {
  package let names: Set<DerivedQuantity>
  /// Whether all were asked for, whatever they are.
  package let isAll: Bool

  package static let all = DerivedList(names: Set(DerivedQuantity.allCases), isAll: true)

  private init(names: Set<DerivedQuantity>, isAll: Bool) {
    self.names = names
    self.isAll = isAll
  }

  /// The quantities besides the time to a threshold, for which the threshold asks; nil if there are none.
  init?(_ options: DerivedOptions) {
    let names = Set(options.quantities).subtracting([.timeToThreshold])
    guard !names.isEmpty else { return nil }
    self.init(names: names, isAll: names.count == DerivedQuantity.allCases.count - 1)
  }

  package init(parsing text: String) throws(SeriesFailure) {
    let parts =
      text == "all" || text == "none"
      ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
    var names = text == "all" ? Self.all.names : []
    for part in parts {
      guard let quantity = DerivedQuantity(rawValue: String(part)) else {
        throw .badOptions(
          "\"\(part)\" is not a derived quantity; use all, or any of \(DerivedQuantity.namesInWords)."
        )
      }
      guard names.insert(quantity).inserted else { throw .badOptions("a quantity is named twice.") }
    }
    self.init(names: names, isAll: text == "all")
  }

  /// The names in the order of results.
  package var text: String {
    if isAll { return "all" }
    let known = DerivedQuantity.allCases.filter(names.contains).map(\.rawValue)
    return known.isEmpty ? "none" : known.joined(separator: ",")
  }
}

extension DerivedQuantity {
  package static let namesInWords = allCases.map(\.rawValue).joined(separator: ", ")
}

/// A derived quantity of one fit, and how far it can be believed.
public struct DerivedEstimate: Codable, Hashable, Sendable {
  /// Which quantity.
  public let quantity: DerivedQuantity
  /// Its value at the estimates, in ``DerivedQuantity/unit``; nil if the curve has none, and where a
  /// parameter that hit its search limit leaves it open on one side.
  public let value: Double?
  /// Its standard error by the delta method, in the same unit, for comparison with the interval; nil if there is
  /// none, or a parameter that matters is at a bound.
  public let standardError: Double?
  /// The low end of its interval; nil if the data set none, or if none was asked for.
  public let low: Double?
  /// The high end of its interval; nil if the data set none, or if none was asked for.
  public let high: Double?
  /// The threshold in g/kg that a time is about; nil of other quantities.
  public let threshold: Double?
  /// Whether it depends on estimated parameters; else it is as certain as what was fixed.
  public let isEstimated: Bool
}

/// A derived quantity as a function of the parameters, for one regimen.
struct QuantityFunction {
  let quantity: DerivedQuantity
  let threshold: GramsPerKilogram
  let layout: ParameterLayout
  let regimen: Regimen

  /// The value, times in h; nil if the curve has none.
  func value(_ values: ParameterValues) -> Double? {
    let value =
      switch quantity {
      case .timeToZero: time(in: values) { $0.timeToThreshold(0) }
      case .timeToThreshold: time(in: values) { $0.timeToThreshold(threshold) }
      case .timeOfPeak: time(in: values) { $0.peak?.time }
      case .peak: curve(values)?.peak?.concentration.value
      case .c0: elevation(values)
      case .beta60: rate(values)
      case .auc: area(values)
      case .absorptionHalfLife: regimen.isIntravenous ? nil : .log(2) / values[known: .ka]
      }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The value on the scale on which intervals are looked for: times in h, logarithms of the others.
  ///
  /// A curve that does not rise above the threshold comes to it at its peak, so that the function goes on there.
  func scaled(at coordinates: [Double]) -> Double? {
    let values = layout.values(at: coordinates)
    guard let value = value(values) else {
      guard quantity == .timeToThreshold || quantity == .timeToZero else { return nil }
      return time(in: values) { $0.peak?.time } ?? 0
    }
    guard quantity.isLogarithmic else { return value }
    return value > 0 ? .log(value) : nil
  }

  /// The value of a number on that scale, in the unit of the quantity.
  func reported(scaled: Double) -> Double {
    reported(quantity.isLogarithmic ? .exp(scaled) : scaled)
  }

  /// A value in the unit of the quantity.
  func reported(_ value: Double) -> Double {
    quantity.unit == "min" ? Hours(value).minutes : value
  }

  /// Derivatives by the coordinates, on that scale; nil where the curve has no value nearby. Each difference is
  /// taken within the bounds.
  func gradient(at coordinates: [Double]) -> [Double]? {
    var gradient: [Double] = []
    for index in coordinates.indices {
      var before = coordinates
      var after = coordinates
      before[index] = max(layout.lowest[index], coordinates[index] - Self.step)
      after[index] = min(layout.highest[index], coordinates[index] + Self.step)
      guard let low = scaled(at: before), let high = scaled(at: after) else { return nil }
      gradient.append((high - low) / (after[index] - before[index]))
    }
    return gradient
  }

  /// A central difference loses a third of the digits of a double this way, and as many by rounding.
  private static let step = 6e-6

  /// The one parameter on which the quantity depends, if it is one that is estimated.
  var onlyParameter: FitParameter? {
    let parameter: FitParameter? =
      switch quantity {
      case .absorptionHalfLife: .ka
      case .beta60 where layout.model == .widmark: .beta
      case .beta60 where layout.model == .firstOrder: .ke
      case .c0 where !layout.free.contains(.lag) && layout.held[known: .lag] == 0: .r
      default: nil
      }
    return parameter.flatMap { layout.free.contains($0) ? $0 : nil }
  }

  private func curve(_ values: ParameterValues) -> (any BloodCurve)? {
    let curve = try? ModelParameters(layout.model, known: values).curve(of: regimen)
    return curve.flatMap { $0.hasFailed ? nil : $0 }
  }

  /// A time on the clock of the regimen since the first drink, in h.
  private func time(in values: ParameterValues, _ time: (any BloodCurve) -> Hours?) -> Double? {
    guard let start = regimen.start, let curve = curve(values) else { return nil }
    return time(curve).map { $0.value - start.value }
  }

  /// What has to be eliminated, had all been in the blood when absorption began; later by the lag, it is more at
  /// the first drink.
  private func elevation(_ values: ParameterValues) -> Double? {
    guard layout.model == .widmark, let curve = curve(values) as? Trajectory,
      curve.crossings(of: 0).count(where: \.isFalling) == 1
    else { return nil }
    let lag = regimen.hasIntravenous ? 0 : values[known: .lag]
    return regimen.total.value / values[known: .r] + values[known: .beta] * lag
  }

  private func rate(_ values: ParameterValues) -> Double {
    layout.model.kinetics.eliminationRate(at: DerivedQuantity.concentrationOfRate, values)
  }

  private func area(_ values: ParameterValues) -> Double? {
    switch layout.model {
    case .widmark: (curve(values) as? Trajectory)?.area().value
    case .firstOrder: regimen.total.value / (values[known: .r] * values[known: .ke])
    default: nil
    }
  }
}
