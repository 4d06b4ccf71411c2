public import AlcoholKinetics

/// One measured concentration.
public struct Reading: Hashable, Sendable {
  /// When it was taken, on the clock of its series.
  public var time: Hours
  /// What the instrument or the laboratory said, in `unit`.
  public var value: Double
  /// Matrix and unit of `value`.
  public var unit: ConcentrationUnit
  /// Limit of detection in `unit`, where the study states one for this reading.
  public var limitOfDetection: Double?
  /// Whether the study asks to leave the reading out.
  public var isExcluded: Bool

  /// Describes a reading.
  public init(
    time: Hours,
    value: Double,
    unit: ConcentrationUnit,
    limitOfDetection: Double? = nil,
    isExcluded: Bool = false
  ) {
    self.time = time
    self.value = value
    self.unit = unit
    self.limitOfDetection = limitOfDetection
    self.isExcluded = isExcluded
  }

  /// The reading as whole-blood concentration.
  public func bloodConcentration(using factors: ConversionFactors) -> GramsPerKilogram {
    unit.bloodConcentration(of: value, using: factors)
  }
}
