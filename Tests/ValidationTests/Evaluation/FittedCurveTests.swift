import AlcoholKinetics
import GSL
import StudyData
import Testing
import Validation

/// The fitted curve and its band.
@Suite struct FittedCurveTests {
  /// The variance of a prediction at a reading is its leverage times the variance of the reading, so
  /// that the band at the readings follows from numbers that are computed in another way.
  @Test(arguments: [EliminationModel.widmark, .michaelisMenten])
  func bandAtReadingsFollowsFromLeverage(model: EliminationModel) throws {
    let series = try NoisySeries.series(seed: 11)
    let options = FitOptions(
      model: model, estimate: model == .widmark ? [.ka, .beta, .r] : [.ka, .vmax],
      fixed: model == .widmark ? [:] : [.km: 0.05, .r: 0.65],
      selection: ReadingSelection(censoring: .none),
      interval: IntervalOptions(kind: .wald))
    let fit = try SeriesFitter(options: options).fit(series)
    let level = 0.9
    let points = fit.curve(of: series, at: series.readings.map(\.time), level: level)
    let degrees = Double(fit.usedCount - fit.estimates.count)
    let quantile = try StudentT(degreesOfFreedom: degrees).quantile((1 + level) / 2)
    #expect(fit.readings.count == points.count)
    for (reading, point) in zip(fit.readings, points) {
      #expect(abs(point.concentration.value - reading.predicted.value) < 1e-12)
      let deviation = try #require(reading.standardDeviation)
      let leverage = try #require(reading.leverage)
      let half = quantile * deviation * leverage.squareRoot()
      let high = try #require(point.high)
      #expect(abs(high.value - point.concentration.value - half) < 1e-8)
      let low = try #require(point.low)
      #expect(abs(low.value - max(0, point.concentration.value - half)) < 1e-8)
    }
    #expect(points.count == series.readings.count)
  }

  @Test func aFitWithoutCovarianceHasNoBand() throws {
    let series = try SimulatedSeries.series(everyMinutes: 60, count: 2)
    let options = FitOptions(estimate: [.ka, .beta], fixed: [.r: 0.65])
    let fit = try SeriesFitter(options: options).fit(series)
    let points = fit.curve(of: series, at: [0.5, 1], level: 0.95)
    #expect(points.count == 2)
    #expect(points.allSatisfy { $0.low == nil && $0.high == nil })
  }
}
