public import AlcoholKinetics

/// By how much a predicted time to sobriety misses the measured one.
///
/// All signs are predicted minus measured: positive where the person was sober earlier than
/// predicted.
public struct SobrietyDeviation: Hashable, Sendable {
  /// Predicted time since the first drink.
  public let predicted: Hours
  /// Measured time since the first drink.
  public let measured: Hours

  /// Compares two times, both since the first drink.
  public init(predicted: Hours, measured: Hours) {
    self.predicted = predicted
    self.measured = measured
  }

  /// Predicted minus measured, in min.
  public var minutes: Double { (predicted - measured).minutes }

  /// The error in percent of the measured time; nil if that is zero.
  public var percentOfMeasured: Double? { percent(of: measured) }

  /// The error in percent of the predicted time, as Nacar (2021) states it; nil if that is zero.
  public var percentOfPredicted: Double? { percent(of: predicted) }

  private func percent(of time: Hours) -> Double? {
    time == 0 ? nil : 100 * ((predicted - measured) / time)
  }
}
