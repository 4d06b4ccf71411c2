public import AlcoholKinetics

/// The distribution factor r that a person showed, r = dose / (C0 x weight) (Widmark 1932), with its
/// interval, in kg/kg.
public struct ObservedRFactor: Hashable, Sendable {
  /// The estimate.
  public let value: RFactor
  /// Lower end of the interval: that of the upper end of C0.
  public let low: RFactor
  /// Upper end of the interval: that of the lower end of C0; nil, for without bound, if that is not
  /// above zero.
  public let high: RFactor?

  /// Nothing is assumed of the shape of r's distribution: r falls as C0 rises, so that the ends of
  /// C0's interval are those of r's at the same level.
  init(dose: GramsPerKilogram, c0: LineEstimate<GramPerKilogramUnit>) {
    value = RFactor(dose / c0.value)
    low = RFactor(dose / c0.high)
    high = c0.low > 0 ? RFactor(dose / c0.low) : nil
  }
}
