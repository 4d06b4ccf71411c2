import RealModule

/// A parameter of a model that a fit can estimate or hold fixed.
///
/// Its `Traits` are in the table of its model, from which options, searches, reports, columns and help are
/// made. Every model has k_a, r, the lag and the gain.
public struct FitParameter: Hashable, Sendable {
  /// The position among all parameters, which is the order of results and the slot in ``ParameterValues``.
  let position: Int

  /// The properties of a parameter.
  package struct Traits: Sendable {
    /// The parameter.
    package let parameter: FitParameter
    /// The name in options, files and messages, in lower-case letters.
    package let name: String
    /// The symbol that the literature uses.
    package let symbol: String
    /// The unit of the values; empty for the gain.
    package let unit: String
    /// The stable name of the column with the value, its unit included.
    package let columnName: String
    /// The default fixed value; nil if the parameter must be given or estimated, or its default comes from elsewhere: r from a
    /// method, k_a and beta from ``TypicalKinetics``.
    package var usualValue: Double?
    /// Whether only values other than ``usualValue`` are shown in reports.
    package var isUsuallyNeutral = false
    /// The default bounds of a fit.
    package let bounds: ClosedRange<Double>
    /// The range of starts: a little wider than plausible, since the minimum may be outside.
    package let startRange: ClosedRange<Double>
    /// A typical value, over fasting and social drinking, from which searches start. It is also the default of V_max, K_m and
    /// k_e in predictions.
    package let typicalValue: Double
    /// Whether the parameter can be zero and is therefore estimated on its own scale. All others are estimated as logarithms,
    /// which keeps them positive and suits their skewed distributions.
    package var canBeZero = false
    /// Whether the parameter is a time, in h, that reports state in min.
    package var isTime = false
  }
}

extension FitParameter {
  /// The absorption rate constant k_a, in 1/h.
  public static let ka = FitParameter(position: 0)
  /// The distribution factor r, in kg/kg.
  public static let r = FitParameter(position: 2)
  /// The time between drinking and the start of absorption, in h.
  public static let lag = FitParameter(position: 3)
  /// The gain: the reading of the instrument at a concentration of 1.
  public static let gain = FitParameter(position: 4)

  /// The traits of the parameters of every model.
  static let shared: [Traits] = [
    // At k_a 1000 /h half a drink is absorbed in two and a half seconds; more would change nothing.
    Traits(
      parameter: .ka, name: "ka", symbol: "k_a", unit: "/h", columnName: "ka_per_h",
      bounds: 1e-3...1e3, startRange: 0.3...40, typicalValue: 6),
    Traits(
      parameter: .r, name: "r", symbol: "r", unit: "kg/kg", columnName: "r",
      bounds: 0.01...10, startRange: 0.35...1.1, typicalValue: 0.65),
    Traits(
      parameter: .lag, name: "lag", symbol: "lag", unit: "h", columnName: "lag_min", usualValue: 0,
      isUsuallyNeutral: true, bounds: 0...3, startRange: 0...0.5,
      typicalValue: 0.05, canBeZero: true, isTime: true),
    Traits(
      parameter: .gain, name: "gain", symbol: "gain", unit: "", columnName: "gain", usualValue: 1,
      isUsuallyNeutral: true, bounds: 0.01...100, startRange: 0.5...2,
      typicalValue: 1),
  ]

  /// The traits of all parameters, by position.
  private static let traits: [Traits] = {
    let all = shared + EliminationModel.allCases.flatMap { $0.kinetics.ownParameters }
    return all.sorted { $0.parameter < $1.parameter }
  }()

  /// The properties of the parameter.
  package var traits: Traits { Self.traits[position] }
}

extension FitParameter: CaseIterable, Comparable, RawRepresentable, Codable,
  CodingKeyRepresentable
{
  /// All parameters of all models, in the order of results.
  public static var allCases: [FitParameter] { traits.map(\.parameter) }

  /// The parameter of a name; nil if there is none.
  public init?(rawValue: String) {
    guard let match = Self.traits.first(where: { $0.name == rawValue }) else { return nil }
    self = match.parameter
  }

  /// The name.
  public var rawValue: String { traits.name }

  public static func == (left: Self, right: Self) -> Bool { left.position == right.position }
  public static func < (left: Self, right: Self) -> Bool { left.position < right.position }
  public func hash(into hasher: inout Hasher) { hasher.combine(position) }
}

extension FitParameter {
  /// The symbol that the literature uses.
  public var symbol: String { traits.symbol }

  /// The unit of the values; empty for the gain.
  public var unit: String { traits.unit }

  /// The default bounds of a fit, in the parameter's unit.
  public var defaultBounds: ClosedRange<Double> { traits.bounds }

  /// Whether fits estimate the logarithm.
  package var isLogarithmic: Bool { !traits.canBeZero }

  /// The coordinate of a value in a fit: its logarithm, or itself.
  package func coordinate(of value: Double) -> Double {
    isLogarithmic ? .log(value) : value
  }

  /// The value at a coordinate.
  package func value(at coordinate: Double) -> Double {
    isLogarithmic ? .exp(coordinate) : coordinate
  }

  /// The standard error of a value from that of its coordinate (delta method).
  package func standardError(ofCoordinate error: Double, at value: Double) -> Double {
    isLogarithmic ? error * value : error
  }

  /// The unit in reports and files: times are in min.
  package var reportedUnit: String { traits.isTime ? "min" : unit == "/h" ? "1/h" : unit }

  /// A value in ``reportedUnit``.
  package func reportedValue(_ value: Double) -> Double {
    traits.isTime ? Hours(value).minutes : value
  }

  /// The value, in the parameter's unit, of a number in ``reportedUnit``.
  package func value(reported number: Double) -> Double {
    traits.isTime ? Hours(minutes: number).value : number
  }

  /// Whether a number is a valid value.
  package func allows(_ value: Double) -> Bool {
    value.isFinite && (value > 0 || (value == 0 && traits.canBeZero))
  }
  /// Throws unless a number is a valid value.
  func check(_ value: Double) throws(Problem) {
    guard allows(value) else {
      throw .outOfRange(
        name: [symbol, unit].filter { !$0.isEmpty }.joined(separator: " in "), value: value,
        allowed: traits.canBeZero ? "0 or more" : "positive")
    }
  }
}
