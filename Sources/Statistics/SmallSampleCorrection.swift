import GSL

/// Small-sample t and chi-squared corrections for estimates of few independent units, such as people.
///
/// A likelihood takes no degrees of freedom off for the means that it estimates, and its curvature says nothing of how
/// uncertain it is itself. Of n numbers it gives a standard error of the mean that is too small by sqrt((n - 1) / n),
/// to be multiplied by Student's quantile and not by a normal one; and n times its variance over the true one is chi
/// squared with n - 1 degrees of freedom. Both hold exactly for normal numbers that are measured without error, and are
/// applied to units whose numbers are known from readings: ``varianceInterval(_:standardError:)`` says how.
package struct SmallSampleCorrection: Hashable, Sendable {
  /// How many there are.
  package let count: Int
  /// How many numbers of their mean are estimated: 1, and 1 for each covariate.
  package let means: Int

  /// Counts them.
  package init(_ count: Int, means: Int) {
    self.count = count
    self.means = means
  }

  /// n - p; not above 0 where an interval has no limits.
  package var degreesOfFreedom: Int { count - means }

  /// Student's quantile of two-sided intervals; nil without degrees of freedom.
  package var quantile: Double? {
    ConfidenceQuantile(degreesOfFreedom: Double(degreesOfFreedom), level: Interval.defaultLevel)?
      .value
  }

  /// How far an interval of a mean reaches to each side.
  ///
  /// - Parameter error: The standard error by the curvature of the likelihood.
  package func margin(_ error: Double) -> Double? {
    quantile.map { $0 * error * (Double(count) / Double(degreesOfFreedom)).squareRoot() }
  }

  /// By how much -2 ln L rises to the ends of an interval of a mean, where it is a parabola of that standard error.
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

  /// The interval of a variance between the units.
  ///
  /// Of n units whose numbers are known with the variance v of their own, the likelihood has the variance t - v, where
  /// t is the mean square of what was found, and the standard error t sqrt(2 / n); so v follows from the two. The ends
  /// are those of t less v (Thomas & Hultquist 1978), and 0 where that is below: exact where v is the same for all.
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
  ///   - numbers: How many numbers the larger model has more that may have either sign.
  ///   - variances: How many more that cannot be below zero, where the smaller model has them. Each is at zero in half of all
  ///     studies: the distribution is the mixture of chi-squared ones with binomial weights (Self & Liang 1987), which
  ///     takes them as independent of each other.
  package static func pValue(_ fall: Double, numbers: Int, variances: Int) -> Double? {
    var (sum, weight) = (0.0, (0..<variances).reduce(1.0) { weight, _ in weight / 2 })
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

/// Quantiles for intervals: Student's where the scale of the noise was estimated, else normal.
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

  /// At the usual level, by degrees of freedom, up to as many as a person usually has readings.
  private static let usual = (0...50).map { degrees in
    try? StudentT(degreesOfFreedom: Double(degrees)).quantile((1 + Interval.defaultLevel) / 2)
  }
}
