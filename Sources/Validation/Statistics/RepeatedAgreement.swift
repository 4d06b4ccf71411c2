public import Estimation

/// Limits of agreement from several errors per subject, not equally many of each.
///
/// Errors of one subject are alike, so that all of them pooled say less than as many subjects would. The
/// variance of a single error of a new subject is the sum of that between subjects and that within
/// them, by one-way analysis of variance with subjects as groups of n_i errors, N in all of k:
///
///     within  = sum of (error - subject's mean)^2 / (N - k)
///     between = (MS_between - within) / m,   m = (N - sum of n_i^2 / N) / (k - 1),   not below 0
///
/// With one error per subject it is the variance of the errors, and the limits are those of Bland and
/// Altman (1986).
///
/// Source: J. M. Bland, D. G. Altman, "Agreement between methods of measurement with multiple
/// observations per individual", J Biopharm Stat 17 (2007) 571-582, section 3, and their "Measuring
/// agreement in method comparison studies", Stat Methods Med Res 8 (1999) 135-160, section 5.3.
public struct RepeatedAgreement: Hashable, Sendable {
  public let bias: Double
  public let variationBetween: Double
  /// The variance within subjects; 0 with one error of each.
  public let variationWithin: Double

  /// Takes the errors apart by subject.
  ///
  /// - Parameter bySubject: The errors of each subject, in one unit; subjects without any count for
  ///   nothing.
  /// - Returns: nil for fewer than 2 subjects, or if an error is NaN, infinite or beyond ±1e150.
  public init?(bySubject: [[Double]]) {
    let groups = bySubject.filter { !$0.isEmpty }
    guard groups.count >= 2, let all = Sample(groups.flatMap(\.self)) else { return nil }
    let (n, k) = (Double(all.count), Double(groups.count))
    let means = groups.map { $0.reduce(0, +) / Double($0.count) }
    let mean = all.mean
    var (between, within, squares) = (0.0, 0.0, 0.0)
    for (group, own) in zip(groups, means) {
      let count = Double(group.count)
      squares += count * count
      between += count * (own - mean) * (own - mean)
      within += group.reduce(0) { $0 + ($1 - own) * ($1 - own) }
    }
    bias = mean
    variationWithin = n > k ? within / (n - k) : 0
    let perSubject = (n - squares / n) / (k - 1)
    variationBetween = max(0, (between / (k - 1) - variationWithin) / perSubject)
  }

  /// The standard deviation of one error of a new subject.
  public var standardDeviation: Double { (variationBetween + variationWithin).squareRoot() }

  /// Where 95 % of the errors of new subjects are expected if they are normal: bias ± 1.96 standard
  /// deviations.
  public var limits: Interval {
    Interval(low: bias - 1.96 * standardDeviation, high: bias + 1.96 * standardDeviation)
  }
}
