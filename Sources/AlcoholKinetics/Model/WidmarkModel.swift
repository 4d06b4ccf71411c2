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
      columnName: "beta_g_per_kg_h", usualValue: 0.15, bounds: 1e-3...10, startRange: 0.05...0.4,
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

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(KineticsError) -> any BloodCurve {
    Trajectory(regimen, try KineticParameters(values))
  }
}
