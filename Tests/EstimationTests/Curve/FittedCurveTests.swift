import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import GSL
import StudyData
import Testing

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
    let points = fit.band(at: series.readings.map(\.time), level: level)
    let degrees = Double(fit.usedCount - fit.estimates.count)
    let quantile = try StudentT(degreesOfFreedom: degrees).quantile((1 + level) / 2)
    #expect(fit.readings.count == points.count)
    // Beyond the stop at zero readings have no leverage, and the band is that of another line.
    for (reading, point) in zip(fit.readings, points) where reading.predicted > 0 {
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

  /// A one-sided reading whose prediction is below the limit has no say, neither in intervals nor in
  /// the band: both take Student's quantile from the same degrees of freedom.
  @Test func bandAndIntervalsShareTheirDegreesOfFreedom() throws {
    let series = try NoisySeries.series(seed: 11, count: 30, limit: 0.1)
    let options = FitOptions(
      fixed: [.r: 0.65], selection: ReadingSelection(censoring: .oneSided),
      interval: IntervalOptions(kind: .wald, level: 0.9))
    let fit = try SeriesFitter(options: options).fit(series)
    let silent = fit.readings.count { reading in
      reading.use == .censored && reading.predicted < reading.limit ?? 0
    }
    let degrees = try #require(fit.noise?.degreesOfFreedom)
    #expect(silent > 0)
    #expect(degrees == fit.usedCount - silent - 2)
    let quantile = try StudentT(degreesOfFreedom: Double(degrees)).quantile(0.95)

    let beta = try #require(fit.estimates[.beta])
    let (high, error) = (try #require(beta.high), try #require(beta.standardError))
    #expect(abs(log(high / beta.value) * beta.value / error - quantile) < 1e-9)

    let reading = fit.readings[5]
    let point = try #require(fit.band(at: [reading.time], level: 0.9).first)
    let (top, deviation, leverage) = (
      try #require(point.high), try #require(reading.standardDeviation),
      try #require(reading.leverage)
    )
    let half = (top - point.concentration).value
    #expect(abs(half / (deviation * leverage.squareRoot()) - quantile) < 1e-7)
  }

  // MARK: - Beyond the stop at zero

  /// The closed form of one drink without the stop at zero.
  private static func line(_ hours: Double, _ values: [FitParameter: Double]) -> Double {
    let ka = values[.ka] ?? 0
    let beta = values[.beta] ?? 0
    return 50 / (80 * 0.65) * -expm1(-ka * hours) - beta * hours
  }

  /// The delta method with central differences on the line without the stop.
  private func halfWidth(_ fit: SeriesFit, at hours: Double, quantile: Double) throws -> Double {
    let values: [FitParameter: Double] = [.ka: fit.value(.ka), .beta: fit.value(.beta)]
    let diagnostics = try #require(fit.diagnostics)
    let correlation = try #require(diagnostics.correlation)
    var slopes: [Double] = []
    for parameter in diagnostics.parameters {
      let value = try #require(values[parameter])
      let error = try #require(fit.estimates[parameter]?.standardError)
      let h = 1e-4 * value
      let ends = [value + h, value - h].map { moved in
        Self.line(hours, values.merging([parameter: moved]) { $1 })
      }
      slopes.append((ends[0] - ends[1]) / (2 * h) * error)
    }
    var variance = 0.0
    for row in 0..<2 {
      for column in 0..<2 {
        variance += slopes[row] * correlation[2 * row + column] * slopes[column]
      }
    }
    return quantile * variance.squareRoot()
  }

  /// At sobriety the derivatives of the curve vanish; the band must not.
  @Test func bandContinuesBelowTheStopAtZero() throws {
    let series = try NoisySeries.series(seed: 7, sd: 0.05)
    let options = FitOptions(fixed: [.r: 0.65], interval: IntervalOptions(kind: .wald))
    let fit = try SeriesFitter(options: options).fit(series)
    let degrees = Double(try #require(fit.noise?.degreesOfFreedom))
    let quantile = try StudentT(degreesOfFreedom: degrees).quantile(0.975)
    let hours = stride(from: 0.1, through: 12, by: 0.1)
    let points = fit.band(at: hours.map { Hours($0) }, level: 0.95)
    var isBeyond = false
    for (hours, point) in zip(hours, points) {
      let line = Self.line(
        hours, [.ka: fit.value(.ka), .beta: fit.value(.beta)])
      let half = try halfWidth(fit, at: hours, quantile: quantile)
      let high = try #require(point.high).value
      #expect(abs(high - max(0, line + half)) < 1e-7, "\(hours) h")
      #expect(abs(try #require(point.low).value - max(0, line - half)) < 1e-7, "\(hours) h")
      #expect(abs(point.concentration.value - max(0, line)) < 1e-12)
      if line < 0, high > 0 { isBeyond = true }
    }
    #expect(isBeyond)
    #expect(points.last?.high == 0)
  }

  /// The blood is empty between the drinks, as fitted; the upper edge goes from one line to the next
  /// without a break.
  @Test func bandContinuesAfterAnotherDrink() throws {
    var series = try NoisySeries.series(seed: 7, sd: 0.05)
    series.drinks.append(Drink(time: 8, ethanol: .mass(30)))
    let options = FitOptions(fixed: [.r: 0.65], interval: IntervalOptions(kind: .wald))
    let fit = try SeriesFitter(options: options).fit(series)
    let times = stride(from: 0, through: 14, by: 1.0 / 60).map { Hours($0) }
    let points = fit.band(at: times, level: 0.95)
    #expect(points.contains { $0.time < 8 && $0.time > 6 && $0.concentration == 0 })
    for (point, next) in zip(points, points.dropFirst()) {
      let (high, nextHigh) = (try #require(point.high), try #require(next.high))
      #expect(high >= point.concentration)
      #expect(try #require(point.low) <= point.concentration)
      // A drink of 30 g / 52 kg raises the curve by up to 0.05 g/kg a minute; the edge, where k_a is
      // larger, by half as much again.
      #expect(abs((nextHigh - high).value) < 0.08, "\(next.time)")
    }
  }

  @Test func aFitWithoutCovarianceHasNoBand() throws {
    let series = try SimulatedSeries.series(everyMinutes: 60, count: 2)
    let options = FitOptions(estimate: [.ka, .beta], fixed: [.r: 0.65])
    let fit = try SeriesFitter(options: options).fit(series)
    let points = fit.band(at: [0.5, 1], level: 0.95)
    #expect(points.count == 2)
    #expect(points.allSatisfy { $0.low == nil && $0.high == nil })
  }
}
