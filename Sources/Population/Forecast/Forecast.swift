public import AlcoholKinetics
public import Estimation
import RealModule
import StudyData

/// The curve ahead and the time to a threshold as distributions, from a ``Posterior``.
///
/// What is forecast is a mixture. One part are the curves of the posterior's draws, with the errors that come in runs
/// going on as they would from the last reading. Once two readings after the peak are known, the other part is a
/// straight line through the last readings, which needs no population: it has the share 1/2 exp(-h / 2 h) of what lies h ahead, where h is
/// counted from the last reading. Both numbers were chosen on the open studies (see <doc:PriorsAndForecasts>).
public struct Forecast: Sendable {
  /// What is known of the subject.
  public let posterior: Posterior
  private let curves: [any BloodCurve]
  private let line: LastReadingsLine?
  let seed: UInt64

  /// The share of the line in what is forecast for the moment of the last reading.
  private static let lineShare = 0.5
  /// In which time that share falls to 1 / e, in h.
  private static let lineHours = 2.0
  /// Below this concentration, in g/kg, errors that come in runs are smaller in proportion, for there can be no run
  /// of errors where there is no alcohol.
  private static let fullErrors = 0.1

  /// Looks ahead.
  ///
  /// - Throws: `SeriesFailure/kinetics(_:)` if a curve cannot be followed.
  public init(_ posterior: Posterior, seed: UInt64 = 1) throws(SeriesFailure) {
    self.posterior = posterior
    self.seed = seed
    do {
      curves = try posterior.draws.map { draw throws(KineticsError) in
        try draw.curve(of: posterior.regimen)
      }
    } catch { throw .kinetics(error) }
    line = LastReadingsLine(posterior.known, of: posterior.regimen, draws: curves.count, seed)
  }

  /// The share of the line in what is forecast for some hours after the last reading.
  private func lineShare(after hours: Double) -> Double {
    line == nil ? 0 : Self.lineShare * .exp(-max(0, hours) / Self.lineHours)
  }

  /// Hours from the last reading to a time; nil without readings, or before the last.
  private func hoursAhead(_ time: Hours) -> Double? {
    guard let last = posterior.lastReading, time + .roundingSlack >= last else { return nil }
    return max(0, (time - last).value)
  }

  /// Puts draws of the curves and of the line together, each evenly thinned to its share.
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

  /// A concentration with the errors that come in runs, by the typical standard deviation of a reading, in g/kg.
  private func withRuns(
    _ concentration: Double, _ ahead: ErrorAhead, hours: Double, _ deviation: Double
  ) -> Double {
    let share = min(1, concentration / Self.fullErrors)
    return max(0, concentration + share * deviation * ahead.correlated(after: hours))
  }

  /// The concentrations, times the gain if asked, that readings show but for independent errors, and the size of these.
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

  /// The same of the curves alone, in the order of the draws.
  func ofCurves(at time: Hours, isGained: Bool) -> (levels: [Double], deviations: [Double]) {
    let hours = hoursAhead(time)
    var (levels, deviations) = ([Double](), [Double]())
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

  /// What a reading at a time would show, in g/kg: the curve times the gain, with the error of readings; what
  /// would be below zero is zero.
  public func reading(at time: Hours) -> PredictedReading {
    let points = HaltonPoints(seed, 0x7265_6164)
    let (expected, deviations) = expectations(at: time, isGained: true)
    let shown = expected.indices.map { draw in
      var point = points.point(draw, from: 15)
      return max(0, expected[draw] + deviations[draw] * point.normal())
    }
    return PredictedReading(draws: Draws(shown), expected: expected, deviations: deviations)
  }

  /// When the concentration falls to a threshold for good, in min since the first drink; 0 where it is never
  /// above. It is not before the last reading if that was above the threshold.
  ///
  /// - Parameters:
  ///   - threshold: In g/kg.
  ///   - reading: A reading above the threshold that no draw may contradict: none falls to the threshold before it
  ///     would from that reading, as fast as its curve falls there.
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

  /// The same of the curves alone, in the order of the draws.
  func minutesOfCurves(
    to threshold: GramsPerKilogram, after reading: (time: Hours, shown: GramsPerKilogram)? = nil
  ) throws(SeriesFailure) -> [Double] {
    let start = posterior.series.start
    let last = posterior.known.last
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

  /// When a curve falls to a threshold for good, with the errors that come in runs then; nil where it is never above.
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

  /// How fast a curve falls about a threshold, in g/kg/h; one that never gets there falls as subjects do (Jones 2010).
  private static func rate(of curve: any BloodCurve, about threshold: GramsPerKilogram) -> Double {
    let half = GramsPerKilogram(0.5 * threshold.value)
    guard let above = curve.timeToThreshold(threshold), let below = curve.timeToThreshold(half),
      below > above
    else { return 0.15 }
    return (threshold - half).value / (below - above).value
  }
}

/// Draws of equal weight from a distribution, in ascending order, with what forecasts are scored by.
public struct Draws: Codable, Hashable, Sendable {
  /// In ascending order; at least one.
  public let values: [Double]

  /// Sorts draws; at least one.
  public init(_ values: [Double]) { self.values = values.sorted() }

  /// The number below which a share p of the draws lies, p from 0 to 1 (type 7 of Hyndman & Fan 1996).
  public func quantile(_ p: Double) -> Double { EmpiricalQuantile.type7(p, ofSorted: values) }

  /// The middle.
  public var median: Double { quantile(0.5) }

  /// The Monte Carlo standard error of a quantile: half the distance between the order statistics one binomial standard
  /// deviation below and above.
  ///
  /// - `count`: How many independent draws these are worth.
  public func error(ofQuantile p: Double, worth count: Double) -> Double {
    let spread = (p * (1 - p) / max(1, min(count, Double(values.count)))).squareRoot()
    let error = (quantile(min(1, p + spread)) - quantile(max(0, p - spread))) / 2
    // More than two digits of an error are noise themselves.
    return Self.rounded(error, toTwoDigitsOf: error)
  }

  /// A quantile in as many digits as its Monte Carlo error allows: the error has two of them.
  public func settledQuantile(_ p: Double, worth count: Double) -> Double {
    Self.rounded(quantile(p), toTwoDigitsOf: error(ofQuantile: p, worth: count))
  }

  /// The central interval of a probability, in as many digits as the Monte Carlo errors of its ends allow.
  public func settledInterval(_ level: Double, worth count: Double) -> Interval {
    Interval(
      low: settledQuantile(0.5 - 0.5 * level, worth: count),
      high: settledQuantile(0.5 + 0.5 * level, worth: count))
  }

  /// The share of draws at or below a number, in as many digits as its binomial error allows.
  public func settledProbability(atMost x: Double, worth count: Double) -> Double {
    settled(probability(atMost: x), worth: count)
  }

  /// The score ``crps(against:from:)`` in as many digits as its Monte Carlo error allows: that of the mean distance.
  public func settledCRPS(
    against y: Double, from floor: Double = -.infinity, worth count: Double
  ) -> Double {
    let distances = Moments(of: values.map { abs(max(floor, $0) - max(floor, y)) })
    let variance = distances.squares / Double(values.count)
    let error = (variance / max(1, min(count, Double(values.count)))).squareRoot()
    return Self.rounded(crps(against: y, from: floor), toTwoDigitsOf: error)
  }

  /// The score ``crps(at:since:reached:)`` in as many digits as its Monte Carlo error allows.
  public func settledCRPS(
    at times: [Double], since begin: Double, reached: Double, worth count: Double
  ) -> Double {
    // By the delta method: a draw moves the score by the sum of `slope` over the times that are not before it.
    var (slope, above, mean, square) = (0.0, 1.0, 0.0, 0.0)
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

  /// Where a number stands in the distribution (``rank(of:)``), in as many digits as its binomial error allows.
  public func settledRank(of y: Double, worth count: Double) -> Double {
    settled(rank(of: y), worth: count)
  }

  /// A share of draws in as many digits as its binomial error allows.
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

  /// The share of draws at or below a number.
  public func probability(atMost x: Double) -> Double {
    Double(count(atMost: x)) / Double(values.count)
  }

  private func count(atMost x: Double) -> Int {
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if values[middle] <= x { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The continuous ranked probability score against a number: the integral of (F(x) - 1{x >= y})^2
  /// (Matheson & Winkler 1976), in the unit of the draws. Of a single draw it is the absolute error.
  ///
  /// - Parameter floor: Below it nothing is told apart, as below a limit of detection: the integral begins there
  ///   (threshold-weighted: Gneiting & Ranjan 2011), and a number below it counts as the floor.
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

  /// The score of a forecast time T of an event that is looked for at some times only: the sum over these of
  /// (F(t) - 1{T <= t})^2, each times what passed since the one before, in the unit of the draws.
  ///
  /// It is the continuous ranked probability score with its weight at the times of the readings (threshold-weighted:
  /// Gneiting & Ranjan 2011). As the weights do not depend on the outcome, it is proper: no forecast has a lower expected
  /// score than the true distribution. What lies between two readings is not told apart, and so not scored.
  ///
  /// - Parameters:
  ///   - times: When readings were taken after the forecast was made, ascending.
  ///   - begin: When the forecast was made; the first reading counts with what passed since then. Nothing after the last
  ///     is scored.
  ///   - reached: The time of the first reading by which it had happened; infinite if it had not by the last, so that
  ///     1{T <= t} is 0 at all of them.
  public func crps(at times: [Double], since begin: Double, reached: Double) -> Double {
    steps(at: times, since: begin, reached: reached).reduce(0) {
      $0 + $1.gap * $1.miss * $1.miss
    }
  }

  /// F at the times of readings, its distance from what was seen, and what passed since the reading before.
  private func steps(
    at times: [Double], since begin: Double, reached: Double
  ) -> [(share: Double, miss: Double, gap: Double)] {
    zip([begin] + times, times).map { before, time in
      // A draw at the time of a reading is not after it, whatever rounding of clocks makes of either.
      let share = probability(atMost: time + 1e-9)
      return (share, share - (time < reached ? 0 : 1), time - before)
    }
  }

  /// Where a number stands in the distribution, from 0 to 1; of equal draws half counts
  /// (probability integral transform).
  public func rank(of y: Double) -> Double {
    let atMost = count(atMost: y)
    let below = count(atMost: y.nextDown)
    return 0.5 * Double(atMost + below) / Double(values.count)
  }
}

/// What a reading is expected to show.
public struct PredictedReading: Sendable {
  /// Draws with the error of readings, in g/kg.
  public let draws: Draws
  /// What it shows but for independent errors, and the size of these, draw by draw in g/kg.
  let expected: [Double]
  let deviations: [Double]

  /// The logarithm of the density of a reading, in ln(kg/g); of one at or below a limit, of the probability to be
  /// there.
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
