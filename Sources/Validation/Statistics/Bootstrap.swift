import GSL

/// Intervals for a statistic of subjects, by drawing the subjects again with replacement.
///
/// A subject is drawn as a whole, with all its occasions and readings, because readings of one
/// person are not independent (the cluster bootstrap). A difference between two methods is a
/// statistic like any other: computed from the same drawn subjects, it is a paired one.
///
/// ```swift
/// let interval = Bootstrap(seed: 1).interval(count: errors.count) { drawn in
///   ErrorSummary(errors: drawn.flatMap { errors[$0] })?.bias
/// }
/// ```
///
/// The interval lies between two quantiles of the statistic over the replicates. With few subjects
/// it is too narrow: 95 % intervals of the mean of normal values cover the truth 80 % of the time
/// for 4 subjects, 89 % for 10 and 93 % for 20.
///
/// Every call begins at the seed. Equal seeds therefore give equal bits in whatever order intervals
/// are asked for, and statistics of equally many subjects see the same draws.
///
/// Source: the percentile interval of Efron and Tibshirani, "An Introduction to the Bootstrap"
/// (1993), chapter 13; clusters after Davison and Hinkley, "Bootstrap Methods and their
/// Application" (1997), section 3.8.
public struct Bootstrap: Hashable, Sendable {
  /// Where the random draws begin; see `RandomGenerator` for what seeds differ in.
  public let seed: UInt64
  /// How many times the subjects are drawn.
  public let replicates: Int
  /// The fraction of the replicates that an interval spans, between 0 and 1.
  public let level: Double

  /// Chooses how to draw. With a level outside 0 to 1, or without replicates, no interval exists.
  public init(seed: UInt64, replicates: Int = 2000, level: Double = 0.95) {
    self.seed = seed
    self.replicates = replicates
    self.level = level
  }

  /// The percentile interval of one statistic.
  ///
  /// - Parameters:
  ///   - n: the number of subjects.
  ///   - statistic: gets the indices of the n drawn subjects, each from 0 to n - 1; its value, or
  ///     nil where it is not defined. A value that is not finite counts as nil.
  /// - Returns: the interval; nil for fewer than 2 subjects, or if the statistic is not defined for
  ///   more than half of the replicates. The undefined ones are left out.
  public func interval(count n: Int, statistic: ([Int]) -> Double?) -> Interval? {
    intervals(count: n, width: 1) { [statistic($0)] }[0]
  }

  /// The percentile intervals of several statistics, all computed from the same draws.
  ///
  /// - Parameters:
  ///   - n: the number of subjects.
  ///   - width: the number of statistics.
  ///   - statistics: as in ``interval(count:statistic:)``, but gives `width` values. Missing ones
  ///     count as nil.
  /// - Returns: `width` intervals, as in ``interval(count:statistic:)``.
  public func intervals(
    count n: Int, width: Int, statistics: ([Int]) -> [Double?]
  ) -> [Interval?] {
    var values = [[Double]](repeating: [], count: width)
    forEachDraw(of: n) { drawn in
      for (column, value) in zip(values.indices, statistics(drawn)) {
        if let value, value.isFinite { values[column].append(value) }
      }
    }
    return values.map(interval(of:))
  }

  /// Calls `body` with the indices of each replicate; never if there is nothing to draw.
  private func forEachDraw(of n: Int, _ body: ([Int]) -> Void) {
    // Only without memory is there no generator; nothing is drawn then, and no interval exists.
    guard n >= 2, replicates >= 1, let generator = try? RandomGenerator(seed: seed) else { return }
    var drawn = [Int](repeating: 0, count: n)
    for _ in 0..<replicates {
      guard (try? generator.fill(&drawn, below: n)) != nil else { return }
      body(drawn)
    }
  }

  private func interval(of values: [Double]) -> Interval? {
    guard level > 0, level < 1, 2 * values.count >= replicates,
      let sample = Sample(values),
      let low = sample.quantile((1 - level) / 2), let high = sample.quantile((1 + level) / 2)
    else { return nil }
    return Interval(low: low, high: high)
  }
}
