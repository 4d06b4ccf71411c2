/// What the researcher says of a kind of vital sign.
public struct VitalSetting: Hashable, Sendable {
  /// The kind.
  public var kind: VitalKind
  /// How much it matters, from 1 to 5; unless set, 3. Thresholds count above 3.
  public var importance: Int
  /// What can be true, in the unit of the kind.
  public var range: ClosedRange<Double>
  /// The threshold that the mean should not fall below.
  public var below: Double?
  /// The threshold that the mean should not rise above.
  public var above: Double?
}
