/// Where the ethanol taken so far is, each part as g per kg of blood.
///
/// The three add up to what was taken, times F / r.
public struct MassBalance: Hashable, Sendable {
  /// Not yet absorbed.
  public let gut: GramsPerKilogram
  /// In the blood.
  public let blood: GramsPerKilogram
  /// Eliminated.
  public let eliminated: GramsPerKilogram

  /// Absorbed so far: what is in the blood and what has left it.
  public var absorbed: GramsPerKilogram { blood + eliminated }

  static let nothing = MassBalance(gut: 0, blood: 0, eliminated: 0)
}
