import AlcoholKinetics
import FittingSupport
import RealModule
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// The standard deviation at zero of the combined error model has a floor, without which its likelihood
/// would have no limit where reading and curve are both zero.
@Suite struct SmallestSDTests {
  /// Errors in proportion to what there is, and zeros that are zeros.
  private func series() throws -> Series {
    var series = try SimulatedSeries.series(everyMinutes: 20, count: 34)
    for index in series.readings.indices {
      series.readings[index].value *= index.isMultiple(of: 2) ? 1.04 : 0.96
    }
    return series
  }

  private func options(_ error: ErrorModel = .combined(nil)) -> FitOptions {
    FitOptions(
      fixed: [.r: 0.65], selection: ReadingSelection(censoring: .none), error: error)
  }

  @Test func smallestSDIsDefaultOrFromResolution() throws {
    let series = try series()
    let fitter = try SeriesFitter(options: options())
    let plain = try #require(try fitter.fit(series).noise)
    #expect(plain.smallestSD == 1e-4)
    #expect(plain.sd == 1e-4)
    let stated = try #require(
      try fitter.fit(series, instrument: Instrument(resolution: 0.01)).noise)
    let rounding = 0.01 / 12.0.squareRoot()
    #expect(stated.smallestSD == rounding)
    #expect(stated.sd == rounding)
    let additive = try SeriesFitter(options: options(.additive(sd: nil))).fit(series)
    #expect(additive.noise?.smallestSD == nil)
  }

  @Test(arguments: [1e-300, 1e-9, 1e9])
  func anyResolutionGivesAPositiveSmallestSD(resolution: Double) throws {
    let fitter = try SeriesFitter(options: options())
    let instrument = Instrument(resolution: resolution)
    // What is said of such an instrument matters little, as long as something is.
    let fit = Result { try fitter.fit(try series(), instrument: instrument) }
    if case .success(let fit) = fit { #expect(fit.noise?.smallestSD ?? 0 > 0) }
  }

  /// The ratio of the two parameters is looked for in a range; nothing may depend on it.
  @Test func widerRatioSearchKeepsTheFit() throws {
    for series in [try series(), try NoisySeries.series(seed: 3, count: 30)] {
      let fitter = try SeriesFitter(options: options())
      let fit = try fitter.fit(series)
      let problem = try FitProblem(series, options: fitter.options)
      let model = problem.noiseModel
      let predictions = fit.readings.filter(\.use.isUsed).map(\.predicted.value)
      let range = model.ratios
      let wide = range.lowerBound / 1e3...range.upperBound * 1e3
      let usual = try #require(model.combined(predictions, 0, ratios: range))
      let wider = try #require(model.combined(predictions, 0, ratios: wide))
      let change =
        model.deviance(of: predictions, wider, lost: 0)
        - model.deviance(of: predictions, usual, lost: 0)
      #expect(abs(change) < 1e-5)
      let criteria = try #require(fit.criteria)
      let constant = Double(predictions.count) * Double.log(2 * .pi)
      let deviance = model.deviance(of: predictions, wider, lost: 0) + constant
      #expect(abs(criteria.deviance - deviance) < 1e-5)
    }
  }

  /// A thousand zeros met exactly must not make a model out of nothing: each is worth what its
  /// density at a known standard deviation is.
  @Test func exactZerosUseTheSmallestSD() throws {
    let series = try series()
    let fit = try SeriesFitter(options: options()).fit(series)
    let exact = fit.readings.filter { $0.use.isUsed && $0.observed == 0 && $0.predicted == 0 }
    #expect(!exact.isEmpty)
    for reading in exact { #expect(reading.standardDeviation == 1e-4) }
    for estimate in fit.estimates.values {
      let (low, high) = (try #require(estimate.low), try #require(estimate.high))
      #expect(low < estimate.value && estimate.value < high)
    }
  }
}
