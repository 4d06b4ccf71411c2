public import AlcoholKinetics
import RealModule

/// A quantity derived from the parameters of a fitted curve.
///
/// Times are in min since the first drink, concentrations those in blood, without the instrument's gain.
public enum DerivedQuantity: String, CaseIterable, Codable, Hashable, Sendable {
  /// The time at which the curve reaches zero for the last time; only in Widmark's model.
  case timeToZero = "time-to-zero"
  /// The time at which the curve falls to a threshold for the last time.
  case timeToThreshold = "time-to-threshold"
  /// The highest concentration.
  case peak
  /// The time at which the peak is first reached.
  case timeOfPeak = "time-of-peak"
  /// The straight line of Widmark's model, dose / (r x weight) - beta t with the time t since the start of absorption,
  /// extrapolated to the first drink. Nil for other models, and for a curve that was at zero between drinks.
  case c0
  /// The rate of elimination after absorption: beta of Widmark's model; for models whose rate depends on the
  /// concentration, the rate at 0.5 g/kg.
  case beta60
  /// The area under the whole curve; not for Michaelis-Menten elimination.
  case auc
  /// The half-life of absorption, ln 2 / k_a.
  case absorptionHalfLife = "absorption-half-life"

  /// The concentration, in g/kg, at which a concentration-dependent rate is reported.
  static let concentrationOfRate = 0.5

  /// The name at the head of a table.
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

  /// The unit of reported values.
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

  /// True if intervals are computed on the logarithmic scale: for all quantities but times on a clock.
  package var isLogarithmic: Bool {
    switch self {
    case .timeToZero, .timeToThreshold, .timeOfPeak: false
    case .peak, .c0, .beta60, .auc, .absorptionHalfLife: true
    }
  }
}

/// The derived quantities that a fit reports.
public struct DerivedOptions: Hashable, Sendable {
  /// The quantities, in the order of results.
  public let quantities: [DerivedQuantity]
  /// The threshold of ``DerivedQuantity/timeToThreshold``.
  public let threshold: GramsPerKilogram

  /// Selects quantities; by default none.
  public init(_ quantities: Set<DerivedQuantity> = [], threshold: GramsPerKilogram = 0) {
    self.quantities = DerivedQuantity.allCases.filter(quantities.contains)
    self.threshold = threshold
  }

  /// Selects the quantities of a list, and the time to a threshold in g/kg if one is given.
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
  /// True if the list is `all`.
  package let isAll: Bool

  package static let all = DerivedList(names: Set(DerivedQuantity.allCases), isAll: true)

  private init(names: Set<DerivedQuantity>, isAll: Bool) {
    self.names = names
    self.isAll = isAll
  }

  /// Lists the quantities of options, without the time to a threshold, which the threshold selects; nil if there are none.
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
    let selected = DerivedQuantity.allCases.filter(names.contains).map(\.rawValue)
    return selected.isEmpty ? "none" : selected.joined(separator: ",")
  }
}

extension DerivedQuantity {
  package static let namesInWords = allCases.map(\.rawValue).joined(separator: ", ")
}

/// A derived quantity of one fit, with its standard error and interval.
public struct DerivedEstimate: Codable, Hashable, Sendable {
  /// The quantity.
  public let quantity: DerivedQuantity
  /// Its value at the estimates, in ``DerivedQuantity/unit``; nil if the curve has none, and where a
  /// parameter that hit its search limit leaves it open on one side.
  public let value: Double?
  /// Its standard error by the delta method, in the same unit, for comparison with the interval; nil if there is
  /// none, or a parameter that matters is at a bound.
  public let standardError: Double?
  /// The lower end of the interval; nil if it is open, or if none was requested.
  public let low: Double?
  /// The upper end of the interval; nil if it is open, or if none was requested.
  public let high: Double?
  /// The threshold in g/kg; nil for quantities other than the time to a threshold.
  public let threshold: Double?
  /// True if it depends on estimated parameters; else it has no standard error and no interval.
  public let isEstimated: Bool
}

/// A derived quantity as a function of the parameters, for one regimen.
struct QuantityFunction {
  let quantity: DerivedQuantity
  let threshold: GramsPerKilogram
  let layout: ParameterLayout
  let regimen: Regimen

  /// Returns the value, times in h; nil if the curve has none.
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

  /// Returns the value on the scale on which intervals are computed: times in h, logarithms of other quantities.
  ///
  /// For a curve below the threshold the time of its peak is used, which makes the function continuous.
  func scaled(at coordinates: [Double]) -> Double? {
    let values = layout.values(at: coordinates)
    guard let value = value(values) else {
      guard quantity == .timeToThreshold || quantity == .timeToZero else { return nil }
      return time(in: values) { $0.peak?.time } ?? 0
    }
    guard quantity.isLogarithmic else { return value }
    return value > 0 ? .log(value) : nil
  }

  /// Converts a number on that scale to the unit of the quantity.
  func reported(scaled: Double) -> Double {
    reported(quantity.isLogarithmic ? .exp(scaled) : scaled)
  }

  /// Converts a value, times in h, to the unit of the quantity.
  func reported(_ value: Double) -> Double {
    quantity.unit == "min" ? Hours(value).minutes : value
  }

  /// Returns the derivatives by the coordinates, on that scale, by central differences within the bounds; nil where the
  /// curve has no value nearby.
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

  /// The cube root of the machine precision, which balances truncation and rounding errors of central differences.
  private static let step = 6e-6

  /// The only parameter on which the quantity depends, if it is estimated; else nil.
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

  /// Returns a time of the curve since the first drink, in h.
  private func time(in values: ParameterValues, _ time: (any BloodCurve) -> Hours?) -> Double? {
    guard let start = regimen.start, let curve = curve(values) else { return nil }
    return time(curve).map { $0.value - start.value }
  }

  /// Returns C0: the concentration if the whole dose were in the blood at the start of absorption, extrapolated back by the
  /// lag to the first drink.
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
