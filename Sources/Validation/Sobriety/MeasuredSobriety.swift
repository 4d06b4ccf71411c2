public import AlcoholKinetics
public import StudyData

/// When a series of readings fell to a threshold for good.
///
/// Readings are taken now and then, so that the true time is only known to lie after the last
/// reading above the threshold and not after the first of those that stay at or below it.
public enum MeasuredSobriety: Hashable, Sendable {
  /// The series has no usable readings.
  case noReadings
  /// No reading is above the threshold.
  case neverAbove
  /// The last reading is still above.
  case notReached(lastAbove: Hours)
  /// The threshold was crossed after `lastAbove`, at `first` at the latest.
  case reached(lastAbove: Hours, first: Hours)

  /// Looks at readings in order of time.
  ///
  /// - Parameters:
  ///   - readings: The readings; excluded ones are passed over.
  ///   - threshold: The threshold.
  ///   - start: The time of the first drink, from which the results count.
  ///   - factors: How readings are turned into g per kg of blood.
  public init(
    readings: [Reading],
    threshold: GramsPerKilogram,
    start: Hours,
    factors: ConversionFactors
  ) {
    let used = readings.filter { !$0.isExcluded }
    guard let last = used.last else {
      self = .noReadings
      return
    }
    let isAbove = { (reading: Reading) in
      reading.bloodConcentration(using: factors) > threshold
    }
    guard let lastAbove = used.lastIndex(where: isAbove) else {
      self = .neverAbove
      return
    }
    let time = used[lastAbove].time - start
    self =
      isAbove(last)
      ? .notReached(lastAbove: time)
      : .reached(lastAbove: time, first: used[lastAbove + 1].time - start)
  }

  /// The last reading above the threshold, since the first drink.
  public var lastAbove: Hours? {
    switch self {
    case .noReadings, .neverAbove: nil
    case .notReached(let lastAbove), .reached(let lastAbove, _): lastAbove
    }
  }

  /// The first reading at or below the threshold after which all are, since the first drink.
  public var first: Hours? {
    guard case .reached(_, let first) = self else { return nil }
    return first
  }
}
