/// The parameters of the one-compartment model for one person.
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
