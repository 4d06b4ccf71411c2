/// The factors that turn a measured concentration into g of ethanol per kg of whole blood.
///
/// Each is a convention, not a constant of nature, and differs between laboratories and countries;
/// results carry the factors they were made with.
public struct ConversionFactors: Hashable, Sendable {
  /// Density of whole blood in kg/L. Default 1.055.
  public var bloodDensityKgPerL: Double

  /// Ethanol in blood over ethanol in end-expired breath, volume by volume. Default 2100; 2000
  /// and 2300 are in use.
  public var bloodBreathRatio: Double

  /// Ethanol in serum or plasma over ethanol in whole blood, volume by volume. Default 1.16; the
  /// literature gives 1.12 to 1.24.
  public var serumBloodRatio: Double

  /// Makes a set of factors; each defaults to the value documented at its property.
  public init(
    bloodDensityKgPerL: Double = 1.055,
    bloodBreathRatio: Double = 2100,
    serumBloodRatio: Double = 1.16
  ) {
    self.bloodDensityKgPerL = bloodDensityKgPerL
    self.bloodBreathRatio = bloodBreathRatio
    self.serumBloodRatio = serumBloodRatio
  }
}
