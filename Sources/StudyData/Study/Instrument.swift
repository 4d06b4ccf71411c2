public import AlcoholKinetics

/// What the study says about the instrument that took the readings.
public struct Instrument: Hashable, Sendable {
  /// Make and model.
  public var name: String?
  /// Smallest step of the display, in the unit of the readings.
  public var resolution: Double?
  /// Declared relative accuracy as a fraction, for example 0.1 for 10 %.
  public var relativeAccuracy: Double?
  /// Limit of detection, in the unit of the readings.
  public var limitOfDetection: Double?
  /// How long after a drink mouth alcohol spoils a reading.
  public var mouthAlcoholWindow: Hours?

  /// Describes an instrument by what is known of it.
  public init(
    name: String? = nil,
    resolution: Double? = nil,
    relativeAccuracy: Double? = nil,
    limitOfDetection: Double? = nil,
    mouthAlcoholWindow: Hours? = nil
  ) {
    self.name = name
    self.resolution = resolution
    self.relativeAccuracy = relativeAccuracy
    self.limitOfDetection = limitOfDetection
    self.mouthAlcoholWindow = mouthAlcoholWindow
  }
}
