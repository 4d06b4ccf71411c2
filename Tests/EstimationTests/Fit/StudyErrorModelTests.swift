import AlcoholKinetics
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// The error model that the series of a study share, against Tests/Tools/study_errors_scipy.py, which has
/// whole matrices where the search has sums.
@Suite struct StudyErrorModelTests {
  private func study(_ name: String) throws -> Study {
    var rows: [String: [[String: String]]] = [:]
    var order: [String] = []
    for row in try PackageFolder.expectations("study-errors-series") where row["study"] == name {
      let subject = row["subject"] ?? ""
      if rows[subject] == nil { order.append(subject) }
      rows[subject, default: []].append(row)
    }
    return Study(
      name: name,
      series: try order.map { subject in
        let own = rows[subject] ?? []
        let dose = try #require(own.first).known("dose_g_per_kg")
        return Series(
          subject: Subject(id: subject),
          drinks: [Drink(time: 0, ethanol: .perBodyWeight(GramsPerKilogram(dose)))],
          readings: try own.map {
            Reading(
              time: Hours(minutes: try $0.known("time_min")), value: try $0.known("bac_g_per_kg"),
              unit: .bloodGramsPerKilogram)
          })
      })
  }

  private func options(_ name: String) -> FitOptions {
    let estimate: Set<FitParameter> = [.ka, .beta, .r]
    return switch name {
    case "proportional": FitOptions(estimate: estimate, error: .proportional(cv: nil))
    case "correlated", "correlated-white":
      FitOptions(estimate: estimate, correlation: .exponential(time: nil))
    default: FitOptions(estimate: estimate, error: .combined(nil))
    }
  }

  /// Turns of curves and errors end at 1e-4, ends of intervals are looked for to 1e-4 of a logarithm.
  @Test func studyErrorModelAgreesWithWholeMatrices() throws {
    for row in try PackageFolder.expectations("study-errors") {
      let name = try #require(row["study"])
      let shared = try options(name).withStudyError(of: study(name), jobs: 2)
      let error = try #require(shared.studyError)
      let (parameter, scale) =
        switch row["parameter"] {
        case "sd": (error.sd, 1.0)
        case "cv": (error.cv, 1)
        case "nugget": (error.nugget, 1)
        default: (error.correlationTime, 60)
        }
      let found = try #require(parameter)
      #expect(
        agree(scale * found.value, try row.known("value"), relative: 1e-3, absolute: 1e-4),
        "\(row) \(found)")
      for (end, column) in [(found.low, "low"), (found.high, "high")] {
        guard let expected = try row.number(column) else {
          // Below its range a time or a nugget is none.
          #expect(end == nil || end == 0, "\(row) \(found)")
          continue
        }
        #expect(agree(end.map { scale * $0 }, expected, relative: 2e-3), "\(row) \(found)")
      }
      #expect(Double(error.degreesOfFreedom) == (try row.known("degrees_of_freedom")), "\(row)")
      let spread = try #require(error.spread)
      #expect(agree(spread.pValue, try row.known("p"), within: 1e-3), "\(row) \(spread)")
      #expect(agree(spread.logSD, try row.known("log_sd"), within: 1e-3), "\(row) \(spread)")
    }
  }

  /// All series have the study's errors, and the quantiles of its degrees of freedom.
  @Test func seriesOfAStudyShareTheErrorModel() throws {
    let study = try study("combined")
    let options = options("combined")
    let error = try #require(try options.withStudyError(of: study).studyError)
    let fits = try StudyFit.fits(of: study, options: options)
    for fit in fits {
      let noise = try #require(try fit.result.get().noise)
      #expect(noise.sd == error.sd?.value && noise.cv == error.cv?.value)
      #expect(noise.degreesOfFreedom == error.degreesOfFreedom / 2)
      #expect(noise.smallestSD == ErrorModel.smallestSD)
    }
    // The same errors, stated, make the same curve and intervals that are hardly narrower.
    var stated = options
    stated.error = error.filled(options.error)
    for (fit, own) in zip(fits, try StudyFit.fits(of: study, options: stated)) {
      for (parameter, estimate) in try fit.result.get().estimates {
        let other = try #require(try own.result.get().estimates[parameter])
        #expect(agree(estimate.value, other.value, relative: 1e-9))
        guard let low = estimate.low, let bound = other.low else { continue }
        #expect(low <= bound && agree(low, bound, relative: 0.05))
      }
    }
  }

  @Test func resultsDoNotDependOnThreads() throws {
    let study = try study("combined")
    let options = options("combined")
    #expect(
      try StudyFit.fits(of: study, options: options)
        == (try StudyFit.fits(of: study, options: options, jobs: 3)))
  }

  /// With fewer than five series, by option, or where there is nothing to share, errors are each series' own.
  @Test func unsharedErrorsAreEstimatedBySeries() throws {
    var study = try study("combined")
    var subject = options("combined")
    subject.errorSource = .subject
    #expect(try subject.withStudyError(of: study).studyError == nil)
    #expect(try FitOptions(correlation: .independent).withStudyError(of: study).studyError == nil)
    var robust = options("combined")
    robust.loss = .huber
    #expect(try robust.withStudyError(of: study).studyError == nil)
    study.series = Array(study.series.prefix(4))
    let few = try options("combined").withStudyError(of: study)
    #expect(few.studyError == nil && few.errorSource == .subject)
    let own = try StudyFit.fits(of: study, options: options("combined"))
    #expect(own == (try StudyFit.fits(of: study, options: subject)))
  }

  /// Wald intervals need a known correlation time: a study determines it, one series does not.
  @Test func waldIntervalsNeedAKnownCorrelation() throws {
    var options = options("correlated")
    options.interval = IntervalOptions(kind: .wald)
    #expect(throws: SeriesFailure.self) { try SeriesFitter(options: options) }
    var study = try study("correlated")
    let fits = try StudyFit.fits(of: study, options: options)
    #expect(fits.allSatisfy { !$0.hasFailed })
    let times = Set(try fits.map { try $0.result.get().noise?.correlationTime })
    #expect(times.count == 1)
    // The SD is each person's own.
    #expect(Set(try fits.map { try $0.result.get().noise?.sd }).count == fits.count)
    study.series = Array(study.series.prefix(3))
    #expect(throws: SeriesFailure.self) { try StudyFit.fits(of: study, options: options) }
    options.correlation = .exponential(time: Hours(minutes: 30))
    #expect(throws: Never.self) { try StudyFit.fits(of: study, options: options) }
  }

  /// Where neighbouring residuals are alike, the study's exponential model is the default; else all is as without the
  /// test.
  @Test func testOfCorrelationDecidesOnTheDefault() throws {
    let runs = try study("correlated-white")
    let estimate: Set<FitParameter> = [.ka, .beta, .r]
    let resolved = try FitOptions(estimate: estimate).withStudyError(of: runs, jobs: 2)
    let stated = try options("correlated-white").withStudyError(of: runs, jobs: 2)
    #expect(resolved.correlation == .exponential(time: nil))
    let error = try #require(resolved.studyError)
    #expect(error.correlationTest?.hasRuns == true && stated.studyError?.correlationTest == nil)
    #expect(
      agree(
        error.correlationTime?.value, stated.studyError?.correlationTime?.value, relative: 1e-3))
    #expect(agree(error.nugget?.value, stated.studyError?.nugget?.value, within: 1e-3))
    // The same again, from a stream and from options that are resolved.
    #expect(
      try FitOptions(estimate: estimate).withStudyError(of: StudyStream(runs)).studyError == error)
    #expect(try resolved.withStudyError(of: runs).studyError == error)
    let fits = try StudyFit.fits(of: runs, options: FitOptions(estimate: estimate), jobs: 2)
    #expect(fits == (try StudyFit.fits(of: runs, options: resolved)))

    let none = FitOptions(estimate: estimate, correlation: .independent)
    let automatic = FitOptions(estimate: estimate)
    for name in ["combined", "flat", "correlated"] {
      let quiet = Study(name: name, series: Array(try study(name).series.prefix(6)))
      #expect(try automatic.withStudyError(of: quiet).correlation == .independent)
      #expect(
        try StudyFit.fits(of: quiet, options: automatic)
          == (try StudyFit.fits(of: quiet, options: none)))
    }
    // What does not allow for correlated errors, or allows for them otherwise, is not tested.
    let few = Study(name: "few", series: Array(runs.series.prefix(4)))
    #expect(try automatic.withStudyError(of: few).studyError == nil)
    var robust = automatic
    robust.interval = IntervalOptions(kind: .wald)
    robust.standardErrors = .robust
    var bootstrap = automatic
    bootstrap.interval = IntervalOptions(kind: .residualBootstrap, replicates: 10)
    var huber = automatic
    huber.loss = .huber
    huber.selection.censoring = .drop
    var own = automatic
    own.errorSource = .subject
    for options in [robust, bootstrap, huber, own] {
      #expect(try options.withStudyError(of: runs).studyError == nil)
      #expect(throws: Never.self) { try StudyFit.fits(of: few, options: options) }
    }
  }

  /// A stream gives what the study gives.
  @Test func streamGivesTheSameErrorModel() throws {
    let study = try study("proportional")
    let options = options("proportional")
    let fromStream = try options.withStudyError(of: StudyStream(study))
    #expect(fromStream.studyError == (try options.withStudyError(of: study).studyError))
  }

  /// One mistyped reading does not make the errors of everybody large.
  @Test func outlyingSeriesDoesNotInflateStudyError() throws {
    var study = try study("combined")
    let options = options("combined")
    let usual = try #require(try options.withStudyError(of: study).studyError)
    #expect(usual.outlying == 0 && usual.series == 12)
    var series = study.series[3]
    let middle = series.readings[5]
    series.readings[5] = Reading(
      time: middle.time, value: middle.value + 0.5, unit: middle.unit)
    study.series[3] = series
    let found = try #require(try options.withStudyError(of: study).studyError)
    #expect(found.outlying == 1 && found.series == 11)
    study.series.remove(at: 3)
    let without = try #require(try options.withStudyError(of: study).studyError)
    #expect(agree(found.cv?.value, try #require(without.cv?.value), relative: 1e-3))
    #expect(agree(found.sd?.value, try #require(without.sd?.value), relative: 1e-2))
  }

  /// Errors three times as large in every other series are found out.
  @Test func heterogeneousErrorsAreDetected() throws {
    func series(_ factor: (Int) -> Double) throws -> [Series] {
      try (1...24).map { try NoisySeries.series(seed: UInt64($0), sd: 0.02 * factor($0)) }
    }
    let options = FitOptions(estimate: [.ka, .beta, .r], error: .combined(nil))
    let same = try options.withStudyError(of: Study(name: "same", series: try series { _ in 1 }))
    let spread = try #require(same.studyError?.spread)
    #expect(!spread.isNoteworthy, "\(spread)")
    let apart = try options.withStudyError(
      of: Study(name: "apart", series: try series { $0.isMultiple(of: 2) ? 3 : 1 }))
    let found = try #require(apart.studyError?.spread)
    // ln 3 / 2 is the standard deviation.
    #expect(found.isNoteworthy && (0.35...0.75).contains(found.logSD), "\(found)")
  }
}
