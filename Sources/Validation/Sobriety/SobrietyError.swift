public import AlcoholKinetics
public import Estimation
import RealModule

/// What is known of the error of one predicted time to sobriety, predicted minus measured, in min.
///
/// A measured time T is known to lie between two limits, of which the upper one is infinite for
/// somebody who was still above the threshold at the last reading. So the error is known between two
/// limits, too, and any of its values within them may be the true one.
public struct SobrietyError: Codable, Hashable, Sendable {
  /// Between which times sobriety is predicted; both are the same but for a curve that ends above the
  /// threshold.
  let predicted: Interval
  /// Between which times it was reached; all in min since the first drink.
  let measured: Interval
  /// The limits that the prediction states for the time; nil if it states none.
  var interval: Interval?

  /// Between which limits the error lies; they may be infinite.
  var limits: Interval {
    Interval(low: predicted.low - measured.high, high: predicted.high - measured.low)
  }

  /// Between which limits the natural logarithm of predicted / measured lies; nil if sobriety is predicted from the
  /// start, which has no logarithm.
  var logRatio: Interval? {
    guard predicted.high > 0 else { return nil }
    return Interval(
      low: Double.log(predicted.low) - Double.log(measured.high),
      high: Double.log(predicted.high) - Double.log(measured.low))
  }

  /// Between which limits the error lies, in percent of the measured time; the upper one may be infinite.
  public var percentOfMeasured: Interval {
    guard let logRatio else { return Interval(low: -100, high: -100) }
    return Interval(
      low: 100 * Double.expMinusOne(logRatio.low), high: 100 * Double.expMinusOne(logRatio.high))
  }

  /// Whether nobody was above the threshold, neither measured nor predicted, which says nothing about a time.
  var agreesFromTheStart: Bool { predicted.high == 0 && measured.low == 0 }

  /// Whether nobody was above the threshold at a first reading so early that nobody had been. Its time may be the start,
  /// so that nothing can be divided by it.
  var isMeasuredFromTheStart: Bool { measured.low == 0 && measured.high <= Self.earliestReturn }

  /// Nobody is above a threshold and below it again within an hour of the first drink, in min.
  private static let earliestReturn = 60.0

  /// Whether the measured time lies between two readings.
  var isBetweenReadings: Bool { measured.low > 0 && measured.high.isFinite }

  /// When sobriety is predicted, in min; nil for a curve that ends above the threshold.
  var predictedMinutes: Double? { predicted.low == predicted.high ? predicted.low : nil }

  /// The smallest that the error can be, in min; nil if it has no lower limit.
  public var least: Double? { limits.low.isFinite ? limits.low : nil }

  /// The largest that the error can be, in min; nil if it has no upper limit.
  public var most: Double? { limits.high.isFinite ? limits.high : nil }

  /// Between which limits the error lies without its sign; the upper one may be infinite.
  var magnitude: Interval {
    let limits = limits
    let largest = max(-limits.low, limits.high)
    return Interval(low: max(0, limits.low, -limits.high), high: largest)
  }

  /// By how much this error can be larger than another's of the same series, both without sign.
  ///
  /// The two have one measured time T in common. For two predictions a and b, |a - T| - |b - T| goes
  /// straight from one value to the other as T moves from one to the other and is constant beyond, so
  /// that its ends are those at the ends of T; it is never beyond |a - b|, however late T is.
  func difference(from other: SobrietyError) -> Interval {
    guard predicted.low == predicted.high, other.predicted.low == other.predicted.high else {
      return Interval(low: -.infinity, high: .infinity)
    }
    let (a, b) = (predicted.low, other.predicted.low)
    // Without rounding where it is the same wherever T is.
    if max(a, b) <= measured.low { return Interval(low: b - a, high: b - a) }
    if min(a, b) >= measured.high { return Interval(low: a - b, high: a - b) }
    let ends = [measured.low, measured.high].map { time in
      time.isFinite ? abs(a - time) - abs(b - time) : b - a
    }
    return Interval(low: min(ends[0], ends[1]), high: max(ends[0], ends[1]))
  }

  /// The mean over series of by how much the first error of each pair can be larger than the second;
  /// nil if there are no pairs.
  static func difference(_ pairs: some Sequence<(SobrietyError, SobrietyError)>) -> Interval? {
    var count = 0.0
    var limits = Interval(low: 0, high: 0)
    for (first, second) in pairs {
      count += 1
      limits = limits + first.difference(from: second)
    }
    return count > 0 ? limits / count : nil
  }
}

/// By how much a predicted time to sobriety misses the measured one.
///
/// All signs are predicted minus measured: positive where the subject was sober earlier than
/// predicted.
public struct SobrietyDeviation: Hashable, Sendable {
  /// Predicted time since the first drink.
  public let predicted: Hours
  /// Measured time since the first drink.
  public let measured: Hours

  public var minutes: Double { (predicted - measured).minutes }

  /// The error in percent of the measured time; nil if that is zero.
  public var percentOfMeasured: Double? { percent(of: measured) }

  /// The error in percent of the predicted time, as Nacar (2021) states it; nil if that is zero.
  public var percentOfPredicted: Double? { percent(of: predicted) }

  private func percent(of time: Hours) -> Double? {
    time == 0 ? nil : 100 * ((predicted - measured) / time)
  }
}
