/// The vital signs of one kind on one day: several entries are averaged.
public struct VitalDay: Hashable, Sendable {
  /// Whose they are.
  public var subject: String
  /// The day on the clock of the place, as `2024-05-01`.
  public var day: String
  /// The kind.
  public var kind: VitalKind
  /// How much it matters, from 1 to 5.
  public var importance: Int
  /// How many entries there are.
  public var count: Int
  /// Their mean, in the unit of the kind.
  public var mean: Double
  /// The lowest.
  public var lowest: Double
  /// The highest.
  public var highest: Double
}
