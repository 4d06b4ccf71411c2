public import Estimation
public import StudyData

/// What was checked of the calculations on the very series that a report is about.
public struct StudyVerification: Codable, Hashable, Sendable {
  /// How the least-squares engine solves NIST's problems, here and now.
  public let solver: NISTCertification
  /// How far the fitted curves are from an integration.
  public let curves: CurveVerification
  /// How the fits compare with those of GSL alone; nil where they are GSL's themselves.
  public let engines: EngineComparison?

  /// Checks the fits that a report shows.
  ///
  /// - Throws: ``/Estimation/SeriesFailure/solver(_:)`` if GSL could not be run.
  public init(
    of fits: [StudyFit], in study: Study, options: FitOptions, jobs: Int
  ) throws(SeriesFailure) {
    solver = try NISTCertification()
    curves = CurveVerification(of: fits)
    engines =
      options.engine == .gsl
      ? nil
      : try EngineComparison(
        study.name, of: fits, instrument: study.instrument, options: options, jobs: jobs)
  }
}
