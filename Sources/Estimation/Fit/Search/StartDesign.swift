/// Where a fit starts from.
///
/// The zero clamp makes real local minima, so that one start is not enough. The first start is a
/// typical person; the others fill a box of plausible parameters evenly, each axis on the scale in
/// which the parameter is estimated.
public struct StartDesign: Hashable, Sendable {
  /// A sequence of points that fill a box evenly.
  public enum Sequence: String, CaseIterable, Hashable, Sendable {
    /// Sobol's (1967).
    case sobol
    /// Halton's (1960).
    case halton
  }

  /// How many starts; at least 1.
  public var count: Int
  /// Which sequence fills the box.
  public var sequence: Sequence
  /// 0 for the sequence itself; any other number moves all its points by the same random distance,
  /// modulo the box (Cranley & Patterson 1976).
  public var seed: UInt64

  /// The number of starts unless set.
  public static let defaultCount = 8

  /// Chooses the starts.
  public init(
    count: Int = StartDesign.defaultCount, sequence: Sequence = .sobol, seed: UInt64 = 0
  ) {
    self.count = count
    self.sequence = sequence
    self.seed = seed
  }
}
