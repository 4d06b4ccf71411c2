public import AlcoholKinetics
public import Estimation
import RealModule
import StudyData

/// The curve ahead and the time to a threshold as distributions, from a ``Posterior``.
public struct Forecast: Sendable {
  /// What is known of the person.
  public let posterior: Posterior
  private let curves: [any BloodCurve]
  private let numbers: UInt64

  /// Looks ahead.
  ///
  /// - Throws: `SeriesFailure/kinetics(_:)` if a curve cannot be followed.
  public init(_ posterior: Posterior, seed: UInt64 = 1) throws(SeriesFailure) {
    self.posterior = posterior
    numbers = seed ^ posterior.series.seed &+ 1
    var curves: [any BloodCurve] = []
    for draw in posterior.draws {
      do { curves.append(try draw.curve(of: posterior.regimen)) } catch { throw .kinetics(error) }
    }
    self.curves = curves
  }

  /// The concentration in blood at a time: a draw for each draw of the posterior, in g/kg.
  public func concentrations(at time: Hours) -> Draws {
    Draws(curves.map { $0.concentration(at: time).value })
  }

  /// What a reading at a time would show, in g/kg: the curve times the gain, with the error of readings; what
  /// would be below zero is zero.
  public func reading(at time: Hours) -> PredictedReading {
    var stream = RandomStream(numbers, time.value.bitPattern)
    let expected = zip(curves, posterior.draws).map { curve, draw in
      (draw[.gain] ?? 1) * curve.concentration(at: time).value
    }
    let deviations = expected.map(posterior.deviation)
    let shown = zip(expected, deviations).map { max(0, $0 + $1 * stream.normal()) }
    return PredictedReading(draws: Draws(shown), expected: expected, deviations: deviations)
  }

  /// When the concentration falls to a threshold for good, in min since the first drink; 0 where it is never
  /// above.
  ///
  /// - Parameters:
  ///   - threshold: In g/kg.
  ///   - reading: A reading above the threshold that no draw may contradict: none falls to the threshold before it
  ///     would from that reading, as fast as its curve falls there.
  /// - Throws: `SeriesFailure/neverSober(threshold:)` if some curve never falls to it.
  public func minutesToThreshold(
    _ threshold: GramsPerKilogram, after reading: (time: Hours, shown: GramsPerKilogram)? = nil
  ) throws(SeriesFailure) -> Draws {
    let start = posterior.series.start
    var minutes: [Double] = []
    for curve in curves {
      let time: Double
      if let end = curve.timeToThreshold(threshold) {
        time = max(0, (end - start).minutes)
      } else if (curve.peak?.concentration ?? 0) > threshold {
        throw .neverSober(threshold: threshold)
      } else {
        time = 0
      }
      guard let reading, reading.shown > threshold else {
        minutes.append(time)
        continue
      }
      let fall = (reading.shown - threshold).value / Self.rate(of: curve, about: threshold)
      minutes.append(max(time, (reading.time - start).minutes + 60 * fall))
    }
    return Draws(minutes)
  }

  /// How fast a curve falls about a threshold, in g/kg/h; one that never gets there falls as people do (Jones 2010).
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
  public func quantile(_ p: Double) -> Double { Sample.quantile(p, ofSorted: values) }

  /// The middle.
  public var median: Double { quantile(0.5) }

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
  public func crps(against y: Double) -> Double { crps(between: y, and: y) }

  /// The score against a number of which is known only that it is not below `low` and not above `high`: the same
  /// integral without what lies between the two, where the outcome cannot be told (threshold-weighted: Gneiting &
  /// Ranjan 2011).
  public func crps(between low: Double, and high: Double) -> Double {
    let count = Double(values.count)
    var score = 0.0
    // F is constant between neighbouring draws.
    var before = Swift.min(values[0], low)
    for (index, value) in (values + [Swift.max(values[values.count - 1], low)]).enumerated() {
      let share = Double(index) / count
      let below = Swift.max(0, Swift.min(value, low) - before)
      let above = Swift.max(0, value - Swift.max(before, high))
      score += share * share * below + (1 - share) * (1 - share) * above
      before = Swift.max(before, value)
    }
    return score
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
  private let expected: [Double]
  private let deviations: [Double]

  init(draws: Draws, expected: [Double], deviations: [Double]) {
    (self.draws, self.expected, self.deviations) = (draws, expected, deviations)
  }

  /// The logarithm of the density of a reading, in ln(kg/g); of one at or below a limit, of the probability to be
  /// there.
  public func logScore(of reading: Double, limit: Double? = nil) -> Double {
    let censoring = limit.flatMap { reading <= $0 ? $0 : nil } ?? (reading <= 0 ? 0 : nil)
    let logs = zip(expected, deviations).map { mean, sd -> Double in
      if let censoring { return -0.5 * BelowLimit.cost((censoring - mean) / sd).cost }
      let z = (reading - mean) / sd
      return -0.5 * (z * z + ReadingsLikelihood.constant) - .log(sd)
    }
    return logMean(logs)
  }
}
