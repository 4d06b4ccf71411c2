/// The parameters of Widmark's model for one person.
public struct KineticParameters: Hashable, Sendable {
  /// First-order absorption rate constant k_a; positive.
  public let ka: PerHour
  /// Zero-order elimination rate beta; positive.
  public let beta: GramsPerKilogramHour
  /// Distribution factor r; positive.
  public let r: RFactor
  /// Time between drinking and the start of absorption; not negative.
  public let lag: Hours
  /// Fraction F of the dose that reaches the blood; above 0, at most 1.
  public let absorbedFraction: Double

  /// Checks and keeps the parameters.
  ///
  /// - Throws: ``KineticsError/outOfRange(name:value:allowed:)`` for a value that is not finite or
  ///   outside the range stated at its property.
  public init(
    ka: PerHour,
    beta: GramsPerKilogramHour,
    r: RFactor,
    lag: Hours = 0,
    absorbedFraction: Double = 1
  ) throws(KineticsError) {
    self.ka = PerHour(try ka.value.checked("k_a in 1/h", "positive") { $0 > 0 })
    self.beta = GramsPerKilogramHour(
      try beta.value.checked("beta in g/kg/h", "positive") { $0 > 0 })
    self.r = RFactor(try r.value.checked("r in kg/kg", "positive") { $0 > 0 })
    self.lag = Hours(try lag.value.checked("lag in h", "0 or more") { $0 >= 0 })
    self.absorbedFraction = try absorbedFraction.checked(
      "absorbed fraction", "above 0 and at most 1"
    ) { $0 > 0 && $0 <= 1 }
  }

  /// Blood concentration that 1 g of ethanol per kg of body weight amounts to, F / r.
  var concentrationPerDose: Double { absorbedFraction / r.value }
}

extension KineticParameters {
  /// Widmark's values among those of a model; the parameters that this one has.
  package init(_ values: ParameterValues) throws(KineticsError) {
    try self.init(
      ka: PerHour(values[known: .ka]), beta: GramsPerKilogramHour(values[known: .beta]),
      r: RFactor(values[known: .r]), lag: Hours(values[known: .lag]))
  }
}

// MARK: - As a model

extension FitParameter {
  /// The elimination rate beta of Widmark's model, in g/kg/h.
  public static let beta = FitParameter(position: 1)
}

extension EliminationModel {
  /// Elimination at the constant rate beta until nothing is left (Widmark 1932).
  public static let widmark = EliminationModel(WidmarkKinetics.self)
}

/// Widmark's model: see ``CurveWalk`` and ``Trajectory``.
enum WidmarkKinetics: EliminationKinetics {
  static let name = "widmark"
  static let title = "Widmark's model"
  static let rate = "at the constant rate beta"
  static let ownParameters: [FitParameter.Traits] = [
    FitParameter.Traits(
      parameter: .beta, name: "beta", symbol: "beta",
      meaning: "elimination rate beta", unit: "g/kg/h",
      columnName: "beta_g_per_kg_h", bounds: 1e-3...10, startRange: 0.05...0.4,
      typicalValue: 0.15)
  ]

  static func follow(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    guard let parameters = try? KineticParameters(values) else { return false }
    var walk = CurveWalk(regimen, parameters)
    walk.follow(times, count, samples)
    return true
  }

  static func followUnstopped(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    guard let parameters = try? KineticParameters(values) else { return false }
    var walk = CurveWalk(regimen, parameters)
    for index in 0..<count {
      walk.advance(toHours: times[index])
      (samples + index).initialize(to: walk.unstoppedSample)
    }
    return true
  }

  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<SIMD8<Double>>,
    at times: UnsafePointer<Double>, count: Int, into samples: UnsafeMutablePointer<SIMD8<Double>>
  ) {
    var state = WidmarkLanes(values)
    state.follow(
      regimen, lag: values[FitParameter.lag.slot], at: times, count: count, into: samples)
  }

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(KineticsError) -> any BloodCurve {
    Trajectory(regimen, try KineticParameters(values))
  }
}

/// Blood and gut of eight parameter vectors.
private struct WidmarkLanes: LaneState {
  static let parameterCount = 5

  private let ka: LaneNumber
  private let beta: LaneNumber
  /// Concentration per dose, 1 / r.
  private let perDose: Lanes
  private var state = Compartments<LaneNumber>()
  private var inputRate = LaneNumber.zero
  /// beta less what flows into the blood.
  private var net: LaneNumber
  private var hasInput = false
  /// The last step without input, and what is absorbed in it: readings are often equally far apart, and the
  /// exponential is most of the work.
  private var last = (tau: -1.0, absorbed: LaneNumber.zero)

  init(_ values: UnsafePointer<Lanes>) {
    ka = LaneNumber(values[FitParameter.ka.slot])
    beta = LaneNumber(values[FitParameter.beta.slot])
    perDose = 1 / values[FitParameter.r.slot]
    net = beta
  }

  mutating func advance(by tau: Lanes) {
    state.advance(
      by: LaneNumber((tau + Self.grid) - Self.grid), inputRate: inputRate, ka: ka, beta: net)
  }

  mutating func advance(by tau: Double) {
    let tau = (tau + Self.grid) - Self.grid
    guard !hasInput else {
      state.advance(by: LaneNumber(everywhere: tau), inputRate: inputRate, ka: ka, beta: net)
      return
    }
    if tau != last.tau {
      last = (tau, Compartments.absorbed(in: LaneNumber(everywhere: tau), ka: ka))
    }
    state.advance(by: LaneNumber(everywhere: tau), absorbing: last.absorbed, beta: net)
  }

  /// Added to a step in h and taken away again, it rounds the step to 2^-44 h, 0.2 ns: differences of equally
  /// spaced times, which are equal but for rounding, become equal.
  private static let grid = 0x1.8p8

  mutating func change(_ input: LaneInput) {
    state.gut.lanes += input.bolus * perDose
    state.blood.lanes += input.bloodBolus * perDose
    inputRate.lanes = input.rate * perDose
    hasInput = (inputRate.lanes .> 0).isAnywhere
    net.lanes = beta.lanes - input.bloodRate * perDose
  }

  @inline(__always)
  func write(to row: UnsafeMutablePointer<Lanes>) {
    let blood = state.blood.lanes
    row[0] = blood
    row[1] = state.bloodByKa.lanes
    row[2] = blood - beta.lanes * state.bloodByBeta.lanes
    row[3] = (net - ka * state.gut).lanes.kept(where: blood .> 0, else: .zero)
    row[4] = .zero
    row[5] = state.bloodByBeta.lanes
  }
}
