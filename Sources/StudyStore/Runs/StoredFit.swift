/// A parameter of a fit.
public struct StoredFit: Hashable, Sendable {
  /// Its name.
  public var parameter: String
  /// The unit of all that follows.
  public var unit: String
  /// Its value.
  public var value: Double
  /// The standard error, if there is one.
  public var standardError: Double?
  /// The lower end of the interval, if it is known.
  public var low: Double?
  /// The upper end of the interval, if it is known.
  public var high: Double?
  /// Whether the readings determine it; nil if this was not examined.
  public var isIdentifiable: Bool?
  /// Whether it was estimated, and not held.
  public var isEstimated: Bool

  /// Describes a parameter.
  public init(
    parameter: String,
    unit: String,
    value: Double,
    standardError: Double? = nil,
    low: Double? = nil,
    high: Double? = nil,
    isIdentifiable: Bool? = nil,
    isEstimated: Bool = true
  ) {
    self.parameter = parameter
    self.unit = unit
    self.value = value
    self.standardError = standardError
    self.low = low
    self.high = high
    self.isIdentifiable = isIdentifiable
    self.isEstimated = isEstimated
  }
}
