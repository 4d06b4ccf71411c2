public import AlcoholKinetics
public import Estimation
import RealModule
import Statistics
import StudyData

/// The most informative next reading: that which is expected to narrow the time to a threshold most.
public struct NextReading: Codable, Hashable, Sendable {
  /// The time to take it, in min since the first drink.
  public let minutes: Double
  /// The present width of the 90 % interval of the time to the threshold, in min.
  public let width: Double
  /// The expected width with the reading, in min.
  public let expectedWidth: Double

  /// The expected relative reduction of the width.
  public var gain: Double { 1 - expectedWidth / width }
}

extension Forecast {
  /// Finds the most informative next reading, by preposterior analysis (Raiffa & Schlaifer 1961, chapter 4).
  ///
  /// Readings are drawn from the forecast at each time, and the posterior draws are weighted by their likelihood. The mean
  /// width of the interval of the weighted times to the threshold is the expected width. Only the curves are used, without
  /// the line through the last readings.
  ///
  /// - Parameters:
  ///   - threshold: In g/kg.
  ///   - now: The present time; nil for the last reading, or the first drink.
  ///   - hours: The period ahead in which a reading may be taken.
  ///   - step: The interval between the times that are tried.
  ///   - window: The time after a drink during which mouth alcohol spoils a reading.
  /// - Returns: Nil if the time to the threshold is certain already, or no reading can be taken.
  /// - Throws: `SeriesFailure/neverSober(threshold:)` if some curve never falls to the threshold.
  public func nextReading(
    about threshold: GramsPerKilogram, after now: Hours? = nil, within hours: Hours = 1,
    every step: Hours = Hours(minutes: 5), mouthAlcoholWindow window: Hours = 0
  ) throws(SeriesFailure) -> NextReading? {
    let minutes = try minutesOfCurves(to: threshold)
    let order = minutes.indices.sorted { (minutes[$0], $0) < (minutes[$1], $1) }
    let sorted = order.map { minutes[$0] }
    let width = Draws(minutes).interval(0.9).width
    let start = posterior.series.start
    let begin = max(now ?? start, posterior.lastReading ?? start)
    let spoiled = SpoiledTimes(posterior.series.drinks, window: window)
    guard width > 1e-6, minutes.allSatisfy(\.isFinite) else { return nil }
    var best: NextReading?
    for index in 1...max(1, Int((hours.value / step.value).rounded())) {
      let time = begin + Hours(Double(index) * step.value)
      guard !spoiled.contains(time) else { continue }
      let next = NextReading(
        minutes: (time - start).minutes, width: width,
        expectedWidth: expectedWidth(of: sorted, order, knowing: time))
      if next.expectedWidth < best?.expectedWidth ?? .infinity { best = next }
    }
    return best
  }

  /// The number of readings drawn at each time. 100 give the expected width to 2 %; times are compared more precisely,
  /// since all share the same errors.
  private static let readingsDrawn = 100

  private func expectedWidth(
    of minutes: [Double], _ order: [Int], knowing time: Hours
  ) -> Double {
    let (levels, deviations) = ofCurves(at: time, isGained: true)
    var stream = RandomStream(seed, 0x6e65_7874)
    var sum = 0.0
    var weights = [Double](repeating: 0, count: order.count)
    for number in 0..<Self.readingsDrawn {
      let truth = number * levels.count / Self.readingsDrawn
      let shown = levels[truth] + deviations[truth] * stream.normal()
      var total = 0.0
      for (rank, draw) in order.enumerated() {
        let z = (max(0, shown) - levels[draw]) / deviations[draw]
        // A display shows negative readings as zero.
        weights[rank] =
          shown > 0
          ? .exp(-0.5 * z * z) / deviations[draw] : .exp(-0.5 * BelowLimit.cost(z))
        total += weights[rank]
      }
      sum += Self.width(of: minutes, weights, total)
    }
    return sum / Double(Self.readingsDrawn)
  }

  /// The width of the central 90 % interval of weighted numbers in ascending order.
  private static func width(of numbers: [Double], _ weights: [Double], _ total: Double) -> Double {
    var sum = 0.0
    var low: Double?
    for (number, weight) in zip(numbers, weights) {
      sum += weight
      if low == nil, sum >= 0.05 * total { low = number }
      if sum >= 0.95 * total { return number - (low ?? number) }
    }
    return 0
  }
}

extension Interval {
  fileprivate var width: Double { high - low }
}
