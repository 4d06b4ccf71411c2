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
  /// - Throws: ``Problem`` for a value that is not finite or
  ///   outside the range stated at its property.
  public init(
    ka: PerHour,
    beta: GramsPerKilogramHour,
    r: RFactor,
    lag: Hours = 0,
    absorbedFraction: Double = 1
  ) throws(Problem) {
    self.ka = try ka.checked("k_a")
    self.beta = try beta.checked("beta")
    self.r = try r.checked("r")
    self.lag = try lag.checked("lag", "0 or more") { $0 >= 0 }
    self.absorbedFraction = try absorbedFraction.checked(
      "absorbed fraction", "above 0 and at most 1"
    ) { $0 > 0 && $0 <= 1 }
  }

  /// Blood concentration that 1 g of ethanol per kg of body weight amounts to, F / r.
  var concentrationPerDose: Double { absorbedFraction / r.value }
}

extension KineticParameters {
  /// Widmark's values among those of a model; the parameters that this one has.
  package init(_ values: ParameterValues) throws(Problem) {
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

/// Widmark's model: the state of gut and blood, and the present input; see ``Compartments`` and ``Trajectory``.
struct WidmarkKinetics: EliminationKinetics {
  static let name = "widmark"
  static let title = "Widmark's model"
  static let rate = "at the constant rate beta"
  static let ownParameters: [FitParameter.Traits] = [
    FitParameter.Traits(
      parameter: .beta, name: "beta", symbol: "beta", unit: "g/kg/h", columnName: "beta_g_per_kg_h",
      bounds: 1e-3...10, startRange: 0.05...0.4,
      typicalValue: 0.15)
  ]

  let ka: Double
  let beta: Double
  /// Concentration per dose into the gut, F / r.
  let perDose: Double
  /// Concentration per dose into the blood, 1 / r.
  let perBloodDose: Double

  private(set) var compartments = Compartments()
  private var inputRate = 0.0
  /// beta minus the infusion rate.
  private(set) var net: Double
  /// The last step without input, and the fraction absorbed in it: readings are often equally spaced, and the exponential is
  /// most of the work.
  private var last = (tau: -1.0, absorbed: 0.0)

  init(_ parameters: KineticParameters) {
    ka = parameters.ka.value
    beta = parameters.beta.value
    perDose = parameters.concentrationPerDose
    perBloodDose = 1 / parameters.r.value
    net = beta
  }

  init(_ values: ParameterValues) {
    ka = values[known: .ka]
    beta = values[known: .beta]
    perDose = 1 / values[known: .r]
    perBloodDose = perDose
    net = beta
  }

  mutating func advance(by tau: Double) {
    guard inputRate <= 0 else {
      compartments.advance(by: tau, inputRate: inputRate, ka: ka, beta: net)
      return
    }
    if tau != last.tau { last = (tau, Compartments.absorbed(in: tau, ka: ka)) }
    compartments.advance(by: tau, absorbing: last.absorbed, beta: net)
  }

  mutating func change(_ input: InputChange, for duration: Double) {
    compartments.gut += input.bolus * perDose
    compartments.blood += input.bloodBolus * perBloodDose
    inputRate = input.rate * perDose
    net = beta - input.bloodRate * perBloodDose
  }

  var sample: CurveSample {
    let blood = compartments.blood
    return CurveSample(
      blood, byKa: compartments.bloodByKa,
      // c is homogeneous of degree 1 in (doses, beta): c = dc/dscale + beta dc/dbeta (Euler).
      byDoseScale: blood - beta * compartments.bloodByBeta,
      // A lag moves the whole curve to the right: dc/dlag = -dc/dt.
      byLag: blood > 0 ? net - ka * compartments.gut : 0, byOwn: (compartments.bloodByBeta, 0))
  }

  static func eliminationRate(at concentration: Double, _ values: ParameterValues) -> Double {
    values[known: .beta]
  }

  static func followUnstopped(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    guard let parameters = try? KineticParameters(values) else { return false }
    var walk = UnstoppedWalk(regimen, parameters)
    for index in 0..<count {
      (samples + index).initialize(to: walk.sample(atHours: times[index]))
    }
    return true
  }

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(Problem) -> any BloodCurve {
    Trajectory(regimen, try KineticParameters(values))
  }
}

extension CurveWalk<WidmarkKinetics> {
  /// Starts a walk before the first dose.
  init(_ regimen: Regimen, _ parameters: KineticParameters) {
    self.init(regimen, WidmarkKinetics(parameters), lag: parameters.lag.value)
  }
}

/// The curve without its floor at zero: the amount absorbed minus beta times the time since the first dose.
///
/// It is below the true curve by beta times the time with empty blood, less the absorption during that time.
struct UnstoppedWalk {
  private var walk: CurveWalk<WidmarkKinetics>
  /// The last change of the input that has been counted.
  private var counted = 0
  /// The amount drunk by then, in g per kg of body weight.
  private var drunk = 0.0
  /// The amount infused by then, in g per kg of body weight.
  private var infused = 0.0

  init(_ regimen: Regimen, _ parameters: KineticParameters) {
    walk = CurveWalk(regimen, parameters)
  }

  /// The curve at a time, in h; times must not decrease from call to call.
  mutating func sample(atHours hours: Double) -> CurveSample {
    walk.advance(toHours: hours)
    let state = walk.state
    let compartments = state.compartments
    guard let first = walk.changes.first, walk.next > 0 else { return state.sample }
    while counted + 1 < walk.next {
      let (more, moreInfused) = given(by: walk.changes[counted + 1].time)
      drunk += more
      infused += moreInfused
      counted += 1
    }
    let (more, moreInfused) = given(by: walk.time)
    let byBeta = first.time - walk.time
    let blood =
      (drunk + more) * state.perDose - compartments.gut - state.beta * (walk.time - first.time)
      + (infused + moreInfused) * state.perBloodDose
    return CurveSample(
      blood, byKa: -compartments.gutByKa, byDoseScale: blood - state.beta * byBeta,
      byLag: blood != 0 ? state.net - state.ka * compartments.gut : 0, byOwn: (byBeta, 0))
  }

  /// The amounts drunk and infused since the last counted change.
  private func given(by time: Double) -> (drunk: Double, infused: Double) {
    let change = walk.changes[counted]
    let elapsed = time - change.time
    return (change.bolus + change.rate * elapsed, change.bloodBolus + change.bloodRate * elapsed)
  }
}
