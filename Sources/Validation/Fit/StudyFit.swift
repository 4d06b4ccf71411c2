import AlcoholKinetics
public import StudyData

/// The fit of one series of a study, or the reason why there is none.
public struct StudyFit: Sendable {
  /// The series.
  public let series: Series
  /// Name of the method that gave r, `estimated` or `fixed`.
  public let rFactor: String
  /// The fit.
  public let result: Result<SeriesFit, SeriesFailure>

  /// Whether there is no fit.
  public var hasFailed: Bool {
    if case .failure = result { true } else { false }
  }

  /// Fits every series of a study, in order. One that cannot be fitted does not stop the others.
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
    // What is wrong with the options is said once, not for every series.
    _ = try SeriesFitter(options: options)
    return ParallelMap.map(study.series, jobs: jobs) {
      Result { () throws(SeriesFailure) in try SeriesFitter(options: options) }
    } _: { fitter, series in
      StudyFit(
        series: series, rFactor: options.rFactorName,
        result: Result { () throws(SeriesFailure) in
          try fitter.get().fit(series, instrument: study.instrument)
        })
    }
  }
}

extension FitOptions {
  /// Where r comes from, in a word.
  var rFactorName: String {
    if estimate.contains(.r) { return "estimated" }
    return fixed[.r] == nil ? rFactor.name : "fixed"
  }
}
