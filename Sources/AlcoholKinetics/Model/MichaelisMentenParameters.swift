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
