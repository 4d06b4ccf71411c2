import AlcoholKinetics
import FittingSupport
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Certification
@testable import Estimation

/// Fits with a loss: one scale for all solutions, no empty curves, and never worse for more starts.
@Suite struct RobustFitTests {
  private static let losses = Loss.allCases.filter { $0 != .linear }

  private func options(
    _ loss: Loss, _ estimate: Set<FitParameter> = [.ka, .beta, .r], starts: Int = 8
  ) -> FitOptions {
    FitOptions(
      estimate: estimate, selection: ReadingSelection(censoring: .none), loss: loss,
      starts: StartDesign(count: starts), interval: nil)
  }

  private func fit(_ series: Series, _ options: FitOptions) throws -> SeriesFit {
    try SeriesFitter(options: options).fit(series)
  }

  // MARK: - The scale

  private static let residuals = [
    0.012, -0.03, 0.007, 0.021, -0.011, 0.4, -0.018, 0.002, 0.025, -0.31,
  ]

  /// Roots of sum(Mchi(r / s, 1.5476449809282, "bisquare")) = (n - p) / 2 by R's `uniroot`, Mchi of
  /// robustbase 0.95.
  @Test(arguments: [
    (residuals, 0, 0.028164259758926), (residuals, 3, 0.043724487167234),
    ([1, -2, 0, 4, 0, -8, 16], 2, 6.4863298232323),
  ])
  func robustScaleAgreesWithR(residuals: [Double], lost: Int, scale: Double) throws {
    let found = try #require(
      RobustScale.scale(of: residuals, degreesOfFreedom: residuals.count - lost))
    #expect(abs(found / scale - 1) < 1e-9)
  }

  @Test func scaleIsZeroWhereHalfTheResidualsAreZero() {
    #expect(RobustScale.scale(of: [0, 0, 0, 0, 1, 2], degreesOfFreedom: 6) == 0)
    #expect(RobustScale.scale(of: [1, 2], degreesOfFreedom: 0) == nil)
    #expect(RobustScale.scale(of: [], degreesOfFreedom: 1) == 0)
  }

  // MARK: - What is never a fit

  /// Series whose fits became curves of zeros when solutions were compared at scales of their own.
  @Test(arguments: losses)
  func robustFitsDoNotPredictZeroThroughout(loss: Loss) throws {
    for series in try SimulatedCohort.sparse([32, 105, 107, 182, 200]) {
      for estimate: Set<FitParameter> in [[.ka, .beta], [.ka, .beta, .r]] {
        let fit = try fit(series, options(loss, estimate, starts: 32))
        #expect(!fit.predictsNothing, "\(series.subject.id)")
        #expect(try #require(fit.residualSD) < 0.1, "\(series.subject.id)")
      }
    }
  }

  /// With errors in proportion a curve near zero would have a small standard deviation everywhere.
  @Test(arguments: [ErrorModel.proportional(cv: nil), .combined(nil), .proportional(cv: 0.1)])
  func errorModelsDoNotPredictZeroThroughout(error: ErrorModel) throws {
    for series in try SimulatedCohort.sparse([32, 107, 182]) {
      for loss in [Loss.linear, .bisquare] {
        var options = options(loss, [.ka, .beta], starts: 32)
        options.error = error
        let fit = try fit(series, options)
        let highest = try #require(fit.readings.map(\.predicted.value).max())
        let seen = try #require(fit.readings.map(\.observed.value).max())
        #expect(highest > 0.5 * seen, "\(series.subject.id) \(loss)")
      }
    }
  }

  @Test(
    .enabled(if: PackageFolder.hasShared("wilkinson-1977-oral"), "the data may not be shipped"))
  func wilkinsonSeriesIsNotFittedAsZeros() throws {
    let study = try StudyReader.read(PackageFolder.shared("wilkinson-1977-oral"))
    let series = try #require(
      study.series.first { $0.subject.id == "2" && $0.occasion == "2" })
    let least = try fit(series, options(.linear))
    let fit = try fit(series, options(.bisquare))
    #expect(!fit.predictsNothing)
    #expect(abs(fit.value(.beta) / least.value(.beta) - 1) < 0.2)
  }

  // MARK: - More starts

  /// The scale falls or stays, and where it stays so does the loss.
  @Test(arguments: [Loss.bisquare, .huber])
  func moreStartsAreNeverWorse(loss: Loss) throws {
    for series in try SimulatedCohort.sparse([32, 63, 107]) {
      var last: SeriesFit?
      for starts in [8, 32, 128] {
        let fit = try fit(series, options(loss, starts: starts))
        let (scale, before) = (try #require(fit.noise?.sd), last?.noise?.sd ?? .infinity)
        #expect(scale <= before * (1 + 1e-7), "\(series.subject.id) \(starts)")
        if let last, scale > before * (1 - 1e-7) {
          #expect(fit.objective <= last.objective * (1 + 1e-6), "\(series.subject.id) \(starts)")
        }
        last = fit
      }
    }
  }

  /// More starts never raise the restricted deviance of least squares.
  @Test(arguments: [
    (ErrorModel.additive(sd: nil), Censoring.m3), (.proportional(cv: nil), .none),
    (.combined(nil), .m3),
  ])
  func moreStartsAreNeverWorseForSquares(error: ErrorModel, censoring: Censoring) throws {
    for series in [try NoisySeries.series(seed: 4), try NoisySeries.series(seed: 8, count: 30)] {
      var least = Double.infinity
      for starts in [8, 32, 128] {
        var options = options(.linear, starts: starts)
        options.error = error
        options.selection = ReadingSelection(censoring: censoring, limitOfDetection: 0.05)
        let deviance = try fit(series, options).criterion(options)
        #expect(deviance <= least + 1e-6 * max(1, abs(least)), "\(series.subject.id) \(starts)")
        least = deviance
      }
    }
  }

  // MARK: - What losses are for

  /// A quarter of the readings far too high: squares follow them, a bounded loss does not see them.
  @Test(arguments: [Loss.cauchy, .bisquare])
  func outliersDoNotAffectBoundedLosses(loss: Loss) throws {
    let clean = try NoisySeries.series(seed: 9, sd: 0.01)
    var spoiled = clean
    for index in [2, 6, 9, 13, 17] { spoiled.readings[index].value += 0.5 }
    let (fit, squares) = try (fit(spoiled, options(loss)), fit(spoiled, options(.linear)))
    #expect(abs(fit.value(.beta) / 0.15 - 1) < 0.1)
    #expect(abs(fit.value(.r) / 0.65 - 1) < 0.05)
    #expect(abs(squares.value(.r) / 0.65 - 1) > 0.1)
  }

  /// A reading wrongly below detection counts by the loss as well.
  @Test func falseZeroDoesNotAffectBisquareFit() throws {
    var series = try NoisySeries.series(seed: 9, sd: 0.01, limit: 0.05)
    series.readings[6].value = 0
    var options = options(.bisquare)
    options.selection.censoring = .oneSided
    let fit = try fit(series, options)
    #expect(fit.readings[6].use == .censored)
    #expect(abs(fit.value(.beta) / 0.15 - 1) < 0.1)
  }

  /// Half of the readings exact: the scale is that of rounding, not nothing.
  @Test func exactFitHasTheScaleOfRounding() throws {
    let series = try SimulatedSeries.series()
    let fit = try fit(series, options(.huber))
    #expect(fit.residualSD == ErrorModel.smallestSD)
    #expect(fit.noise?.smallestSD == ErrorModel.smallestSD)
    #expect(abs(fit.value(.ka) / 4 - 1) < 1e-6)
  }
}
