import AlcoholKinetics
import Certification
import Estimation
import FittingSupport
import StudyData
import StudyFiles
import TestSupport
import Testing

/// Looking for intervals may find a better fit, never a worse one. All shared studies with more options,
/// and Michaelis-Menten elimination, are in Tests/Tools/never_worse.py.
@Suite struct IntervalSearchTests {
  /// Two fits of one minimum differ by as much: steps of a solver end below 1e-8 of the parameters, and
  /// standard deviations settle to 1e-7.
  private static let rounding = 1e-6

  /// The excess of the criterion of a fit with intervals over that without, relative to its size.
  private func excess(
    of series: Series, _ options: FitOptions, instrument: Instrument? = nil
  ) throws -> Double? {
    var plain = options
    plain.interval = nil
    guard
      let alone = try? SeriesFitter(options: plain).fit(series, instrument: instrument),
      let fit = try? SeriesFitter(options: options).fit(series, instrument: instrument)
    else { return nil }
    #expect(!fit.predictsNothing)
    let (before, after) = (alone.criterion(options), fit.criterion(options))
    return (after - before) / max(1, abs(before))
  }

  /// A lag makes k_a run to its bound where nothing was read on the way up, on another branch than the
  /// one that the fit was on. Their numbers: whose fits were worse with intervals once.
  @Test func intervalsDoNotMoveTheFitToAWorseBound() throws {
    let options = FitOptions(
      estimate: [.ka, .beta, .r, .lag], selection: ReadingSelection(censoring: .none))
    for series in try SimulatedCohort.sparse([15, 49, 87, 107, 182, 200]) {
      let excess = try #require(try excess(of: series, options))
      #expect(excess <= Self.rounding, "\(series.subject.id)")
    }
  }

  private static let optionSets: [FitOptions] = [
    FitOptions(estimate: [.ka, .beta, .r, .lag]),
    FitOptions(estimate: [.ka, .beta, .gain]),
    FitOptions(estimate: [.ka, .beta, .r], error: .proportional(cv: nil)),
    FitOptions(estimate: [.ka, .beta], error: .combined(nil)),
    FitOptions(
      estimate: [.ka, .beta, .r], selection: ReadingSelection(limitOfDetection: 0.1)),
    FitOptions(
      estimate: [.ka, .beta, .r, .lag],
      selection: ReadingSelection(censoring: .oneSided, limitOfDetection: 0.1), loss: .bisquare),
    FitOptions(
      estimate: [.ka, .beta], selection: ReadingSelection(censoring: .none), loss: .huber),
  ]

  @Test(arguments: optionSets.indices)
  func intervalsKeepTheFitForAllOptions(set: Int) throws {
    // Above a limit of detection some have too few readings.
    let excesses = try SimulatedCohort.sparse([1, 15, 107, 182]).compactMap {
      try excess(of: $0, Self.optionSets[set])
    }
    #expect(!excesses.isEmpty)
    #expect(excesses.allSatisfy { $0 <= Self.rounding })
  }

  @Test(
    .enabled(if: PackageFolder.hasShared("thierauf-emberger-2023"), "the data may not be shipped"))
  func intervalsKeepThePublishedFit() throws {
    let study = try StudyReader.read(PackageFolder.shared("thierauf-emberger-2023"))
    let options = FitOptions(estimate: [.ka, .beta, .r, .lag])
    for series in study.series {
      let excess = try excess(of: series, options, instrument: study.instrument)
      #expect(try #require(excess) <= Self.rounding, "\(series.subject.id)")
    }
  }
}
