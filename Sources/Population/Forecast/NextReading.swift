package import AlcoholKinetics
package import Estimation
import RealModule
import Statistics
import StudyData

/// The reading within some time that is expected to make the time to a threshold most certain.
package struct NextReading: Codable, Hashable, Sendable {
  /// When to take it, in min since the first drink.
  package let minutes: Double
  /// The width of the 90 % interval of the time to the threshold as it is, in min.
  package let width: Double
  /// What the width is expected to be with the reading, in min.
  package let expectedWidth: Double

  /// The share of the width that the reading is expected to take away.
  package var gain: Double { 1 - expectedWidth / width }
}

extension Forecast {
  /// Looks for the next reading that tells most of the time to a threshold.
  ///
  /// What a reading may show is drawn from the forecast; each draw of the posterior is then weighed by its likelihood, and
  /// the interval of the weighted times to the threshold is what the reading would leave (preposterior analysis: Raiffa &
  /// Schlaifer 1961, chapter 4). It is that of the curves, without the line through the last readings.
  ///
  /// - Parameters:
  ///   - threshold: In g/kg.
  ///   - now: When the time to look at begins; nil for the last reading, or the first drink.
  ///   - hours: How long it is.
  ///   - step: Between two times that are tried, and from now to the first of them.
  ///   - window: For how long after a drink mouth alcohol spoils a reading.
  /// - Returns: Nil if the time is known, or no reading can be taken.
  /// - Throws: `SeriesFailure/neverSober(threshold:)` if some curve never falls to the threshold.
  package func nextReading(
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

  /// How many readings are drawn at each time. With 100 the expected width is known to 2 %, and the same errors are drawn
  /// at all times, so that times are compared better than that.
  private static let readingsDrawn = 100

  private func expectedWidth(
    of minutes: [Double], _ order: [Int], knowing time: Hours
  ) -> Double {
    let (levels, deviations) = ofCurves(at: time, isGained: true)
    var stream = RandomStream(seed, 0x6e65_7874)
    var (sum, weights) = (0.0, [Double](repeating: 0, count: order.count))
    for number in 0..<Self.readingsDrawn {
      let truth = number * levels.count / Self.readingsDrawn
      let shown = levels[truth] + deviations[truth] * stream.normal()
      var total = 0.0
      for (place, draw) in order.enumerated() {
        let z = (max(0, shown) - levels[draw]) / deviations[draw]
        // Of what would be below zero a display shows no more than that.
        weights[place] =
          shown > 0
          ? .exp(-0.5 * z * z) / deviations[draw] : .exp(-0.5 * BelowLimit.cost(z))
        total += weights[place]
      }
      sum += Self.width(of: minutes, weights, total)
    }
    return sum / Double(Self.readingsDrawn)
  }

  /// The width of the central 90 % interval of weighted numbers in ascending order.
  private static func width(of numbers: [Double], _ weights: [Double], _ total: Double) -> Double {
    var (sum, low) = (0.0, Double?.none)
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
