public import AlcoholKinetics
import Estimation
public import StudyData

/// When a series of readings fell to a threshold for good.
///
/// Readings are taken now and then, so that the true time is only known to lie after the last
/// reading above the threshold and not after the first of those that stay at or below it: it is
/// censored on both sides, on the left alone, or on the right alone. Where several were taken at one
/// time, one above the threshold is enough for that time to be above. Between two readings at or below
/// the threshold the concentration is taken to be so, too; a reading before everything is drunk says
/// nothing about what follows.
public enum MeasuredSobriety: Codable, Hashable, Sendable {
  /// How much is known of the time.
  public enum Knowledge: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable, Sendable {
    /// It lies between two readings.
    case between
    /// Only that it is later than the last reading.
    case atLeast = "at-least"
    /// Only that it is not later than the first reading.
    case atMost = "at-most"
    case unknown
  }

  /// The series has no reading that tells anything.
  case noReadings
  /// No reading is above the threshold; the first after everything was drunk was at `first`.
  case neverAbove(first: Hours)
  /// The last reading is still above.
  case notReached(lastAbove: Hours)
  /// The threshold was crossed after `lastAbove`, at `first` at the latest.
  case reached(lastAbove: Hours, first: Hours)

  /// Looks at readings.
  ///
  /// - `readings`: The readings, in any order; excluded ones, and those without a finite time and
  ///   value, are passed over.
  /// - `start`: The time of the first drink, from which the results count.
  /// - `end`: When everything was drunk; nil if that was at the start.
  public init(
    readings: [Reading],
    threshold: GramsPerKilogram,
    start: Hours,
    end: Hours? = nil,
    factors: ConversionFactors
  ) {
    let used = Self.used(readings)
    let afterwards = used.filter { $0.time > max(start, end ?? start) + .roundingSlack }
    guard let above = used.last(where: { $0.bloodConcentration(using: factors) > threshold })
    else {
      self = afterwards.first.map { .neverAbove(first: $0.time - start) } ?? .noReadings
      return
    }
    let lastAbove = above.time - start
    guard let first = afterwards.first(where: { $0.time > above.time }) else {
      self = .notReached(lastAbove: lastAbove)
      return
    }
    self = .reached(lastAbove: lastAbove, first: first.time - start)
  }

  /// The readings that tell something, in order of time.
  static func used(_ readings: [Reading]) -> [Reading] {
    readings.filter { !$0.isExcluded && $0.time.value.isFinite && $0.value.isFinite }
      .sorted { $0.time < $1.time }
  }

  /// The last reading above the threshold and the first at or below it, since the first drink.
  var ends: (above: Hours?, below: Hours?) {
    switch self {
    case .noReadings: (nil, nil)
    case .neverAbove(let first): (nil, first)
    case .notReached(let lastAbove): (lastAbove, nil)
    case .reached(let lastAbove, let first): (lastAbove, first)
    }
  }

  /// The last reading above the threshold, since the first drink.
  public var lastAbove: Hours? { ends.above }

  /// How much is known of the time.
  public var knowledge: Knowledge {
    switch self {
    case .noReadings: .unknown
    case .neverAbove: .atMost
    case .notReached: .atLeast
    case .reached: .between
    }
  }

  /// Between which times it lies, in min since the first drink: the upper end is infinite where it was
  /// not reached. Nil if nothing is known.
  var minutes: Interval? {
    guard self != .noReadings else { return nil }
    return Interval(
      low: max(0, ends.above?.minutes ?? 0), high: ends.below?.minutes ?? .infinity)
  }

  /// The first reading at or below the threshold after which all are, since the first drink. On average it is
  /// half the distance of two readings after the time itself.
  public var first: Hours? {
    guard case .reached(_, let first) = self else { return nil }
    return first
  }

  /// The middle of the two readings between which the threshold was crossed, since the first drink: the estimate
  /// of the time that is neither early nor late on average, wherever readings fall by chance.
  public var middle: Hours? {
    guard case .reached(let lastAbove, let first) = self else { return nil }
    return (max(0, lastAbove) + first) * 0.5
  }
}
