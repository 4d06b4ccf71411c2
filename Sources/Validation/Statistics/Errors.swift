public import Estimation

/// Statistics of prediction errors, predicted minus measured: the bias is positive if predictions
/// are too high.
extension Sample {
  package var bias: Double { mean }

  package var mae: Double { meanMagnitude }

  package var rmse: Double { rootMeanSquare }

  /// The 95 % limits of agreement for normal errors: bias ± 1.96 standard deviations; nil for a single
  /// error.
  ///
  /// Source: Bland and Altman (1986), who round 1.96 to 2 in their example.
  package var limitsOfAgreement: Interval? {
    standardDeviation.map { Interval(low: bias - 1.96 * $0, high: bias + 1.96 * $0) }
  }
}

/// A number with its interval over subjects.
public struct EstimatedValue: Codable, Hashable, Sendable {
  public let value: Double
  /// The interval; nil if there are too few subjects.
  public let interval: Interval?
}

extension EstimatedValue {
  /// Bias, mean absolute error and root mean square error, by the intervals of ``ErrorTotals/statistics(of:)``.
  static func statistics(of errors: Sample, _ intervals: [Interval?]) -> [EstimatedValue] {
    zip([errors.bias, errors.mae, errors.rmse], intervals).enumerated().map { index, statistic in
      let interval = statistic.1.map {
        Interval(low: index == 0 ? $0.low : max(0, $0.low), high: $0.high)
      }
      return EstimatedValue(value: statistic.0, interval: interval)
    }
  }
}

/// Sums over one subject's errors, from which the statistics of any set of subjects follow.
///
/// A bootstrap adds these up for each replicate instead of passing over all readings.
struct ErrorTotals {
  var count = 0.0
  var sum = 0.0
  var absolute = 0.0
  var squares = 0.0

  var bias: Double { sum / count }
  var mae: Double { absolute / count }
  var rmse: Double { (squares / count).squareRoot() }
}

extension ErrorTotals {
  init(of errors: [Double]) {
    for error in errors { add(error, magnitude: abs(error)) }
  }

  /// - Parameter magnitude: The absolute error.
  mutating func add(_ error: Double, magnitude: Double) {
    count += 1
    sum += error
    absolute += magnitude
    squares += magnitude * magnitude
  }

  static func += (left: inout Self, right: Self) {
    left.count += right.count
    left.sum += right.sum
    left.absolute += right.absolute
    left.squares += right.squares
  }

  /// Bias, mean absolute error and root mean squared error over subjects, for a bootstrap.
  static func statistics(of subjects: [ErrorTotals]) -> Bootstrap.SumStatistics {
    Bootstrap.SumStatistics(
      columns: [
        subjects.map(\.count), subjects.map(\.sum), subjects.map(\.absolute),
        subjects.map(\.squares),
      ], width: 3
    ) { sums in
      let total = ErrorTotals(count: sums[0], sum: sums[1], absolute: sums[2], squares: sums[3])
      return [total.bias, total.mae, total.rmse]
    }
  }
}

/// Limits of agreement from repeated errors per subject, with unequal numbers of repeats.
///
/// Errors of one subject are correlated. The variance of a single error of a new subject is the sum of
/// the variances between and within subjects, by one-way analysis of variance with k subjects as
/// groups of n_i errors, N in total:
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
package struct RepeatedAgreement: Hashable, Sendable {
  package let bias: Double
  package let variationBetween: Double
  /// The variance within subjects; 0 with one error of each.
  package let variationWithin: Double

  /// Estimates the variances between and within subjects.
  ///
  /// - Parameter bySubject: The errors of each subject, in one unit; subjects without any are ignored.
  /// - Returns: nil for fewer than 2 subjects, or if an error is NaN, infinite or beyond ±1e150.
  package init?(bySubject: [[Double]]) {
    let groups = bySubject.filter { !$0.isEmpty }
    guard groups.count >= 2, let all = Sample(groups.flatMap(\.self)) else { return nil }
    let n = Double(all.count)
    let k = Double(groups.count)
    let means = groups.map { $0.reduce(0, +) / Double($0.count) }
    let mean = all.mean
    var between = 0.0
    var within = 0.0
    var squares = 0.0
    for (group, groupMean) in zip(groups, means) {
      let count = Double(group.count)
      squares += count * count
      between += count * (groupMean - mean) * (groupMean - mean)
      within += group.reduce(0) { $0 + ($1 - groupMean) * ($1 - groupMean) }
    }
    bias = mean
    variationWithin = n > k ? within / (n - k) : 0
    let perSubject = (n - squares / n) / (k - 1)
    variationBetween = max(0, (between / (k - 1) - variationWithin) / perSubject)
  }

  /// The standard deviation of one error of a new subject.
  package var standardDeviation: Double { (variationBetween + variationWithin).squareRoot() }

  /// The 95 % limits of agreement for single errors of new subjects: bias ± 1.96 standard deviations.
  package var limits: Interval {
    Interval(low: bias - 1.96 * standardDeviation, high: bias + 1.96 * standardDeviation)
  }
}
