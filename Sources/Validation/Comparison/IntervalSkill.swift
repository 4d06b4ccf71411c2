import Estimation
import RealModule

/// Coverage and interval score of the stated limits of predicted times.
///
/// Measured times are interval-censored. Coverage and distance outside are therefore expectations
/// under the estimated distribution of errors; ``heldForCertain`` and ``heldPerhaps`` need no
/// distribution.
///
/// Source: T. Gneiting and A. E. Raftery, "Strictly proper scoring rules, prediction, and
/// estimation", J Am Stat Assoc 102 (2007) 359-378, section 6.2.
public struct IntervalSkill: Codable, Hashable, Sendable {
  /// The share of times that the intervals are said to hold.
  public let level: Double
  /// The number of series with stated limits and some knowledge of the measured time.
  public let series: Int
  /// The expected number of them inside the limits; nil if the readings neither determine a
  /// distribution nor decide it.
  public let held: Double?
  /// The number certainly inside, wherever the times lie between the readings.
  public let heldForCertain: Int
  /// The number possibly inside.
  public let heldPerhaps: Int
  /// The mean width in min; nil if some interval has no upper limit.
  public let meanWidth: Double?
  /// The mean interval score in min: the width, and 2 / (1 - level) times the distance of a time outside. Smaller is
  /// better. Nil if some interval has no upper limit, or where the readings determine no distribution.
  public let score: Double?

  /// - Parameter expected: The distribution of the measured time of an error.
  init?(
    _ errors: [SobrietyError], level: Double, _ expected: ((SobrietyError) -> MeasuredTime?)?
  ) {
    let stated = errors.compactMap { error in error.interval.map { (error: error, interval: $0) } }
    guard !stated.isEmpty else { return nil }
    self.level = level
    series = stated.count
    heldForCertain = stated.count {
      $0.interval.low <= $0.error.measured.low && $0.interval.high >= $0.error.measured.high
    }
    heldPerhaps = stated.count {
      $0.interval.low <= $0.error.measured.high && $0.interval.high >= $0.error.measured.low
    }
    let count = Double(stated.count)
    let widths = stated.map { $0.interval.high - $0.interval.low }
    meanWidth = widths.allSatisfy(\.isFinite) ? widths.reduce(0, +) / count : nil
    let times = stated.compactMap { stated in expected?(stated.error) }
    guard times.count == stated.count else {
      held = heldForCertain == heldPerhaps ? Double(heldForCertain) : nil
      score = nil
      return
    }
    held = zip(stated, times).reduce(0) { $0 + $1.1.probability(of: $1.0.interval) }
    let outside = zip(stated, times).reduce(0) { $0 + $1.1.meanDistance(outside: $1.0.interval) }
    score = meanWidth.map { $0 + 2 / (1 - level) * outside / count }
  }
}

/// The distribution of a measured time between the limits that its readings set, by the estimated
/// distribution of errors.
struct MeasuredTime {
  /// Whether the logarithm of the time over the predicted one is normal; else the time minus the predicted one is.
  let isRatio: Bool
  let normal: CensoredNormalFit
  let predicted: Double
  /// The limits of the normal coordinate.
  let limits: Interval

  func probability(of interval: Interval) -> Double {
    normal.probability(
      of: Interval(low: coordinate(interval.low), high: coordinate(interval.high)), in: limits)
  }

  /// The expected distance of the time from an interval, in min.
  func meanDistance(outside interval: Interval) -> Double {
    let early = Interval(low: 0, high: interval.low)
    let late = Interval(low: interval.high, high: .infinity)
    return probability(of: early) * (interval.low - (mean(in: early) ?? interval.low))
      + (interval.high.isFinite
        ? probability(of: late) * ((mean(in: late) ?? interval.high) - interval.high) : 0)
  }

  private func coordinate(_ minutes: Double) -> Double {
    guard minutes > 0 else { return -.infinity }
    return isRatio ? Double.log(minutes / predicted) : minutes - predicted
  }

  /// The conditional mean of the time inside an interval; nil if it cannot be inside.
  private func mean(in interval: Interval) -> Double? {
    let part = Interval(
      low: max(limits.low, coordinate(interval.low)),
      high: min(limits.high, coordinate(interval.high)))
    guard part.low < part.high else { return nil }
    return isRatio
      ? predicted * normal.exponentials(in: [part])[0].mean : predicted + normal.mean(in: part)
  }
}
