import AlcoholKinetics
import GSL
import RealModule
public import StudyData

/// The readings from which an error model is estimated.
public enum ErrorSource: String, CaseIterable, Codable, Hashable, Sendable {
  /// All series of the study together, if these are enough (``StudyErrorModel``).
  case study
  /// The readings of each series alone.
  case subject
}

/// The error model of a study: one for all of its series.
///
/// Six readings of a subject hardly determine the error at zero or a correlation of errors; those of a study do. SD at
/// zero, coefficient of variation, correlation time and nugget minimise the sum over series of the restricted deviance
///
///     sum over readings (2 ln sigma + u^2) - 2 sum over censored ln Phi + ln |R| + ln |Q^T V^-1 Q|,
///
/// each curve being refitted with them until neither changes. V is the covariance of the readings, R their correlation
/// and Q an orthonormal basis of the columns of the curve's Jacobian. Source: Davidian &
/// Giltinan (1995), section 5.2.2 (variance parameters pooled across individuals); Harville (1974).
///
/// The SD of additive errors is estimated for each series: it needs no sharing, as Student's t allows for its
/// uncertainty.
public struct StudyErrorModel: Codable, Hashable, Sendable {
  /// A parameter with its 95 % interval.
  public struct Parameter: Codable, Hashable, Sendable {
    /// The estimate.
    public let value: Double
    /// The low end of the interval; nil if there is none.
    public let low: Double?
    /// The high end of the interval; nil if there is none.
    public let high: Double?
  }

  /// The standard deviation at zero in g/kg; nil if it is not shared.
  public let sd: Parameter?
  /// The coefficient of variation; nil if it is not shared.
  public let cv: Parameter?
  /// The time constant of correlated errors in h, 0 if the residuals show none; nil if it was not
  /// estimated.
  public let correlationTime: Parameter?
  /// The share of the variance of correlated errors that is white noise; nil if it was not estimated.
  public let nugget: Parameter?
  /// The number of series that it was estimated from.
  public let series: Int
  /// The number of series excluded because their residuals are significantly larger than those of the rest, as after a
  /// mistyped reading or an unrecorded drink.
  public let outlying: Int
  /// The degrees of freedom n - p, summed over the series that it was estimated from.
  public let degreesOfFreedom: Int
  /// The smallest standard deviation at zero that could be estimated, in g/kg; nil for error models without one.
  public let smallestSD: Double?
  /// The test of equal error variances between series; nil if there are too few series.
  package let spread: ErrorSpread?
  /// The test that made the exponential correlation the default; nil if it was stated.
  package let correlationTest: PooledAutocorrelation?

  /// The smallest number of series from which an error model is estimated.
  public static let fewestSeries = 5
  /// The largest number of series that are used, the first of a study. They determine a standard deviation to a few
  /// percent, and memory does not grow with the study.
  public static let mostSeries = 100

  /// The errors of a usual breathalyser, from which the search starts.
  static let initial = StudyErrorModel(
    sd: Parameter(value: 0.01, low: nil, high: nil),
    cv: Parameter(value: 0.05, low: nil, high: nil),
    correlationTime: Parameter(value: 0, low: nil, high: nil), nugget: nil, series: 0, outlying: 0,
    degreesOfFreedom: 0, smallestSD: nil, spread: nil, correlationTest: nil)

  /// The degrees of freedom of the variance of a reading; nil where it is not shared.
  ///
  /// With k parameters estimated with nu degrees of freedom, the logarithm of a variance has, on average over readings,
  /// the variance 2 k / nu: that of one parameter with nu / k.
  func degreesOfFreedom(of error: ErrorModel) -> Int? {
    error.hasSharedParameters ? max(1, degreesOfFreedom / error.estimatedCount) : nil
  }

  /// Returns an error model with the estimated parameters filled in.
  func filled(_ error: ErrorModel) -> ErrorModel {
    guard error.hasSharedParameters else { return error }
    var values = ObservationModel(sd: 0, cv: 0)
    for parameter in error.parameters {
      guard let estimate = parameter == .sd ? sd : cv else { return error }
      values[parameter] = estimate.value
    }
    return error.with(values)
  }

  /// Returns a correlation with the estimated time and nugget filled in.
  func filled(_ correlation: ErrorCorrelation) -> ErrorCorrelation {
    guard correlation == .exponential(time: nil), let correlationTime else { return correlation }
    return .exponential(time: Hours(correlationTime.value), nugget: nugget?.value ?? 0)
  }
}

/// The test of equal error variances between the series of a study.
///
/// Bartlett's (1937) test, of residuals over the standard deviations by the study's error model, for the series with
/// three degrees of freedom or more.
package struct ErrorSpread: Codable, Hashable, Sendable {
  /// The standard deviation between series of the logarithm of their error SD; 0 if they differ by no more than
  /// chance.
  package let logSD: Double
  /// The probability of differences as large as these if all series had the same error variance.
  package let pValue: Double

  /// True if the error variances differ significantly between series.
  package var isNoteworthy: Bool { pValue < 1e-3 }

  private static let fewestDegreesOfFreedom = 3.0

  /// Performs the test; nil if there are too few series.
  ///
  /// - Parameter series: The sum of squared standardised residuals, and n - p, of each series.
  init?(_ series: [(squares: Double, degreesOfFreedom: Double)]) {
    let tested = series.filter {
      $0.degreesOfFreedom >= Self.fewestDegreesOfFreedom && $0.squares > 0
    }
    guard tested.count >= StudyErrorModel.fewestSeries else { return nil }
    let all = tested.reduce(0) { $0 + $1.degreesOfFreedom }
    let squares = tested.reduce(0) { $0 + $1.squares }
    var statistic = all * .log(squares / all)
    var reciprocals = -1 / all
    var chance = 0.0
    for (squares, nu) in tested {
      statistic -= nu * .log(squares / nu)
      reciprocals += 1 / nu
      chance += PolyGamma.trigamma(nu / 2) ?? 0
    }
    let others = Double(tested.count - 1)
    let correction = 1 + reciprocals / (3 * others)
    guard let distribution = try? ChiSquared(degreesOfFreedom: others),
      let tail = try? distribution.upperTail(max(0, statistic / correction))
    else { return nil }
    pValue = tail
    // ln of a mean square has the mean psi(nu / 2) - ln(nu / 2) and the variance psi'(nu / 2).
    let logarithms = tested.map { squares, nu in
      Double.log(squares / nu) - ((PolyGamma.digamma(nu / 2) ?? 0) - .log(nu / 2))
    }
    let mean = logarithms.reduce(0, +) / Double(tested.count)
    let variance = logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / others
    // ln of a variance is twice ln of an SD.
    logSD = max(0, (variance - chance / Double(tested.count)) / 4).squareRoot()
  }
}

// MARK: - Estimation

extension FitOptions {
  /// True if the series of a study share error parameters that are to be estimated, SD and CV or a correlation, or decide
  /// whether there is one.
  ///
  /// A prior comes with its own error model; robust losses and one-sided residuals have no likelihood.
  package var usesStudyError: Bool {
    guard errorSource == .study, studyError == nil, loss == .linear, prior == nil,
      selection.censoring != .oneSided
    else { return false }
    return error.hasSharedParameters || correlation.estimatedCount > 0 || testsCorrelation
  }

  /// True if the study's test of correlated errors decides on the correlation: if it is automatic, and nothing else that
  /// was chosen allows for it, or excludes it.
  var testsCorrelation: Bool {
    correlation == .automatic && standardErrors == .model && interval?.kind != .residualBootstrap
  }

  /// Returns the options with the error model of a study, estimated from its first ``StudyErrorModel/mostSeries`` series;
  /// with too few series, options that estimate it from each series alone.
  ///
  /// - Parameters:
  ///   - stream: The study; only those series are read.
  ///   - jobs: The number of threads. Results are identical for any number.
  /// - Throws: ``SeriesFailure`` if the options ask for something impossible, and what the stream throws.
  package func withStudyError(of stream: sending StudyStream, jobs: Int = 1) throws -> FitOptions {
    guard usesStudyError else { return self }
    var stream = stream
    var series: [Series] = []
    while series.count < StudyErrorModel.mostSeries, let next = try stream.next() {
      series.append(next)
    }
    return try withStudyError(of: series, stream.instrument, jobs: jobs)
  }

  /// Returns the options with the error model of a study, estimated from its first ``StudyErrorModel/mostSeries`` series;
  /// with too few series, options that estimate it from each series alone.
  ///
  /// An automatic correlation becomes ``ErrorCorrelation/exponential(time:nugget:)`` if neighbouring residuals of these
  /// series are alike as in one of a thousand studies with independent errors, else ``ErrorCorrelation/independent``.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - jobs: The number of threads. Results are identical for any number.
  /// - Throws: ``SeriesFailure`` if the options ask for something impossible, or the task was cancelled.
  public func withStudyError(
    of study: Study, jobs: Int = 1
  ) throws(SeriesFailure) -> FitOptions {
    try withStudyError(
      of: Array(study.series.prefix(StudyErrorModel.mostSeries)), study.instrument, jobs: jobs)
  }

  /// Returns the options with the error model of a study, estimated from its first series.
  ///
  /// - Throws: ``SeriesFailure`` if the options ask for something impossible, or the task was cancelled.
  package func withStudyError(
    of series: [Series], _ instrument: Instrument?, jobs: Int
  ) throws(SeriesFailure) -> FitOptions {
    guard usesStudyError else { return self }
    var options = self
    options.studyError = try StudyErrorSearch.error(
      of: series, instrument, options: self, jobs: jobs)
    if correlation == .automatic {
      let isCorrelated = options.studyError?.correlationTest != nil
      options.correlation = isCorrelated ? .exponential(time: nil) : .independent
    }
    if options.studyError == nil, options.usesStudyError { options.errorSource = .subject }
    return options
  }
}
