import GSL

/// A normal distribution fitted to numbers some of which are censored, by maximum likelihood, with
/// small-sample corrections.
///
/// The SD has the divisor n - 1 instead of n, and the interval of the mean is by Student's t with n - 1
/// degrees of freedom, n being the number of values with a limit; without censoring both are the usual
/// ones. The interval of the SD is by chi squared, with degrees of freedom that match its standard
/// error.
///
/// Source: J. Burridge, "A note on maximum likelihood estimation for regression models using grouped
/// data", J R Stat Soc B 43 (1981) 41-45; the same as `survreg(Surv(..., type = "interval2"), dist =
/// "gaussian")` of R's survival.
public struct CensoredNormal: Codable, Hashable, Sendable {
  /// The mean.
  public let mean: Double
  /// The standard deviation, divisor n - 1.
  public let standardDeviation: Double
  /// Interval of the mean.
  public let meanInterval: Interval
  /// Interval of the standard deviation; nil where too little is known.
  public let deviationInterval: Interval?
  /// The maximum likelihood standard deviation, divisor n.
  let likeliestDeviation: Double
  /// The logarithm of the likelihood.
  let logLikelihood: Double

  /// Fits the distribution.
  ///
  /// - Parameters:
  ///   - values: The numbers.
  ///   - level: The level of the intervals.
  /// - Returns: nil if there is no maximum: fewer than 2 numbers have a limit, none has an upper or
  ///   none a lower limit, or all may be the same.
  public init?(_ values: [CensoredValue], level: Double = Interval.defaultLevel) {
    let limited = values.filter { $0.kind != .unknown }
    let tail = (1 + level) / 2
    guard limited.count >= 2, tail > 0.5, tail < 1,
      let maximum = CensoredNormalFit(limited.map { Interval(low: $0.low, high: $0.high) }),
      let covariance = maximum.covariance,
      let t = try? StudentT(degreesOfFreedom: Double(limited.count - 1)).quantile(tail)
    else { return nil }
    let count = Double(limited.count)
    let correction = (count / (count - 1)).squareRoot()
    mean = maximum.mean
    likeliestDeviation = maximum.sd
    standardDeviation = correction * maximum.sd
    logLikelihood = maximum.logLikelihood
    let variance =
      (covariance.aa - 2 * mean * covariance.ab + mean * mean * covariance.bb) * maximum.sd
      * maximum.sd
    let margin = t * correction * max(0, variance).squareRoot()
    meanInterval = Interval(low: mean - margin, high: mean + margin)
    deviationInterval = Self.deviationInterval(
      standardDeviation, relativeVariance: covariance.bb * maximum.sd * maximum.sd, tail: tail)
  }

  /// The interval of the SD by chi-squared with matching degrees of freedom; for n exact numbers
  /// the logarithm of the SD has the variance 1 / 2n.
  private static func deviationInterval(
    _ deviation: Double, relativeVariance: Double, tail: Double
  ) -> Interval? {
    let degrees = 1 / (2 * relativeVariance) - 1
    guard degrees > 0, let distribution = try? ChiSquared(degreesOfFreedom: degrees),
      let low = try? distribution.quantile(1 - tail), let high = try? distribution.quantile(tail),
      low > 0
    else { return nil }
    return Interval(
      low: deviation * (degrees / high).squareRoot(),
      high: deviation * (degrees / low).squareRoot())
  }
}
