/// The highest point of a curve.
public struct Peak: Hashable, Sendable {
  /// When it is first reached.
  public let time: Hours
  /// How high it is.
  public let concentration: GramsPerKilogram
}
