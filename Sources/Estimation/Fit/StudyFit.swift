import AlcoholKinetics
public import StudyData

/// The fit of one series of a study, or the reason why there is none.
public struct StudyFit: Codable, Hashable, Sendable {
  /// The series.
  public let series: Series
  /// Name of the method that gave r, `estimated` or `fixed`.
  public let rFactor: String
  /// The result where it lies, to take single numbers out of it.
  package let coded: CodedResult<SeriesFit>

  private enum CodingKeys: String, CodingKey {
    case series, rFactor
    case coded = "result"
  }

  /// The fit.
  public var result: Result<SeriesFit, SeriesFailure> { coded.wrappedValue }

  /// Whether there is no fit.
  public var hasFailed: Bool { coded.success == nil }

  /// Fits every series of a study, in order. One that cannot be fitted does not stop the others.
  ///
  /// Series share the study's error model (``FitOptions/withStudyError(of:jobs:)``) unless the options have
  /// it from each.
  ///
  /// - Parameters:
  ///   - study: Whose series.
  ///   - options: What to fit and how.
  ///   - jobs: How many threads work at it. The results do not depend on it, to the last bit.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible,
  ///   ``SeriesFailure/solver(_:)`` if the starts cannot be laid out.
  public static func fits(
    of study: Study, options: FitOptions, jobs: Int = 1
  ) throws(SeriesFailure) -> [StudyFit] {
    try fits(of: study, options: options, detailing: Set(study.series.indices), jobs: jobs)
  }

  /// Fits every series of a study, in order, and works out profiles and derived quantities for some of them only.
  ///
  /// - Parameter shown: The places of those series in the study.
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
    } _: { fitters, place in
      let fitter = shown.contains(place.offset) ? fitters.full : fitters.bare
      return StudyFit(
        series: place.element, rFactor: fitter.plan.rFactor,
        result: fitter.result(of: place.element, study.instrument))
    }
  }

  /// Fits every series of a stream as it comes, and hands the fits on in order. Only so many are
  /// under way at a time, so that memory does not grow with the study.
  ///
  /// The study's error model must be known before: a stream is read once.
  ///
  /// - Parameters:
  ///   - stream: Whose series.
  ///   - options: What to fit and how.
  ///   - jobs: How many threads work at it. The results do not depend on it, to the last bit.
  ///   - consume: Takes the fits, in the order of the series; called by one thread at a time.
  /// - Returns: What was found in the study as a whole.
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
  /// The fit of a series, or why there is none.
  func result(of series: Series, _ instrument: Instrument?) -> Result<SeriesFit, SeriesFailure> {
    Result { () throws(SeriesFailure) in try fit(series, instrument: instrument) }
  }
}
