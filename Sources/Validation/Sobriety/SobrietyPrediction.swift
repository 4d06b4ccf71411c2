public import AlcoholKinetics

/// A predicted time to sobriety and what it was predicted with.
public struct SobrietyPrediction: Hashable, Sendable {
  /// The parameters of the curve; nil where the prediction came from outside.
  public let parameters: KineticParameters?
  /// When the concentration falls to the threshold for good, since the first drink; nil if it is
  /// never above.
  public let time: Hours?
}
