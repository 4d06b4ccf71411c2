import AlcoholKinetics
import GSL
import RealModule
public import StudyData

/// Where the parameters of an error model come from that are not given.
public enum ErrorSource: String, CaseIterable, Codable, Hashable, Sendable {
  /// All series of the study together, where these are enough (``StudyErrorModel``).
  case study
  /// The readings of each series alone.
  case subject
}

/// The error model of a study: one for all of its series.
///
/// Six readings of a person tell little of the error at zero, or of a correlation of errors. Those of
/// a study tell enough. SD at zero, coefficient of variation and correlation time are those that
/// minimise the sum over series of the restricted deviance
///
///     sum over readings (2 ln sigma + u^2) - 2 sum over censored ln Phi + ln |R| + ln |Q^T V^-1 Q|,
///
/// each curve refitted with them until neither changes. V is the covariance of the readings, R their
/// correlation and Q an orthonormal basis of what the curve can do about residuals. Source: Davidian &
/// Giltinan (1995), section 5.2.2 (variance parameters pooled across individuals); Harville (1974).
///
/// The SD of additive errors stays each person's own: it needs no sharing, as Student's t allows for
/// what a few readings leave open.
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
  /// How many series decided.
  public let series: Int
  /// How many more did not, as their residuals are larger than those of the rest by more than can be an
  /// accident: a mistyped reading, a drink that nobody wrote down.
  public let outlying: Int
  /// n - p, summed over them.
  public let degreesOfFreedom: Int
  /// The smallest standard deviation at zero that could be estimated, in g/kg; nil where nothing depends
  /// on it.
  public let smallestSD: Double?
  /// Whether the errors of all people are of one size; nil if that cannot be tested.
  package let spread: ErrorSpread?

  /// Fewer series do not make a study.
  public static let fewestSeries = 5
  /// The first so many series of a study decide. They give a standard deviation to a few percent, and
  /// a study of any size costs no more memory.
  public static let mostSeries = 100

  /// What breathalysers usually have, to begin with.
  static let before = StudyErrorModel(
    sd: Parameter(value: 0.01, low: nil, high: nil),
    cv: Parameter(value: 0.05, low: nil, high: nil),
    correlationTime: Parameter(value: 0, low: nil, high: nil), series: 0, outlying: 0,
    degreesOfFreedom: 0,
    smallestSD: nil, spread: nil)

  /// The degrees of freedom of the variance of a reading; nil where it is not shared.
  ///
  /// The logarithm of a variance of k parameters, estimated with nu degrees of freedom, has on average over
  /// readings the variance 2 k / nu: what one parameter has with nu / k.
  func degreesOfFreedom(of error: ErrorModel) -> Int? {
    error.hasSharedParameters ? max(1, degreesOfFreedom / error.estimatedCount) : nil
  }

  /// An error model with what was estimated filled in.
  func filled(_ error: ErrorModel) -> ErrorModel {
    guard error.hasSharedParameters else { return error }
    var values = ObservationModel(sd: 0, cv: 0)
    for parameter in error.parameters {
      guard let estimate = parameter == .sd ? sd : cv else { return error }
      values[parameter] = estimate.value
    }
    return error.with(values)
  }

  /// A correlation with what was estimated filled in.
  func filled(_ correlation: ErrorCorrelation) -> ErrorCorrelation {
    guard correlation == .exponential(time: nil), let correlationTime else { return correlation }
    return .exponential(time: Hours(correlationTime.value))
  }
}

/// Whether the errors of all people of a study are of one size.
///
/// Bartlett's (1937) test of equal variances, of residuals in the standard deviations that the study's
/// error model gives them, over the series with three degrees of freedom or more.
package struct ErrorSpread: Codable, Hashable, Sendable {
  /// The standard deviation between people of the logarithm of the size of their errors; 0 if they
  /// differ by no more than chance makes them.
  package let logSD: Double
  /// The probability of differences as large as these if all had errors of one size.
  package let pValue: Double

  /// Whether people differ, by more than can be an accident.
  package var isNoteworthy: Bool { pValue < 1e-3 }

  private static let fewestDegreesOfFreedom = 3.0

  /// - Parameter series: Of each the sum of squared residuals in standard deviations, and n - p.
  init?(_ series: [(squares: Double, degreesOfFreedom: Double)]) {
    let told = series.filter {
      $0.degreesOfFreedom >= Self.fewestDegreesOfFreedom && $0.squares > 0
    }
    guard told.count >= StudyErrorModel.fewestSeries else { return nil }
    let all = told.reduce(0) { $0 + $1.degreesOfFreedom }
    let squares = told.reduce(0) { $0 + $1.squares }
    var statistic = all * .log(squares / all)
    var reciprocals = -1 / all
    var chance = 0.0
    for (squares, nu) in told {
      statistic -= nu * .log(squares / nu)
      reciprocals += 1 / nu
      chance += PolyGamma.trigamma(nu / 2) ?? 0
    }
    let others = Double(told.count - 1)
    let correction = 1 + reciprocals / (3 * others)
    guard let distribution = try? ChiSquared(degreesOfFreedom: others),
      let tail = try? distribution.upperTail(max(0, statistic / correction))
    else { return nil }
    pValue = tail
    // ln of a mean square has the mean psi(nu / 2) - ln(nu / 2) and the variance psi'(nu / 2).
    let logarithms = told.map { squares, nu in
      Double.log(squares / nu) - ((PolyGamma.digamma(nu / 2) ?? 0) - .log(nu / 2))
    }
    let mean = logarithms.reduce(0, +) / Double(told.count)
    let variance = logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / others
    // That of squares is four times that of sizes.
    logSD = max(0, (variance - chance / Double(told.count)) / 4).squareRoot()
  }
}

// MARK: - Estimation

extension FitOptions {
  /// Whether fits of a study share an error model that is estimated: its shape, or a correlation time.
  ///
  /// A prior comes with errors of its own; a loss and one-sided residuals have no likelihood.
  package var wantsStudyError: Bool {
    guard errorSource == .study, studyError == nil, loss == .linear, prior == nil,
      selection.censoring != .oneSided
    else { return false }
    return error.hasSharedParameters || correlation.estimatedCount > 0
  }

  /// The same options with the error model of a study, which its first series tell
  /// (``StudyErrorModel/mostSeries``); where these are too few, with that of each series.
  ///
  /// - Parameters:
  ///   - stream: The study, which is read as far as that.
  ///   - jobs: How many threads work at it. The results do not depend on it, to the last bit.
  /// - Throws: ``SeriesFailure`` if the options ask for something impossible, and what the stream throws.
  package func withStudyError(of stream: sending StudyStream, jobs: Int = 1) throws -> FitOptions {
    guard wantsStudyError else { return self }
    var stream = stream
    var series: [Series] = []
    while series.count < StudyErrorModel.mostSeries, let next = try stream.next() {
      series.append(next)
    }
    return try withStudyError(of: series, stream.instrument, jobs: jobs)
  }

  /// The same options with the error model of a study, which its first series tell
  /// (``StudyErrorModel/mostSeries``); where these are too few, with that of each series.
  ///
  /// - Parameters:
  ///   - study: Whose series.
  ///   - jobs: How many threads work at it. The results do not depend on it, to the last bit.
  /// - Throws: ``SeriesFailure`` if the options ask for something impossible, or the task was cancelled.
  public func withStudyError(
    of study: Study, jobs: Int = 1
  ) throws(SeriesFailure) -> FitOptions {
    try withStudyError(
      of: Array(study.series.prefix(StudyErrorModel.mostSeries)), study.instrument, jobs: jobs)
  }

  private func withStudyError(
    of series: [Series], _ instrument: Instrument?, jobs: Int
  ) throws(SeriesFailure) -> FitOptions {
    guard wantsStudyError else { return self }
    var options = self
    options.studyError = try StudyErrorSearch.error(
      of: series, instrument, options: self, jobs: jobs)
    if options.studyError == nil { options.errorSource = .subject }
    return options
  }
}
