package import Estimation
import RealModule

/// What is known of the error of one predicted time to sobriety, predicted minus measured, in min.
///
/// A measured time T is known to lie between two limits, of which the upper one is infinite for
/// somebody who was still above the threshold at the last reading. So the error is known between two
/// limits, too, and any of its values within them may be the true one.
package struct SobrietyError: Codable, Hashable, Sendable {
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
  package var percentOfMeasured: Interval {
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
  package var least: Double? { limits.low.isFinite ? limits.low : nil }

  /// The largest that the error can be, in min; nil if it has no upper limit.
  package var most: Double? { limits.high.isFinite ? limits.high : nil }
}
