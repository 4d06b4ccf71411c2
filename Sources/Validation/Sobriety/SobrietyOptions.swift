public import AlcoholKinetics

/// How times to sobriety are predicted.
public struct SobrietyOptions: Sendable {
  /// Where k_a and beta come from.
  public enum Parameters: Sendable {
    /// The same values for everybody.
    case given(ka: PerHour, beta: GramsPerKilogramHour)
    /// Each series' own fit with r fixed to the method's.
    case fitted(starts: Int)
  }

  /// Where k_a and beta come from. Default k_a 18 /h and beta 0.15 g/kg/h, the values of Nacar
  /// (2021).
  public var parameters: Parameters
  /// The r-factor methods to predict with.
  public var methods: [any RFactorMethod]
  /// The concentration at or below which somebody counts as sober. Default 0.
  public var threshold: GramsPerKilogram
  /// How readings are turned into g per kg of blood.
  public var factors: ConversionFactors

  /// Chooses how to predict; everything has a default.
  public init(
    parameters: Parameters = .given(ka: 18, beta: 0.15),
    methods: [any RFactorMethod] = RFactorMethods.all(),
    threshold: GramsPerKilogram = 0,
    factors: ConversionFactors = ConversionFactors()
  ) {
    self.parameters = parameters
    self.methods = methods
    self.threshold = threshold
    self.factors = factors
  }
}
