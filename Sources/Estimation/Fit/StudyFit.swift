import AlcoholKinetics
public import StudyData

/// The fit of one series of a study, or the reason why there is none.
public struct StudyFit: Codable, Hashable, Sendable {
  /// The series.
  public let series: Series
  /// Name of the method that gave r, `estimated` or `fixed`.
  public let rFactor: String
  /// The stored result, for access to single numbers without a copy.
  package let coded: CodedResult<SeriesFit>

  private enum CodingKeys: String, CodingKey {
    case series, rFactor
    case coded = "result"
  }

  /// The fit.
  public var result: Result<SeriesFit, SeriesFailure> { coded.wrappedValue }

  /// True if the series could not be fitted.
  public var hasFailed: Bool { coded.success == nil }

  /// Fits every series of a study, in order. A series that cannot be fitted does not stop the others.
  ///
  /// Series share the study's error model (``FitOptions/withStudyError(of:jobs:)``) unless the options estimate it from
  /// each series.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - options: The options of the fits.
  ///   - jobs: The number of threads. Results are identical for any number.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible,
  ///   ``SeriesFailure/solver(_:)`` if the starts cannot be laid out.
  public static func fits(
    of study: Study, options: FitOptions, jobs: Int = 1
  ) throws(SeriesFailure) -> [StudyFit] {
    try fits(of: study, options: options, detailing: Set(study.series.indices), jobs: jobs)
  }

  /// Fits every series of a study, in order, with profiles and derived quantities for some of them only.
  ///
  /// - Parameter shown: The indices of those series in the study.
  package static func fits(
    of study: Study, options: FitOptions, detailing shown: Set<Int>, jobs: Int = 1
  ) throws(SeriesFailure) -> [StudyFit] {
    let full = try options.withStudyError(of: study, jobs: jobs)
    var bare = full
    bare.keepsProfiles = false
    bare.derived = DerivedOptions()
    let plans = (full: try FitPlan(full), bare: try FitPlan(bare))
    return try ParallelMap.map(Array(study.series.enumerated()), jobs: jobs) {
      (full: SeriesFitter(plans.full), bare: SeriesFitter(plans.bare))
    } _: { fitters, entry in
      let fitter = shown.contains(entry.offset) ? fitters.full : fitters.bare
      return StudyFit(
        series: entry.element, rFactor: fitter.plan.rFactor,
        result: fitter.result(of: entry.element, study.instrument))
    }
  }

  /// Fits every series of a stream, and passes the fits on in order. The number of fits in progress is limited, so that
  /// memory does not grow with the study.
  ///
  /// The study's error model must be known before: a stream is read once.
  ///
  /// - Parameters:
  ///   - stream: The study.
  ///   - options: The options of the fits.
  ///   - jobs: The number of threads. Results are identical for any number.
  ///   - consume: Receives the fits, in the order of the series; called by one thread at a time.
  /// - Returns: The diagnostics of the study as a whole.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible, and
  ///   what the stream and `consume` throw.
  package static func forEach(
    of stream: sending StudyStream, options: FitOptions, jobs: Int = 1,
    _ consume: @escaping @Sendable (StudyFit) throws -> Void
  ) throws -> [Diagnostic] {
    let plan = try FitPlan(options)
    let instrument = stream.instrument
    return try ParallelStream.map(
      stream, jobs: jobs, makeWorker: { SeriesFitter(plan) },
      { fitter, series in
        StudyFit(
          series: series, rFactor: plan.rFactor, result: fitter.result(of: series, instrument))
      }, consume: consume)
  }
}

extension StudyFit {
  init(series: Series, rFactor: String, result: Result<SeriesFit, SeriesFailure>) {
    self.init(series: series, rFactor: rFactor, coded: CodedResult(wrappedValue: result))
  }
}

extension SeriesFitter {
  /// Returns the fit of a series, or the reason why there is none.
  func result(of series: Series, _ instrument: Instrument?) -> Result<SeriesFit, SeriesFailure> {
    Result { () throws(SeriesFailure) in try fit(series, instrument: instrument) }
  }
}
