import GSL

/// A normal distribution fitted to numbers of which some are known by limits only, by maximum
/// likelihood.
///
/// The SD has the divisor n - 1 instead of n, as that of complete numbers has, and the interval of the
/// mean is by Student's t with n - 1 degrees of freedom, n being how many numbers say anything; with
/// complete numbers all of it is the textbook's. The interval of the SD goes by chi squared, with the
/// degrees of freedom that its standard error stands for.
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
  /// The standard deviation of greatest likelihood, divisor n.
  let likeliestDeviation: Double
  /// The logarithm of the likelihood.
  let logLikelihood: Double

  /// Fits the distribution.
  ///
  /// - Parameters:
  ///   - values: What is known of each number.
  ///   - level: The level of the intervals.
  /// - Returns: nil where there is no maximum: fewer than 2 numbers say anything, none has an upper or
  ///   none a lower limit, or all may be the same.
  public init?(_ values: [CensoredValue], level: Double = Interval.defaultLevel) {
    let known = values.filter { $0.kind != .unknown }
    let tail = (1 + level) / 2
    guard known.count >= 2, tail > 0.5, tail < 1,
      let maximum = CensoredMaximum(known.map { Interval(low: $0.low, high: $0.high) }),
      let covariance = maximum.covariance,
      let t = try? StudentT(degreesOfFreedom: Double(known.count - 1)).quantile(tail)
    else { return nil }
    let count = Double(known.count)
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

  /// A variance with so many degrees of freedom is chi squared over them; for n numbers that are known
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
