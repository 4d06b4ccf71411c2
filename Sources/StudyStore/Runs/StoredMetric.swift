/// A number that came out of a run.
public struct StoredMetric: Hashable, Sendable {
  /// Its name, with the unit in it.
  public var name: String
  /// The number.
  public var value: Double

  /// Names a number.
  public init(name: String, value: Double) {
    self.name = name
    self.value = value
  }
}
