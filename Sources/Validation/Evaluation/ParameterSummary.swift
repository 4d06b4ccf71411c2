public import AlcoholKinetics
public import Estimation
import RealModule
import StudyData

/// One estimated parameter over the subjects of a study.
///
/// Subjects whose readings do not determine the parameter are not left out: they mostly have extreme
/// values, such as fast absorption, for which sparse readings give only a lower limit of k_a. They
/// count as censored, by the limits of their intervals (`CensoredValue`). An estimate without profile
/// intervals (none, or Wald's) counts as exact, and at a bound of the search as unknown. Fits that did
/// not converge are left out, and so are implausible ones, whose dose, weight, times or unit are
/// wrong; both are counted separately.
///
/// A subject counts once, by the mean over its series, so that spread is that between subjects. Means are of
/// the logarithms, except for the lag, which is not positive for everybody.
///
/// The typical value and the between-subject variation are those of a log-normal distribution
/// (normal for the lag) by maximum likelihood (`CensoredNormal`). In it a determined parameter
/// counts by the interval of its estimate, which in simulated cohorts is less biased than counting
/// the estimate as exact. If all intervals overlap, so that between-subject variation cannot be
/// separated from estimation error, estimates count as exact. The median, which assumes no
/// distribution, takes the estimates themselves (`CensoredMedian`).
public struct ParameterSummary: Codable, Hashable, Sendable {
  public let parameter: FitParameter
  /// The value or limits of each subject, in the study's order: logarithms, except for the lag.
  public let subjects: [CensoredValue]
  /// The number of series these come from.
  public let series: Int
  /// The number of them whose readings do not determine the parameter, or whose estimate is at a bound.
  public let undetermined: Int
  /// The number of series without a fit, or whose fit did not converge.
  public let failed: Int
  /// The number of series with an implausible fit, which is left out.
  public let implausible: Int
  /// The distribution over subjects, of logarithms; nil where too little is known.
  public let distribution: CensoredNormal?
  /// The median over subjects, of logarithms; nil where nothing is known.
  private let logMedian: CensoredMedian?

  /// Summarises every parameter that some fit of a study estimated, in their order.
  public static func summaries(of fits: [StudyFit], level: Double = Interval.defaultLevel)
    -> [ParameterSummary]
  {
    let estimated = fits.reduce(into: Set<FitParameter>()) { parameters, fit in
      if let fit = try? fit.result.get() { parameters.formUnion(fit.estimates.keys) }
    }
    return estimated.sorted().map { ParameterSummary($0, of: fits, level: level) }
  }

  private init(_ parameter: FitParameter, of fits: [StudyFit], level: Double) {
    var estimates: [(subject: String, value: CensoredValue)] = []
    var series = 0
    var undetermined = 0
    var failed = 0
    var implausible = 0
    for fit in fits {
      guard let value = try? fit.result.get(), value.isConverged,
        let estimate = value.estimates[parameter]
      else {
        failed += 1
        continue
      }
      guard value.status != .implausible else {
        implausible += 1
        continue
      }
      series += 1
      let logarithm = estimate.censoredValue(of: parameter)
      if logarithm.value == nil { undetermined += 1 }
      estimates.append((fit.series.subject.id, logarithm))
    }
    self.parameter = parameter
    self.series = series
    self.undetermined = undetermined
    self.failed = failed
    self.implausible = implausible
    let subjects = estimates.grouped(by: \.subject).map {
      CensoredValue.mean(of: $0.values.map(\.value))
    }
    self.subjects = subjects
    distribution =
      CensoredNormal(subjects, level: level)
      ?? CensoredNormal(subjects.map(\.withoutOwnLimits), level: level)
    logMedian = CensoredMedian(subjects)
  }

  /// Returns the number of subjects with a kind of knowledge of the value.
  public func count(_ kind: CensoredValue.Kind) -> Int { subjects.count { $0.kind == kind } }

  /// The typical value in the parameter's unit: the geometric mean over subjects, which is the median of the
  /// distribution; of the lag the mean. Nil where too little is known.
  public var typical: Double? { distribution.map { parameter.value(at: $0.mean) } }

  /// The interval of the typical value, in the parameter's unit.
  public var typicalInterval: Interval? {
    (distribution?.meanInterval).map { parameter.interval($0.low, $0.high) }
  }

  /// The mean over subjects in the parameter's unit: of a log-normal distribution exp(mu + SD^2 / 2).
  public var mean: Double? {
    distribution.map { distribution in
      let deviation = distribution.standardDeviation
      return parameter.isLogarithmic
        ? Double.exp(distribution.mean + deviation * deviation / 2) : distribution.mean
    }
  }

  /// The standard deviation between subjects in the parameter's unit.
  public var standardDeviation: Double? {
    guard let distribution, let mean else { return nil }
    let deviation = distribution.standardDeviation
    return parameter.isLogarithmic
      ? mean * Double.expMinusOne(deviation * deviation).squareRoot() : deviation
  }

  /// The standard deviation between subjects of the logarithm; nil for the lag, and where too little is
  /// known.
  public var logDeviation: Double? {
    parameter.isLogarithmic ? distribution?.standardDeviation : nil
  }

  /// The interval of the standard deviation of the logarithm.
  public var logDeviationInterval: Interval? {
    parameter.isLogarithmic ? distribution?.deviationInterval : nil
  }

  /// The standard deviation in percent of the mean, which for a log-normal distribution is
  /// 100 sqrt(exp(SD^2) - 1); nil unless the mean is positive.
  public var coefficientOfVariation: Double? {
    guard let mean, let standardDeviation, mean > 0 else { return nil }
    return 100 * standardDeviation / mean
  }

  /// The median, in the parameter's unit; nil where nothing is known.
  public var median: CensoredMedian? { logMedian?.map { parameter.value(at: $0) } }

  /// The range of the determined values over subjects, in the parameter's unit;
  /// nil if there are none.
  public var range: Interval? {
    let values = subjects.compactMap(\.value)
    guard let low = values.min(), let high = values.max() else { return nil }
    return parameter.interval(low, high)
  }
}

extension FitParameter {
  /// The interval between two values of the coordinate of the fit, in the parameter's unit.
  fileprivate func interval(_ low: Double, _ high: Double) -> Interval {
    Interval(low: value(at: low), high: value(at: high))
  }
}

extension ParameterEstimate {
  /// The estimate as a censored value, in the coordinate of the fit.
  fileprivate func censoredValue(of parameter: FitParameter) -> CensoredValue {
    let isExamined = isIdentifiable != nil
    let (low, high) = isExamined ? (low, high) : (nil, nil)
    let limits = (low.map(parameter.coordinate), high.map(parameter.coordinate))
    guard isIdentifiable == false || isAtBound else {
      return CensoredValue(low: limits.0, high: limits.1, value: parameter.coordinate(of: value))
    }
    // No lag is below zero.
    let least = parameter.isLogarithmic || high == nil ? nil : 0.0
    return CensoredValue(low: limits.0 ?? least, high: limits.1)
  }
}
