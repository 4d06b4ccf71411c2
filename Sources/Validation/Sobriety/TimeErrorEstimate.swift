public import Estimation
import RealModule

/// A number with its interval over people.
public struct EstimatedValue: Codable, Hashable, Sendable {
  /// The number.
  public let value: Double
  /// Its interval; nil if people are too few for one.
  public let interval: Interval?

  init(_ value: Double, _ interval: Interval?) {
    self.value = value
    self.interval = interval
  }
}

/// How far predicted times to sobriety are off, estimated from measured times that are known between limits only.
///
/// A measured time T lies between two readings, or after the last, or before the first. The logarithm of
/// predicted / T is taken to be normal, which gives errors in percent, and by itself predicted - T, which gives errors
/// in minutes; both by maximum likelihood of the limits (``logLikelihoodOfRatio`` and ``logLikelihoodOfMinutes`` are of
/// the same events: the larger one belongs to the better description). Mean absolute errors and shares are the means
/// over series of what is expected between its limits, so that they never contradict the limits, and the normal
/// distribution matters only where these leave something open.
///
/// Intervals are over people: everybody is drawn again with all occasions, and everything is estimated anew.
///
/// Source: the interval-censored normal and log-normal models of R. Peto, Appl Stat 22 (1973) 86-91, and J. D.
/// Kalbfleisch and R. L. Prentice, "The Statistical Analysis of Failure Time Data" (2002), chapter 3.
public struct TimeErrorEstimate: Codable, Hashable, Sendable {
  /// The typical error in percent of the measured time: 100 (e^m - 1), m being the mean log ratio. Nil if every
  /// prediction is sobriety from the start.
  public let biasPercentOfMeasured: EstimatedValue?
  /// The same in percent of the predicted time: 100 (1 - e^-m).
  public let biasPercentOfPredicted: EstimatedValue?
  /// The standard deviation of the log ratio between series, times 100.
  public let sdPercent: Double?
  /// The mean error in min.
  public let biasMinutes: EstimatedValue
  /// The mean absolute error in min.
  public let meanAbsoluteMinutes: EstimatedValue
  /// The mean absolute error in percent of the measured time. A prediction of sobriety from the start counts as 100 %.
  public let meanAbsolutePercent: EstimatedValue?
  /// How many percent of the series have an error within so many percent of the measured time, in the order asked for.
  public let within: [Share]
  /// The median error by Turnbull's nonparametric estimate, in percent of the measured time; nil if every prediction is
  /// sobriety from the start.
  public let medianPercent: CensoredMedian?
  /// The log likelihood of the limits with a normal log ratio; nil if every prediction is sobriety from the start.
  public let logLikelihoodOfRatio: Double?
  /// The log likelihood of the limits with a normal error in min.
  public let logLikelihoodOfMinutes: Double

  /// How many series have an error within some percent.
  public struct Share: Codable, Hashable, Sendable {
    /// The largest error that counts, in percent of the measured time.
    public let limit: Double
    /// How many series have none larger, in percent.
    public let percent: Double
  }

  /// Which errors are counted as small unless others are asked for, in percent of the measured time.
  public static let usualLimits: [Double] = [10, 20, 30]

  /// Estimates from what is known of errors.
  ///
  /// - Parameters:
  ///   - bySubject: The errors of each person.
  ///   - limits: Within how many percent of the measured time to count.
  ///   - bootstrap: How people are drawn again.
  /// - Returns: Nil if the limits do not determine an estimate: no errors, or only upper or only lower limits.
  init?(_ bySubject: [[SobrietyError]], within limits: [Double], _ bootstrap: Bootstrap) {
    let data = Data(bySubject)
    guard let whole = data.estimate() else { return nil }
    let drawn = bootstrap.intervals(
      count: bySubject.count, width: Drawn.width, refitting: true
    ) { drawn in
      data.estimate(drawn, from: whole)?.statistics ?? []
    }
    let interval = { (position: Int, transform: (Double) -> Double) in
      drawn[position].map { Interval(low: transform($0.low), high: transform($0.high)) }
    }
    let ofMeasured = { 100 * Double.expMinusOne($0) }
    let ofPredicted = { -100 * Double.expMinusOne(-$0) }
    let ratio = whole.ratio
    biasPercentOfMeasured = ratio.map {
      EstimatedValue(ofMeasured($0.mean), interval(0, ofMeasured))
    }
    biasPercentOfPredicted = ratio.map {
      EstimatedValue(ofPredicted($0.mean), interval(0, ofPredicted))
    }
    sdPercent = ratio.map { 100 * $0.sd }
    biasMinutes = EstimatedValue(whole.minutes.mean, drawn[1])
    meanAbsoluteMinutes = EstimatedValue(whole.meanAbsoluteMinutes, drawn[2]?.notBelowZero)
    meanAbsolutePercent = whole.meanAbsolutePercent.map {
      EstimatedValue($0, drawn[3]?.notBelowZero)
    }
    within = limits.map { Share(limit: $0, percent: data.share(within: $0, whole)) }
    let medianRatio = CensoredMedian(
      data.logRatios.compactMap(\.self).map { CensoredValue(low: $0.low, high: $0.high) })
    medianPercent =
      switch medianRatio {
      case .value(let ratio): .value(ofMeasured(ratio))
      case .atLeast(let ratio): .atLeast(ofMeasured(ratio))
      case .atMost(let ratio): .atMost(ofMeasured(ratio))
      case nil: nil
      }
    logLikelihoodOfRatio = ratio?.logLikelihood
    logLikelihoodOfMinutes = whole.minutes.logLikelihood
  }
}

/// The limits of errors, and of which people they are.
private struct Data {
  /// Limits in min, series by series.
  let minutes: [Interval]
  /// Limits of the log ratio; nil for a prediction of sobriety from the start.
  let logRatios: [Interval?]
  /// The series of each person.
  let series: [Range<Int>]

  init(_ bySubject: [[SobrietyError]]) {
    let errors = bySubject.flatMap(\.self)
    minutes = errors.map(\.limits)
    logRatios = errors.map(\.logRatio)
    var first = 0
    series = bySubject.map { errors in
      defer { first += errors.count }
      return first..<first + errors.count
    }
  }

  /// Estimates with every person once, or with those drawn.
  func estimate(_ drawn: [Int]? = nil, from start: Drawn? = nil) -> Drawn? {
    var weights = [Double](repeating: drawn == nil ? 1 : 0, count: minutes.count)
    for person in drawn ?? [] {
      for index in series[person] { weights[index] += 1 }
    }
    guard let inMinutes = CensoredMaximum(minutes, weights: weights, from: start?.minutes) else {
      return nil
    }
    let known = logRatios.indices.filter { logRatios[$0] != nil }
    let ratio = CensoredMaximum(
      known.map { logRatios[$0]! }, weights: known.map { weights[$0] }, from: start?.ratio)
    guard ratio != nil || known.allSatisfy({ weights[$0] == 0 }) else { return nil }
    return Drawn(
      ratio: ratio, minutes: inMinutes,
      meanAbsoluteMinutes: mean(weights) { inMinutes.meanMagnitude(in: minutes[$0]) },
      meanAbsolutePercent: ratio.map { ratio in
        mean(weights) { index in
          100 * (logRatios[index].map { ratio.meanDistance(ofExponentialFrom: 1, in: $0) } ?? 1)
        }
      })
  }

  /// How many percent of the series are within so many percent of the measured time.
  func share(within limit: Double, _ whole: Drawn) -> Double {
    guard let ratio = whole.ratio else { return limit >= 100 ? 100 : 0 }
    let wanted = Interval(
      low: limit < 100 ? Double.log(onePlus: -limit / 100) : -.infinity,
      high: Double.log(onePlus: limit / 100))
    let total = logRatios.reduce(0.0) { sum, limits in
      sum + (limits.map { ratio.probability(of: wanted, in: $0) } ?? (limit >= 100 ? 1 : 0))
    }
    return 100 * total / Double(logRatios.count)
  }

  private func mean(_ weights: [Double], _ value: (Int) -> Double) -> Double {
    var (sum, count) = (0.0, 0.0)
    for index in weights.indices where weights[index] > 0 {
      sum += weights[index] * value(index)
      count += weights[index]
    }
    return sum / count
  }
}

/// What is estimated from one draw of people.
private struct Drawn {
  let ratio: CensoredMaximum?
  let minutes: CensoredMaximum
  let meanAbsoluteMinutes: Double
  let meanAbsolutePercent: Double?

  static let width = 4

  var statistics: [Double?] {
    [ratio?.mean, minutes.mean, meanAbsoluteMinutes, meanAbsolutePercent]
  }
}
