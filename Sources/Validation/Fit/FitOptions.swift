public import AlcoholKinetics

/// What a fit estimates, what it holds fixed and how it looks for the minimum.
public struct FitOptions: Sendable {
  /// The parameters to estimate; the others are fixed.
  public var estimate: Set<FitParameter>
  /// Gives r where it is not estimated.
  public var rFactor: any RFactorMethod
  /// k_a where it is not estimated. Default 18 /h, the value of Nacar (2021).
  public var ka: PerHour
  /// beta where it is not estimated. Default 0.15 g/kg/h, the value of Nacar (2021).
  public var beta: GramsPerKilogramHour
  /// How readings are turned into g per kg of blood.
  public var factors: ConversionFactors
  /// How many starting points are tried; at least 1.
  public var starts: Int

  /// Chooses what to fit; everything has a default.
  public init(
    estimate: Set<FitParameter> = [.ka, .beta],
    rFactor: any RFactorMethod = Watson(),
    ka: PerHour = 18,
    beta: GramsPerKilogramHour = 0.15,
    factors: ConversionFactors = ConversionFactors(),
    starts: Int = FitOptions.defaultStarts
  ) {
    self.estimate = estimate
    self.rFactor = rFactor
    self.ka = ka
    self.beta = beta
    self.factors = factors
    self.starts = starts
  }

  /// The number of starting points unless set.
  public static let defaultStarts = 8
}
