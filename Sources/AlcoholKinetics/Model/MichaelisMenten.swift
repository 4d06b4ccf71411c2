/// The parameters of the one-compartment model with Michaelis-Menten elimination for one person.
public struct MichaelisMentenParameters: Hashable, Sendable {
  /// First-order absorption rate constant k_a; positive.
  public let ka: PerHour
  /// Elimination rate V_max that the blood tends to at high concentrations; positive.
  public let vmax: GramsPerKilogramHour
  /// Concentration K_m at which elimination runs at half of V_max; positive.
  public let km: GramsPerKilogram
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
    vmax: GramsPerKilogramHour,
    km: GramsPerKilogram,
    r: RFactor,
    lag: Hours = 0,
    absorbedFraction: Double = 1
  ) throws(KineticsError) {
    self.ka = PerHour(try ka.value.checked("k_a in 1/h", "positive") { $0 > 0 })
    self.vmax = GramsPerKilogramHour(
      try vmax.value.checked("V_max in g/kg/h", "positive") { $0 > 0 })
    self.km = GramsPerKilogram(try km.value.checked("K_m in g/kg", "positive") { $0 > 0 })
    self.r = RFactor(try r.value.checked("r in kg/kg", "positive") { $0 > 0 })
    self.lag = Hours(try lag.value.checked("lag in h", "0 or more") { $0 >= 0 })
    self.absorbedFraction = try absorbedFraction.checked(
      "absorbed fraction", "above 0 and at most 1"
    ) { $0 > 0 && $0 <= 1 }
  }

  /// Blood concentration that 1 g of ethanol per kg of body weight amounts to, F / r.
  var concentrationPerDose: Double { absorbedFraction / r.value }
}

extension MichaelisMentenParameters {
  /// The values of this model among those of a model; the parameters that this one has.
  init(_ values: ParameterValues) throws(KineticsError) {
    try self.init(
      ka: PerHour(values[known: .ka]), vmax: GramsPerKilogramHour(values[known: .vmax]),
      km: GramsPerKilogram(values[known: .km]), r: RFactor(values[known: .r]),
      lag: Hours(values[known: .lag]))
  }
}

// MARK: - As a model

extension FitParameter {
  /// The largest rate of elimination V_max, in g/kg/h.
  public static let vmax = FitParameter(position: 5)
  /// The concentration K_m at which elimination has half that rate, in g/kg.
  public static let km = FitParameter(position: 6)
}

extension EliminationModel {
  /// Elimination at the rate V_max c / (K_m + c) (Michaelis & Menten 1913; for ethanol Lundquist &
  /// Wolthers 1958).
  public static let michaelisMenten = EliminationModel(MichaelisMentenKinetics.self)
}

/// The model with Michaelis-Menten elimination: see ``MichaelisMentenWalk`` and
/// ``MichaelisMentenTrajectory``.
enum MichaelisMentenKinetics: EliminationKinetics {
  static let name = "michaelis-menten"
  static let title = "Michaelis-Menten elimination"
  static let rate = "at the rate V_max c / (K_m + c)"
  static let ownParameters: [FitParameter.Traits] = [
    FitParameter.Traits(
      parameter: .vmax, name: "vmax", symbol: "V_max",
      meaning: "maximum elimination rate V_max", unit: "g/kg/h",
      columnName: "vmax_g_per_kg_h", bounds: 1e-3...10, startRange: 0.08...0.5, typicalValue: 0.2),
    FitParameter.Traits(
      parameter: .km, name: "km", symbol: "K_m",
      meaning: "Michaelis constant K_m: concentration at half of V_max", unit: "g/kg",
      columnName: "km_g_per_kg",
      bounds: 1e-3...5, startRange: 0.01...0.5, typicalValue: 0.05),
  ]
  /// At K_m 0.
  static let hasWidmarkAsLimit = true

  static func follow(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    guard let parameters = try? MichaelisMentenParameters(values) else { return false }
    var walk = MichaelisMentenWalk(regimen, parameters)
    for index in 0..<count {
      walk.advance(toHours: times[index])
      (samples + index).initialize(
        to: CurveSample(
          concentration: walk.concentration, derivatives: walk.sensitivities.ordered))
    }
    return !walk.hasFailed
  }

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(KineticsError) -> any BloodCurve {
    MichaelisMentenTrajectory(regimen, try MichaelisMentenParameters(values))
  }
}

/// Walks along the curve of a regimen under Michaelis-Menten elimination, forward in time, without
/// allocating.
///
/// This is how a fit evaluates the model: one walk gives the concentration and its sensitivities
/// at every reading in one pass over drinks and readings. Beside ``CurveWalk``, which has a closed
/// form, it integrates: see <doc:MichaelisMenten>.
public struct MichaelisMentenWalk: Sendable {
  private let changes: [InputChange]
  private let concentrationPerDose: Double
  /// The same of doses into the blood.
  private let concentrationPerBloodDose: Double
  private let lag: Double

  private var nextChange = 0
  /// Where the walk is on the regimen's clock, lag taken off; before the first change nothing has
  /// happened and the value does not matter.
  private var time: Double
  private var solution: MichaelisMentenSolution

  /// Starts a walk before the first dose.
  public init(_ regimen: Regimen, _ parameters: MichaelisMentenParameters) {
    lag = parameters.lag.value
    changes = regimen.changes(lag: lag)
    concentrationPerDose = parameters.concentrationPerDose
    concentrationPerBloodDose = 1 / parameters.r.value
    time = changes.first?.time ?? 0
    solution = MichaelisMentenSolution(parameters)
  }

  /// Goes on to a time, in h; times must not decrease from call to call.
  public mutating func advance(toHours hours: Double) {
    let target = hours - lag
    while nextChange < changes.count, changes[nextChange].time <= target {
      let change = changes[nextChange]
      step(to: change.time)
      nextChange += 1
      let end = nextChange < changes.count ? changes[nextChange].time : .infinity
      solution.change(
        change, dose: concentrationPerDose, bloodDose: concentrationPerBloodDose,
        duration: end - change.time)
    }
    if nextChange > 0 {
      step(to: target)
    }
  }

  /// Blood concentration where the walk is, in g/kg; NaN if it has failed.
  public var concentration: Double { solution.hasFailed ? .nan : solution.state.blood }

  /// Sensitivities of the concentration where the walk is; NaN if it has failed.
  public var sensitivities: MichaelisMentenSensitivities {
    MichaelisMentenSensitivities(solution)
  }

  /// Whether the steps allowed between two readings did not suffice, or the doses are beyond the
  /// range of numbers.
  public var hasFailed: Bool { solution.hasFailed }

  private mutating func step(to target: Double) {
    let tau = target - time
    guard tau > 0 else { return }
    solution.advance(by: tau)
    time = target
  }
}

/// The derivatives of a blood concentration by the parameters of the model with Michaelis-Menten
/// elimination.
public struct MichaelisMentenSensitivities: Hashable, Sendable {
  /// By k_a, in (g/kg) per (1/h).
  public let byKa: Double
  /// By V_max, in (g/kg) per (g/kg/h); never positive.
  public let byVmax: Double
  /// By K_m, in (g/kg) per (g/kg); never negative.
  public let byKm: Double
  /// By a factor on all doses, at factor 1, in g/kg.
  public let byDoseScale: Double
  /// By a delay of all doses, in (g/kg) per h, which is the lag where all are drunk. At the instant of a
  /// drink, where the derivative jumps, it is the one from the right.
  public let byLag: Double

  init(_ solution: MichaelisMentenSolution) {
    let state = solution.hasFailed ? .failed : solution.state
    let elimination = solution.elimination
    byKa = state.byKa
    byVmax = state.byVmax
    byKm = state.byKm
    // c is homogeneous of degree 1 in (doses, V_max, K_m): c is the sum of each of them times the
    // derivative by it (Euler).
    byDoseScale =
      state.blood - elimination.vmax * state.byVmax - elimination.km * state.byKm
    // A lag moves the whole curve to the right: dc/dlag = -dc/dt.
    byLag = -solution.slope
  }

  /// In the order of the model's parameters, see ``CurveSample``.
  var ordered: SIMD8<Double> { SIMD8(byKa, byDoseScale, byLag, 0, byVmax, byKm, 0, 0) }
}
