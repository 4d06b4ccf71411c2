import AlcoholKinetics
import Estimation
import Statistics
import StudyData
import Testing

@testable import Population

@Suite struct NextReadingTests {
  private static let known = [(30.0, 0.52), (60, 0.62), (90, 0.58)]
  private static let threshold: GramsPerKilogram = 0.2

  private func forecast(_ readings: [(Double, Double)] = known) throws -> Forecast {
    try Forecast(
      try Posterior(
        of: PosteriorTests.series(readings), prior: try PosteriorTests.population(),
        options: Posterior.Options(draws: 1000)))
  }

  @Test func nextReadingLiesWithinTheHourAndNarrowsTheTime() throws {
    let next = try #require(try forecast().nextReading(about: Self.threshold))
    #expect((95...150).contains(next.minutes))
    #expect(next.gain > 0.1 && next.gain < 0.9)
  }

  /// The expected width matches simulation: the posterior with each of 40 readings, drawn from the forecast, has the
  /// width that was expected on the average.
  @Test func expectedWidthMatchesSimulatedReadings() throws {
    let forecast = try forecast()
    let next = try #require(try forecast.nextReading(about: Self.threshold))
    let draws = forecast.reading(at: Hours(minutes: next.minutes)).draws.values
    var widths: [Double] = []
    for index in 0..<40 {
      let shown = draws[(2 * index + 1) * draws.count / 80]
      let after = try self.forecast(Self.known + [(next.minutes, shown)])
      let interval = Draws(try after.minutesOfCurves(to: Self.threshold)).interval(0.9)
      widths.append(interval.high - interval.low)
    }
    let ratio = try #require(Sample(widths)).mean / next.expectedWidth
    #expect(abs(ratio - 1) < 0.12, "\(ratio)")
  }

  /// A reading in the mouth-alcohol window is none.
  @Test func nextReadingAvoidsMouthAlcohol() throws {
    let forecast = try forecast([])
    let next = try #require(
      try forecast.nextReading(about: Self.threshold, mouthAlcoholWindow: Hours(minutes: 40)))
    #expect((40...60).contains(next.minutes))
    #expect(
      try forecast.nextReading(about: Self.threshold, mouthAlcoholWindow: Hours(minutes: 90))
        == nil)
  }

  /// A subject who never passes the threshold needs no reading.
  @Test func knownTimeNeedsNoReading() throws {
    #expect(try forecast().nextReading(about: 2) == nil)
  }
}
