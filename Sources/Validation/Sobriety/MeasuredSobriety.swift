public import AlcoholKinetics
public import StudyData

/// When a series of readings fell to a threshold for good.
///
/// Readings are taken now and then, so that the true time is only known to lie after the last
/// reading above the threshold and not after the first of those that stay at or below it. Where
/// several were taken at one time, one above the threshold is enough for that time to be above.
public enum MeasuredSobriety: Hashable, Sendable {
  /// The series has no usable readings.
  case noReadings
  /// No reading is above the threshold.
  case neverAbove
  /// The last reading is still above.
  case notReached(lastAbove: Hours)
  /// The threshold was crossed after `lastAbove`, at `first` at the latest.
  case reached(lastAbove: Hours, first: Hours)

  /// Looks at readings.
  ///
  /// - Parameters:
  ///   - readings: The readings, in any order; excluded ones, and those without a finite time and
  ///     value, are passed over.
  ///   - threshold: The threshold.
  ///   - start: The time of the first drink, from which the results count.
  ///   - factors: How readings are turned into g per kg of blood.
  public init(
    readings: [Reading],
    threshold: GramsPerKilogram,
    start: Hours,
    factors: ConversionFactors
  ) {
    let used = readings.filter { !$0.isExcluded && $0.time.value.isFinite && $0.value.isFinite }
      .sorted { $0.time < $1.time }
    guard !used.isEmpty else {
      self = .noReadings
      return
    }
    guard let above = used.last(where: { $0.bloodConcentration(using: factors) > threshold })
    else {
      self = .neverAbove
      return
    }
    let lastAbove = above.time - start
    guard let first = used.first(where: { $0.time > above.time }) else {
      self = .notReached(lastAbove: lastAbove)
      return
    }
    self = .reached(lastAbove: lastAbove, first: first.time - start)
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
