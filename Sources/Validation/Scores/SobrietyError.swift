package import Estimation
import RealModule

/// The error of one predicted time to sobriety as an interval, predicted minus measured, in min.
///
/// A measured time T is interval-censored; the upper limit is infinite for somebody still above the
/// threshold at the last reading. So the error is an interval, too, any value of which may be the
/// true one.
package struct SobrietyError: Codable, Hashable, Sendable {
  /// The interval of the predicted time; a single time unless the curve ends above the threshold.
  let predicted: Interval
  /// The interval of the measured time; all times are in min since the first drink.
  let measured: Interval
  /// The stated limits of the predicted time; nil if none are stated.
  var interval: Interval?

  /// The limits of the error; they may be infinite.
  var limits: Interval {
    Interval(low: predicted.low - measured.high, high: predicted.high - measured.low)
  }

  /// The limits of the natural logarithm of predicted / measured; nil if sobriety is predicted from
  /// the start, which has no logarithm.
  var logRatio: Interval? {
    guard predicted.high > 0 else { return nil }
    return Interval(
      low: Double.log(predicted.low) - Double.log(measured.high),
      high: Double.log(predicted.high) - Double.log(measured.low))
  }

  /// The limits of the error in percent of the measured time; the upper one may be infinite.
  package var percentOfMeasured: Interval {
    guard let logRatio else { return Interval(low: -100, high: -100) }
    return Interval(
      low: 100 * Double.expMinusOne(logRatio.low), high: 100 * Double.expMinusOne(logRatio.high))
  }

  /// Whether neither readings nor prediction were above the threshold, so that the error is not
  /// informative.
  var agreesFromTheStart: Bool { predicted.high == 0 && measured.low == 0 }

  /// Whether no reading was above the threshold and the first was early. The measured time may be
  /// the start, so that a ratio to it is undefined.
  var isMeasuredFromTheStart: Bool { measured.low == 0 && measured.high <= Self.earliestReturn }

  /// An hour, in min: nobody rises above a threshold and falls below it again sooner after the
  /// first drink.
  private static let earliestReturn = 60.0

  /// Whether the measured time lies between two readings.
  var isBetweenReadings: Bool { measured.low > 0 && measured.high.isFinite }

  /// The predicted time, in min; nil for a curve that ends above the threshold.
  var predictedMinutes: Double? { predicted.low == predicted.high ? predicted.low : nil }

  /// The lower limit of the error, in min; nil if there is none.
  package var least: Double? { limits.low.isFinite ? limits.low : nil }

  /// The upper limit of the error, in min; nil if there is none.
  package var most: Double? { limits.high.isFinite ? limits.high : nil }
}
