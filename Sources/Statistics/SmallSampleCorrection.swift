import GSL

/// Small-sample t and chi-squared corrections for estimates of few independent units, such as people.
///
/// Maximum likelihood does not subtract degrees of freedom for estimated means, and its curvature ignores
/// the uncertainty of the variance. For n numbers the standard error of the mean is too small by
/// sqrt((n - 1) / n), and needs Student's quantile; n times the estimated variance over the true one is
/// chi-squared with n - 1 degrees of freedom. Both are exact for normal numbers measured without error,
/// and are applied to units whose values are estimated from readings: see ``varianceInterval(_:standardError:)``.
package struct SmallSampleCorrection: Hashable, Sendable {
  /// The number of units.
  package let count: Int
  /// The number of means estimated: 1, and 1 for each covariate.
  package let means: Int

  /// Creates a correction for so many units.
  package init(_ count: Int, means: Int) {
    self.count = count
    self.means = means
  }

  /// n - p; intervals are nil unless it is positive.
  package var degreesOfFreedom: Int { count - means }

  /// Student's quantile of two-sided intervals; nil without degrees of freedom.
  package var quantile: Double? {
    ConfidenceQuantile(degreesOfFreedom: Double(degreesOfFreedom), level: Interval.defaultLevel)?
      .value
  }

  /// Returns the half-width of an interval of a mean.
  ///
  /// - Parameter error: The standard error by the curvature of the likelihood.
  package func margin(_ error: Double) -> Double? {
    quantile.map { $0 * error * (Double(count) / Double(degreesOfFreedom)).squareRoot() }
  }

  /// The rise of -2 ln L at the ends of an interval of a mean, for a quadratic -2 ln L.
  package var rise: Double? {
    margin(1).map { $0 * $0 }
  }

  /// The two-sided p value of a mean over its standard error.
  package func pValue(_ statistic: Double) -> Double? {
    guard degreesOfFreedom > 0,
      let tail = try? StudentT(degreesOfFreedom: Double(degreesOfFreedom)).upperTail(
        abs(statistic))
    else { return nil }
    return 2 * tail
  }

  /// Returns the interval of a variance between units.
  ///
  /// The likelihood of n units whose values have a common estimation variance v estimates t - v,
  /// where t is the mean square of the estimates, with the standard error t sqrt(2 / n); so v
  /// follows from the two. The ends are those of t minus v (Thomas & Hultquist 1978), at least 0;
  /// exact if v is the same for all units.
  package func varianceInterval(_ variance: Double, standardError: Double) -> Interval? {
    let n = Double(count)
    let total = max(variance, standardError * (n / 2).squareRoot())
    guard degreesOfFreedom > 0, standardError.isFinite, total.isFinite,
      let distribution = try? ChiSquared(degreesOfFreedom: Double(degreesOfFreedom)),
      let above = try? distribution.quantile(0.5 + 0.5 * Interval.defaultLevel),
      let below = try? distribution.quantile(0.5 - 0.5 * Interval.defaultLevel)
    else { return nil }
    let noise = total - variance
    return Interval(low: max(0, n * total / above - noise), high: n * total / below - noise)
  }
}

/// The test of two nested models by the ratio of their likelihoods.
package enum LikelihoodRatio {
  /// The p value of a fall of -2 ln L.
  ///
  /// - Parameters:
  ///   - numbers: The number of additional unbounded parameters of the larger model.
  ///   - variances: The number of additional variances, which are zero in the smaller model. Each is
  ///     estimated as zero in half of all studies: the distribution is a mixture of chi-squared ones with
  ///     binomial weights (Self & Liang 1987), assuming that they are independent.
  package static func pValue(_ fall: Double, numbers: Int, variances: Int) -> Double? {
    var sum = 0.0
    var weight = (0..<variances).reduce(1.0) { weight, _ in weight / 2 }
    for count in 0...variances {
      let freedom = numbers + count
      if freedom == 0 {
        sum += fall > 0 ? 0 : weight
      } else {
        guard
          let tail = try? ChiSquared(degreesOfFreedom: Double(freedom)).upperTail(max(0, fall))
        else { return nil }
        sum += weight * tail
      }
      weight *= Double(variances - count) / Double(count + 1)
    }
    return sum
  }
}

/// Quantiles for intervals: Student's if the scale of the noise was estimated, else normal.
package struct ConfidenceQuantile {
  /// The two-sided quantile.
  package let value: Double
  /// n - p; nil where the scale is known.
  package let degreesOfFreedom: Double?

  /// The quantile at a level; nil if there are too few readings.
  ///
  /// - Parameter degreesOfFreedom: n - p; nil where the scale is known.
  package init?(degreesOfFreedom: Double?, level: Double) {
    let upper = (1 + level) / 2
    self.degreesOfFreedom = degreesOfFreedom
    guard let degrees = degreesOfFreedom else {
      value = NormalScores.quantile(upper)
      guard value.isFinite else { return nil }
      return
    }
    guard degrees > 0, let quantile = Self.student(degrees, level) else { return nil }
    value = quantile
  }

  private static func student(_ degrees: Double, _ level: Double) -> Double? {
    if level == Interval.defaultLevel, let whole = Int(exactly: degrees),
      usual.indices.contains(whole)
    {
      return usual[whole]
    }
    return try? StudentT(degreesOfFreedom: degrees).quantile((1 + level) / 2)
  }

  /// Precomputed quantiles at the default level, for as many degrees of freedom as a series usually has readings.
  private static let usual = (0...50).map { degrees in
    try? StudentT(degreesOfFreedom: Double(degrees)).quantile((1 + Interval.defaultLevel) / 2)
  }
}
