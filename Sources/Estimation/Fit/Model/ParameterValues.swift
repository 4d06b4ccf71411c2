public import AlcoholKinetics

/// One value for each parameter of a model, estimated or fixed.
public struct ParameterValues: Hashable, Sendable {
  /// By position of the parameter; NaN where the model has no such parameter.
  private var storage = SIMD8<Double>(repeating: .nan)

  /// Begins without values.
  init() {}

  /// The value of a parameter in its unit; nil if the model does not have it.
  public subscript(parameter: FitParameter) -> Double? {
    let value = storage[parameter.position]
    return value.isNaN ? nil : value
  }

  /// The value of a parameter that the model is known to have, NaN otherwise.
  package subscript(known parameter: FitParameter) -> Double {
    get { storage[parameter.position] }
    set { storage[parameter.position] = newValue }
  }

  /// The parameters of Widmark's model; nil if these are values of another one.
  public var kinetics: KineticParameters? {
    try? KineticParameters(
      ka: PerHour(self[known: .ka]),
      beta: GramsPerKilogramHour(self[known: .beta]),
      r: RFactor(self[known: .r]),
      lag: Hours(self[known: .lag]))
  }

  /// The parameters of the Michaelis-Menten model; nil if these are values of another one.
  public var michaelisMenten: MichaelisMentenParameters? {
    try? MichaelisMentenParameters(
      ka: PerHour(self[known: .ka]),
      vmax: GramsPerKilogramHour(self[known: .vmax]),
      km: GramsPerKilogram(self[known: .km]),
      r: RFactor(self[known: .r]),
      lag: Hours(self[known: .lag]))
  }

  public static func == (left: Self, right: Self) -> Bool {
    FitParameter.allCases.allSatisfy { left[$0] == right[$0] }
  }

  public func hash(into hasher: inout Hasher) {
    for parameter in FitParameter.allCases { hasher.combine(self[parameter]) }
  }
}
