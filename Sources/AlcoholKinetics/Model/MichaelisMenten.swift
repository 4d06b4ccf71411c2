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
    self.ka = try ka.checked("k_a")
    self.vmax = try vmax.checked("V_max")
    self.km = try km.checked("K_m")
    self.r = try r.checked("r")
    self.lag = try lag.checked("lag", "0 or more") { $0 >= 0 }
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

/// The model with Michaelis-Menten elimination: see ``MichaelisMentenSolution`` and
/// ``MichaelisMentenTrajectory``.
enum MichaelisMentenKinetics: WalkedKinetics {
  typealias One = MichaelisMentenSolution

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

  static func eliminationRate(at concentration: Double, _ values: ParameterValues) -> Double {
    values[known: .vmax] * concentration / (values[known: .km] + concentration)
  }
  /// At K_m 0.
  static let hasWidmarkAsLimit = true
  static let isIntegrated = true

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(KineticsError) -> any BloodCurve {
    MichaelisMentenTrajectory(regimen, try MichaelisMentenParameters(values))
  }
}
