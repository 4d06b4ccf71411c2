/// A model of elimination after first-order absorption: the state of gut and blood of one person, and the properties of the
/// model.
///
/// A model is one file: a type that conforms to this protocol, its parameters, and a line in
/// ``EliminationModel/allCases``. Options, searches, reports, columns and help follow from that. Single curves are computed
/// in Swift, eight at once, for searches, in C.
package protocol EliminationKinetics: Sendable {
  /// The name in options and files.
  static var name: String { get }
  /// The name in prose, capitalised.
  static var title: String { get }
  /// The rate of elimination in words, as a continuation of "ethanol is eliminated".
  static var rate: String { get }
  /// The rate of elimination at a concentration in g/kg, in g/kg/h.
  static func eliminationRate(at concentration: Double, _ values: ParameterValues) -> Double
  /// The parameters of elimination, at most four, beside those that every model has.
  static var ownParameters: [FitParameter.Traits] { get }
  /// Whether curves are integrated numerically, so that accuracy costs time.
  static var isIntegrated: Bool { get }
  /// Whether Widmark's model is nested in the model, as the limit of one additional parameter, so that a likelihood-ratio
  /// test applies.
  static var hasWidmarkAsLimit: Bool { get }

  /// Makes the state before the first dose. The gain is not applied.
  init(_ values: ParameterValues)
  /// Advances by a time in h, 0 or more, under constant input.
  mutating func advance(by tau: Double)
  /// Applies a change of the input: boluses, and rates for `duration` hours.
  mutating func change(_ input: InputChange, for duration: Double)
  /// The concentration and its derivatives.
  var sample: CurveSample { get }
  /// Whether the curve could not be followed.
  var hasFailed: Bool { get }

  /// Writes the concentration and its derivatives at `count` ascending times in h, without allocating.
  ///
  /// - Returns: Whether there is a curve for these values and it could be followed.
  static func follow(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool

  /// Writes the concentration and its derivatives without the floor at zero, for models whose curves have one; otherwise as
  /// ``follow(_:_:at:count:into:)``.
  static func followUnstopped(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool

  /// Writes the concentrations and their derivatives of eight curves of the same regimen at once, without
  /// allocating. With doses into the blood all lanes have the same lag.
  ///
  /// A lane does not depend on the others. Where a curve cannot be followed, its concentrations are NaN. Lanes with NaN
  /// k_a are inactive.
  ///
  /// - Parameters:
  ///   - regimen: The doses.
  ///   - values: The parameters of the eight curves, by slot of ``ParameterValues``; the gain is not
  ///     applied.
  ///   - times: `count` times in h, ascending.
  ///   - count: The number of times.
  ///   - samples: `count` rows, each of the concentration and then its derivatives in the order of
  ///     `CurveSample`, as many as the model has parameters.
  ///   - toleranceFactor: The error estimate of a curve that is integrated may be this many times its usual bound.
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>,
    count: Int, into samples: UnsafeMutablePointer<Lanes>, toleranceFactor: Double
  )

  /// The times from which on eight curves of the same regimen stay at or below a threshold, without allocating.
  ///
  /// - Returns: Times in h on the regimen's clock; NaN where only the curve itself can tell, which is everywhere for models
  ///   without a fast formula.
  static func timesToThreshold(
    of regimen: Regimen, lanes values: UnsafePointer<Lanes>, _ threshold: GramsPerKilogram
  ) -> Lanes

  /// The curve of a regimen, with its values, peak and times to thresholds.
  ///
  /// - Throws: ``Problem`` for invalid values.
  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(Problem) -> any BloodCurve
}

extension EliminationKinetics {
  static var hasWidmarkAsLimit: Bool { false }
  static var isIntegrated: Bool { false }
  var hasFailed: Bool { false }

  static func timesToThreshold(
    of regimen: Regimen, lanes values: UnsafePointer<Lanes>, _ threshold: GramsPerKilogram
  ) -> Lanes {
    Lanes(repeating: .nan)
  }

  static func followUnstopped(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    follow(regimen, values, at: times, count: count, into: samples)
  }
}

/// A model of elimination, by its name.
public struct EliminationModel: CaseIterable, Sendable {
  /// The type that implements the model.
  package let kinetics: any EliminationKinetics.Type
  /// The traits of all parameters: those of every model, then the model's own. Derivatives are in this order.
  package let traits: [FitParameter.Traits]

  init(_ kinetics: any EliminationKinetics.Type) {
    self.kinetics = kinetics
    traits = FitParameter.shared + kinetics.ownParameters
  }

  /// All models, in the order in which they are compared.
  public static let allCases: [EliminationModel] = [
    .widmark,
    .michaelisMenten,
    .firstOrder,
  ]

  /// The name in prose, capitalised.
  public var title: String { kinetics.title }

  /// The symbols of absorption and elimination, for sentences: "k_a and beta".
  package var kineticSymbols: String {
    let symbols = [FitParameter.ka.symbol] + kinetics.ownParameters.map(\.symbol)
    return symbols.dropLast().joined(separator: ", ") + " and " + (symbols.last ?? "")
  }

  /// All parameters of the model.
  public var parameters: Set<FitParameter> { Set(traits.map(\.parameter)) }

  /// The parameters that are estimated by default: absorption and elimination.
  public var defaultEstimate: Set<FitParameter> {
    Set(kinetics.ownParameters.map(\.parameter) + [.ka])
  }
}

extension EliminationModel: RawRepresentable, Hashable, Codable {
  /// The model of a name; nil if there is none.
  public init?(rawValue: String) {
    guard let model = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = model
  }

  /// The name.
  public var rawValue: String { kinetics.name }

  public static func == (left: Self, right: Self) -> Bool { left.kinetics == right.kinetics }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(kinetics)) }
}

/// A curve at one time.
package struct CurveSample: Hashable, Sendable {
  /// Blood concentration, in g/kg.
  package let concentration: Double
  /// Its derivatives in g/kg per unit of the parameter, in the order of the model's parameters: by k_a;
  /// by a factor on all doses, which r divides; by the lag; none, in the place of the gain; by the
  /// model's own.
  package let derivatives: SIMD8<Double>

  package init(concentration: Double, derivatives: SIMD8<Double>) {
    self.concentration = concentration
    self.derivatives = derivatives
  }

  /// - Parameter byLag: At the instant of a drink, where the derivative jumps, the one from the right.
  init(
    _ concentration: Double, byKa: Double, byDoseScale: Double, byLag: Double,
    byOwn: (Double, Double)
  ) {
    self.concentration = concentration
    derivatives = SIMD8(byKa, byDoseScale, byLag, 0, byOwn.0, byOwn.1, 0, 0)
  }
}

/// The concentration in blood over time.
public protocol BloodCurve: Sendable {
  /// Whether the curve could not be computed, as of doses beyond the range of numbers.
  var hasFailed: Bool { get }
  /// Blood concentration at a time; 0 before the first dose, NaN if the curve has failed.
  func concentration(at time: Hours) -> GramsPerKilogram
  /// The highest concentration and the first time at which it is reached; nil if the blood is always
  /// empty or the curve has failed.
  var peak: Peak? { get }
  /// The time from which on the concentration stays at or below a threshold, on the regimen's clock; nil
  /// if it is never above, never falls to it, or if the curve has failed.
  func timeToThreshold(_ threshold: GramsPerKilogram) -> Hours?
}

extension Array {
  /// The last piece of a curve that begins at or before a time, of pieces in order of time.
  func last(from time: Hours, _ start: (Element) -> Double) -> Element? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if start(self[middle]) <= time.value { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? self[low - 1] : nil
  }
}

/// The highest point of a curve.
public struct Peak: Codable, Hashable, Sendable {
  /// The first time at which it is reached.
  public let time: Hours
  /// The concentration at that time.
  public let concentration: GramsPerKilogram
}
