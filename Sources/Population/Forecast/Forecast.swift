public import AlcoholKinetics
public import Estimation
import RealModule
import StudyData

/// The forecast distribution of the curve and of the time to a threshold, from a ``Posterior``.
///
/// The forecast is a mixture of two models. The first is the curves of the posterior draws, with their correlated errors
/// continued from the last reading. Once there are two readings after the peak, the second is a straight line through the
/// last readings, independent of the population. Its weight is 1/2 exp(-h / 2 h), h hours after the last reading. Both
/// numbers were chosen on the open studies (see <doc:PriorsAndForecasts>).
public struct Forecast: Sendable {
  /// The posterior of the subject.
  public let posterior: Posterior
  private let curves: [any BloodCurve]
  private let line: LastReadingsLine?
  let seed: UInt64

  /// The weight of the line at the time of the last reading.
  private static let lineShare = 0.5
  /// The time constant of the decay of that weight, in h.
  private static let lineHours = 2.0
  /// Correlated errors shrink in proportion below this concentration, in g/kg, since they vanish without alcohol.
  private static let fullErrors = 0.1

  /// Computes the curves of the posterior draws, and the line.
  ///
  /// - Throws: `SeriesFailure/kinetics(_:)` if a curve cannot be followed.
  public init(_ posterior: Posterior, seed: UInt64 = 1) throws(SeriesFailure) {
    self.posterior = posterior
    self.seed = seed
    do {
      curves = try posterior.draws.map { draw throws(Problem) in
        try draw.curve(of: posterior.regimen)
      }
    } catch { throw .problem(error) }
    line = LastReadingsLine(
      posterior.observations, of: posterior.regimen, draws: curves.count, seed)
  }

  /// The weight of the line some hours after the last reading.
  private func lineShare(after hours: Double) -> Double {
    line == nil ? 0 : Self.lineShare * .exp(-max(0, hours) / Self.lineHours)
  }

  /// Hours from the last reading to a time; nil without readings, or before the last.
  private func hoursAhead(_ time: Hours) -> Double? {
    guard let last = posterior.lastReading, time + .roundingSlack >= last else { return nil }
    return max(0, (time - last).value)
  }

  /// The mixture of draws of the curves and of the line, each evenly thinned by its weight.
  private func mixed(_ curves: [Double], _ line: [Double], share: Double) -> [Double] {
    let count = curves.count
    let ofLine = Int((share * Double(count)).rounded())
    func thinned(_ draws: [Double], _ kept: Int) -> [Double] {
      (0..<kept).map { draws[$0 * draws.count / kept] }
    }
    return thinned(curves, count - ofLine) + thinned(line, ofLine)
  }

  /// The typical standard deviation of a reading of a draw, in g/kg.
  private func deviation(of draw: Int, at time: Hours, _ level: Double) -> Double {
    posterior.errors.deviation(
      at: level,
      unabsorbed: posterior.errors.absorption > 0
        ? posterior.regimen.unabsorbed(at: time, posterior.draws[draw]) : 0)
  }

  /// A concentration plus its correlated error, in g/kg; `deviation` is the typical standard deviation of a reading.
  private func withRuns(
    _ concentration: Double, _ ahead: ErrorAhead, hours: Double, _ deviation: Double
  ) -> Double {
    let share = min(1, concentration / Self.fullErrors)
    return max(0, concentration + share * deviation * ahead.correlated(after: hours))
  }

  /// The expected readings given the correlated errors, and the standard deviations of the independent ones, in g/kg;
  /// `isGained` applies the gain.
  private func expectations(
    at time: Hours, isGained: Bool
  ) -> (levels: [Double], deviations: [Double]) {
    let (levels, deviations) = ofCurves(at: time, isGained: isGained)
    guard let line, let hours = hoursAhead(time) else { return (levels, deviations) }
    let share = lineShare(after: hours)
    return (
      mixed(levels, line.draws.map { $0.level(after: hours) }, share: share),
      mixed(deviations, line.draws.map(\.deviation), share: share)
    )
  }

  /// The expected readings and standard deviations as above, of the curves without the line, in the order of the draws.
  func ofCurves(at time: Hours, isGained: Bool) -> (levels: [Double], deviations: [Double]) {
    let hours = hoursAhead(time)
    var levels: [Double] = []
    var deviations: [Double] = []
    for (index, curve) in curves.enumerated() {
      let ahead = posterior.ahead[index]
      let gain = isGained ? posterior.draws[index][.gain] ?? 1 : 1
      let level = gain * curve.concentration(at: time).value
      let deviation = deviation(of: index, at: time, level)
      if let hours {
        levels.append(withRuns(level, ahead, hours: hours, deviation))
        deviations.append(deviation * ahead.independent)
      } else {
        levels.append(level)
        deviations.append(deviation * ahead.size)
      }
    }
    return (levels, deviations)
  }

  /// The concentration in blood at a time: a draw for each draw of the posterior, in g/kg.
  public func concentrations(at time: Hours) -> Draws {
    Draws(expectations(at: time, isGained: false).levels)
  }

  /// The predictive distribution of a reading at a time, in g/kg: the curve times the gain, plus residual error; not below
  /// zero.
  public func reading(at time: Hours) -> PredictedReading {
    let points = HaltonPoints(seed, 0x7265_6164)
    let (expected, deviations) = expectations(at: time, isGained: true)
    let shown = expected.indices.map { draw in
      var point = points.point(draw, from: 15)
      return max(0, expected[draw] + deviations[draw] * point.normal())
    }
    return PredictedReading(draws: Draws(shown), expected: expected, deviations: deviations)
  }

  /// The time from which on the concentration stays at or below a threshold, in min since the first drink; 0 where it is
  /// never above. It is after the last reading if that was above the threshold.
  ///
  /// - Parameters:
  ///   - threshold: In g/kg.
  ///   - reading: A reading above the threshold. No draw reaches the threshold earlier than a decline from this reading at
  ///     the draw's own rate.
  /// - Throws: `SeriesFailure/neverSober(threshold:)` if some curve never falls to it.
  public func minutesToThreshold(
    _ threshold: GramsPerKilogram, after reading: (time: Hours, shown: GramsPerKilogram)? = nil
  ) throws(SeriesFailure) -> Draws {
    let minutes = try minutesOfCurves(to: threshold, after: reading)
    guard let line, let lastTime = posterior.lastReading else { return Draws(minutes) }
    let begin = (lastTime - posterior.series.start).minutes
    let horizon = (Draws(minutes).median - begin) / 60
    let ofLine = line.draws.map { begin + 60 * $0.hours(to: threshold.value) }
    return Draws(mixed(minutes, ofLine, share: lineShare(after: horizon)))
  }

  /// The times of the curves without the line, in min since the first drink, in the order of the draws.
  func minutesOfCurves(
    to threshold: GramsPerKilogram, after reading: (time: Hours, shown: GramsPerKilogram)? = nil
  ) throws(SeriesFailure) -> [Double] {
    let start = posterior.series.start
    let last = posterior.observations.last
    let isAbove = last.map { !$0.isCensored && $0.level > threshold.value } ?? false
    let earliest = isAbove ? posterior.lastReading.map { ($0 - start).minutes } ?? 0 : 0
    var minutes: [Double] = []
    for (index, curve) in curves.enumerated() {
      let time = try time(of: index, to: threshold)
      var minute = time.map { max(earliest, ($0 - start).minutes) } ?? earliest
      if let reading, reading.shown > threshold {
        let fall = (reading.shown - threshold).value / Self.rate(of: curve, about: threshold)
        minute = max(minute, (reading.time - start).minutes + 60 * fall)
      }
      minutes.append(max(0, minute))
    }
    return minutes
  }

  /// The time from which on a curve with its correlated error stays at or below a threshold; nil if it is never above.
  private func time(
    of draw: Int, to threshold: GramsPerKilogram
  ) throws(SeriesFailure) -> Hours? {
    let curve = curves[draw]
    guard let time = curve.timeToThreshold(threshold) else {
      guard (curve.peak?.concentration ?? 0) <= threshold else {
        throw .neverSober(threshold: threshold)
      }
      return nil
    }
    let hours = max(0, (time - (posterior.lastReading ?? time)).value)
    let level = threshold.value
    guard level > 0, !posterior.errors.isPlain else { return time }
    let run =
      min(1, level / Self.fullErrors) * deviation(of: draw, at: time, level)
      * posterior.ahead[draw].correlated(after: hours)
    let shifted = GramsPerKilogram(max(0.1 * level, level - run))
    return curve.timeToThreshold(shifted)
  }

  /// The rate of decline of a curve near a threshold, in g/kg/h; 0.15 if it does not decline there (Jones 2010).
  private static func rate(of curve: any BloodCurve, about threshold: GramsPerKilogram) -> Double {
    let half = GramsPerKilogram(0.5 * threshold.value)
    guard let above = curve.timeToThreshold(threshold), let below = curve.timeToThreshold(half),
      below > above
    else { return 0.15 }
    return (threshold - half).value / (below - above).value
  }
}

/// Draws of equal weight from a distribution, with quantiles and scores of forecasts.
public struct Draws: Codable, Hashable, Sendable {
  /// The draws in ascending order; at least one.
  public let values: [Double]

  /// Sorts draws; at least one.
  public init(_ values: [Double]) { self.values = values.sorted() }

  /// The quantile of probability p, from 0 to 1 (type 7 of Hyndman & Fan 1996).
  public func quantile(_ p: Double) -> Double { EmpiricalQuantile.type7(p, ofSorted: values) }

  /// The median.
  public var median: Double { quantile(0.5) }

  /// The Monte Carlo standard error of a quantile: half the distance between the order statistics one binomial standard
  /// deviation below and above.
  ///
  /// - `count`: The effective sample size.
  public func error(ofQuantile p: Double, worth count: Double) -> Double {
    let spread = (p * (1 - p) / max(1, min(count, Double(values.count)))).squareRoot()
    let error = (quantile(min(1, p + spread)) - quantile(max(0, p - spread))) / 2
    // Further digits of a Monte Carlo error are noise.
    return Self.rounded(error, toTwoDigitsOf: error)
  }

  /// A quantile rounded to the second digit of its Monte Carlo error.
  public func settledQuantile(_ p: Double, worth count: Double) -> Double {
    Self.rounded(quantile(p), toTwoDigitsOf: error(ofQuantile: p, worth: count))
  }

  /// The central interval of a probability, with its ends rounded to the second digit of their Monte Carlo errors.
  public func settledInterval(_ level: Double, worth count: Double) -> Interval {
    Interval(
      low: settledQuantile(0.5 - 0.5 * level, worth: count),
      high: settledQuantile(0.5 + 0.5 * level, worth: count))
  }

  /// The fraction of draws at or below a number, rounded to the second digit of its binomial error.
  public func settledProbability(atMost x: Double, worth count: Double) -> Double {
    settled(probability(atMost: x), worth: count)
  }

  /// The score ``crps(against:from:)``, rounded to the second digit of the Monte Carlo error of the mean distance.
  public func settledCRPS(
    against y: Double, from floor: Double = -.infinity, worth count: Double
  ) -> Double {
    let distances = Moments(of: values.map { abs(max(floor, $0) - max(floor, y)) })
    let variance = distances.squares / Double(values.count)
    let error = (variance / max(1, min(count, Double(values.count)))).squareRoot()
    return Self.rounded(crps(against: y, from: floor), toTwoDigitsOf: error)
  }

  /// The score ``crps(at:since:reached:)``, rounded to the second digit of its Monte Carlo error.
  public func settledCRPS(
    at times: [Double], since begin: Double, reached: Double, worth count: Double
  ) -> Double {
    // By the delta method: a draw moves the score by the sum of `slope` over the times that are not before it.
    var slope = 0.0
    var above = 1.0
    var mean = 0.0
    var square = 0.0
    for step in steps(at: times, since: begin, reached: reached).reversed() {
      mean += (above - step.share) * slope
      square += (above - step.share) * slope * slope
      slope += 2 * step.gap * step.miss
      above = step.share
    }
    mean += above * slope
    square += above * slope * slope
    let variance = max(0, square - mean * mean)
    let error = (variance / max(1, min(count, Double(values.count)))).squareRoot()
    return Self.rounded(
      crps(at: times, since: begin, reached: reached), toTwoDigitsOf: error)
  }

  /// The rank of a number (``rank(of:)``), rounded to the second digit of its binomial error.
  public func settledRank(of y: Double, worth count: Double) -> Double {
    settled(rank(of: y), worth: count)
  }

  /// A fraction of draws, rounded to the second digit of its binomial error.
  private func settled(_ p: Double, worth count: Double) -> Double {
    let error = (p * (1 - p) / max(1, min(count, Double(values.count)))).squareRoot()
    return Self.rounded(p, toTwoDigitsOf: error)
  }

  private static func rounded(_ number: Double, toTwoDigitsOf error: Double) -> Double {
    guard error > 0, error.isFinite else { return number }
    let step = Double.pow(10, Double.log10(error).rounded(.down) - 1)
    return step < 1
      ? (number * (1 / step).rounded()).rounded() / (1 / step).rounded()
      : (number / step).rounded() * step
  }

  /// The central interval of a probability.
  public func interval(_ level: Double) -> Interval {
    Interval(low: quantile(0.5 - 0.5 * level), high: quantile(0.5 + 0.5 * level))
  }

  /// The fraction of draws at or below a number.
  public func probability(atMost x: Double) -> Double {
    Double(count(atMost: x)) / Double(values.count)
  }

  private func count(atMost x: Double) -> Int {
    var low = 0
    var high = values.count
    while low < high {
      let middle = (low + high) / 2
      if values[middle] <= x { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The continuous ranked probability score against a number: the integral of (F(x) - 1{x >= y})^2
  /// (Matheson & Winkler 1976), in the unit of the draws. Of a single draw it is the absolute error.
  ///
  /// - Parameters:
  ///   - y: The number, in the unit of the draws.
  ///   - floor: The lower end of the integral, such as a limit of detection (threshold-weighted: Gneiting & Ranjan
  ///     2011). A number below it counts as the floor.
  public func crps(against y: Double, from floor: Double = -.infinity) -> Double {
    let count = Double(values.count)
    let y = max(y, floor)
    var score = 0.0
    // F is constant between neighbouring draws.
    var before = Swift.min(max(values[0], floor), y)
    for (index, value) in (values + [Swift.max(values[values.count - 1], y)]).enumerated() {
      let share = Double(index) / count
      let below = Swift.max(0, Swift.min(value, y) - before)
      let above = Swift.max(0, value - Swift.max(before, y))
      score += share * share * below + (1 - share) * (1 - share) * above
      before = Swift.max(before, value)
    }
    return score
  }

  /// The score of a forecast time T of an event that is checked at some times t only: the sum of (F(t) - 1{T <= t})^2
  /// weighted by the time since the previous check, in the unit of the draws.
  ///
  /// It is the continuous ranked probability score with its weight at the times of the readings (threshold-weighted:
  /// Gneiting & Ranjan 2011). As the weights do not depend on the outcome, it is proper: no forecast has a lower expected
  /// score than the true distribution. Times between two readings cannot be distinguished and are not scored.
  ///
  /// - Parameters:
  ///   - times: The times of readings after the forecast, ascending. Nothing after the last is scored.
  ///   - begin: The time of the forecast, from which the weight of the first reading counts.
  ///   - reached: The time of the first reading by which the event had happened; infinite if it had not by the last, so
  ///     that 1{T <= t} is 0 at all of them.
  public func crps(at times: [Double], since begin: Double, reached: Double) -> Double {
    steps(at: times, since: begin, reached: reached).reduce(0) {
      $0 + $1.gap * $1.miss * $1.miss
    }
  }

  /// For each reading F, its distance from the observed indicator, and the time since the previous reading.
  private func steps(
    at times: [Double], since begin: Double, reached: Double
  ) -> [(share: Double, miss: Double, gap: Double)] {
    zip([begin] + times, times).map { before, time in
      // The slack keeps a draw at the time of a reading from counting as later by rounding.
      let share = probability(atMost: time + 1e-9)
      return (share, share - (time < reached ? 0 : 1), time - before)
    }
  }

  /// The probability integral transform of a number: the fraction of draws below it plus half of those equal to it.
  public func rank(of y: Double) -> Double {
    let atMost = count(atMost: y)
    let below = count(atMost: y.nextDown)
    return 0.5 * Double(atMost + below) / Double(values.count)
  }
}

/// The predictive distribution of a reading.
public struct PredictedReading: Sendable {
  /// Draws including residual error, in g/kg.
  public let draws: Draws
  /// The expected reading of each draw, and the standard deviation of its independent error, in g/kg.
  let expected: [Double]
  let deviations: [Double]

  /// The log score: the logarithm of the density of a reading, in ln(kg/g), or for a reading at or below a limit that of the
  /// probability of such a reading.
  public func logScore(of reading: Double, limit: Double? = nil) -> Double {
    let censoring = limit.flatMap { reading <= $0 ? $0 : nil } ?? (reading <= 0 ? 0 : nil)
    let logs = zip(expected, deviations).map { mean, sd -> Double in
      if let censoring { return -0.5 * BelowLimit.cost((censoring - mean) / sd) }
      let z = (reading - mean) / sd
      return -0.5 * (z * z + ObservationModel.constant) - .log(sd)
    }
    return logMean(logs)
  }
}
