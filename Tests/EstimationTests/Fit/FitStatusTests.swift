import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import Testing

/// The status of a fit says how far it can be used, and what is at a search limit has no value.
@Suite struct FitStatusTests {
  private func fit(_ series: Series, _ change: (inout FitOptions) -> Void = { _ in }) throws
    -> SeriesFit
  {
    var options = FitOptions(estimate: [.ka, .beta, .r])
    change(&options)
    return try SeriesFitter(options: options).fit(series)
  }

  @Test func whatTheReadingsDetermineIsOK() throws {
    let fit = try fit(NoisySeries.series(seed: 1))
    #expect(fit.status == .ok)
    #expect(fit.stated(.ka) == fit.values[.ka] && fit.stated(.vmax) == nil)
  }

  /// Absorption that was not sampled: k_a runs to its search limit, and its value with it.
  @Test(arguments: [IntervalOptions.Kind.profile, .wald])
  func whatIsAtItsSearchLimitIsUndetermined(_ kind: IntervalOptions.Kind) throws {
    let series = try NoisySeries.series(seed: 2, ka: 40, first: 60, count: 12)
    let fit = try fit(series) { options in
      options.interval = IntervalOptions(kind: kind)
      options.derived = DerivedOptions([.absorptionHalfLife, .timeToZero])
    }
    let estimate = try #require(fit.estimates[.ka])
    #expect(estimate.isAtBound && !estimate.isDetermined)
    #expect(fit.status == .undetermined)
    #expect(fit.stated(.ka) == nil && fit.values[.ka] != nil && fit.stated(.beta) != nil)
    #expect(fit.parameters.stated(.ka) == nil && fit.parameters[.ka] != nil)
    #expect(fit.derived.filter { $0.value == nil }.map(\.quantity) == [.absorptionHalfLife])
    // Where nobody knows how large k_a is, nobody knows that it is out of range.
    #expect(!fit.warnings.contains(.kaRange))
  }

  /// Readings ten times too high, as of a wrong unit.
  @Test func anRThatNobodyHasIsImplausible() throws {
    var series = try NoisySeries.series(seed: 3)
    for index in series.readings.indices { series.readings[index].value *= 10 }
    let fit = try fit(series)
    #expect(fit.warnings.contains(.rRange))
    #expect(fit.status == .implausible)
    #expect(Result<SeriesFit, SeriesFailure>.failure(.nothingMeasured).status == .failed)
  }

  /// As many readings as parameters: nothing is known of errors.
  @Test func withoutDegreesOfFreedomNothingIsDetermined() throws {
    let fit = try fit(NoisySeries.series(seed: 4, count: 3))
    #expect(fit.noise == nil)
    #expect(fit.status != .ok)
  }

  @Test func linesHaveAStatus() throws {
    let good = try NoisySeries.series(seed: 5)
    var steep = good
    for index in steep.readings.indices { steep.readings[index].value *= 10 }
    var bad = good
    bad.readings.removeAll()
    let study = Study(name: "", series: [good, steep, bad])
    #expect(try EliminationLineFit.fits(of: study).map(\.status) == [.ok, .implausible, .failed])
  }
}
