public import AlcoholKinetics
public import Estimation

/// A predicted time to sobriety and what it was predicted with.
public struct SobrietyPrediction: Codable, Hashable, Sendable {
  /// When a predicted concentration falls to the threshold for good, since the first drink.
  public enum Outcome: Codable, Hashable, Sendable {
    /// It is never above the threshold: sober from the start.
    case neverAbove
    /// At this time.
    case at(Hours)
    /// Later than this time, at which the known curve ends.
    case laterThan(Hours)
  }

  /// The parameters of the curve; nil where the prediction came from outside.
  public let parameters: ModelParameters?
  public let outcome: Outcome
  /// Between which times it lies for 90 of 100 subjects for whom the same is predicted, in min since the first
  /// drink; the upper end is infinite if some never fall to the threshold. Nil where the parameters are fitted
  /// to the same readings, where nothing is uncertain, and for predictions from outside.
  public internal(set) var interval: Interval?

  /// When the concentration falls to the threshold for good, since the first drink; nil if it is
  /// never above, or if only a time is known that it is later than.
  public var time: Hours? {
    guard case .at(let time) = outcome else { return nil }
    return time
  }

  /// Between which times it lies, in min since the first drink; the upper end may be infinite.
  var minutes: Interval {
    switch outcome {
    case .neverAbove: Interval(low: 0, high: 0)
    case .at(let time): Interval(low: time.minutes, high: time.minutes)
    case .laterThan(let time): Interval(low: time.minutes, high: .infinity)
    }
  }
}

extension SobrietyPrediction {
  /// What a curve predicts.
  ///
  /// - Parameters:
  ///   - threshold: At or below which somebody counts as sober.
  ///   - start: The time of the first drink, on the clock of the curve.
  /// - Throws: `SeriesFailure.neverSober(threshold:)` if the curve never falls to the threshold, and
  ///   `SeriesFailure.nothingPredicted` if it could not be computed.
  public init(
    of curve: any BloodCurve, _ parameters: ModelParameters? = nil, threshold: GramsPerKilogram,
    start: Hours
  ) throws(SeriesFailure) {
    guard !curve.hasFailed else { throw .nothingPredicted }
    if let time = curve.timeToThreshold(threshold) {
      self.init(parameters: parameters, outcome: .at(time - start))
    } else if (curve.peak?.concentration ?? 0) > threshold {
      throw .neverSober(threshold: threshold)
    } else {
      self.init(parameters: parameters, outcome: .neverAbove)
    }
  }
}
