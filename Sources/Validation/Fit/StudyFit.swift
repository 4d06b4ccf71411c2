import AlcoholKinetics
public import StudyData

/// The fit of one series of a study, or the reason why there is none.
public struct StudyFit: Sendable {
  /// The series.
  public let series: Series
  /// Name of the method that gave r, or `estimated`.
  public let rFactor: String
  /// The fit.
  public let result: Result<SeriesFit, SeriesFailure>

  /// Whether there is no fit.
  public var hasFailed: Bool {
    if case .failure = result { true } else { false }
  }

  /// Fits every series of a study, in order. One that cannot be fitted does not stop the others.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible.
  public static func fits(
    of study: Study, options: FitOptions
  ) throws(SeriesFailure) -> [StudyFit] {
    let fitter = try SeriesFitter(options: options)
    let rFactor = options.estimate.contains(.r) ? "estimated" : options.rFactor.name
    return study.series.map { series in
      StudyFit(
        series: series, rFactor: rFactor,
        result: Result { () throws(SeriesFailure) in try fitter.fit(series) })
    }
  }
}
