public import Estimation
import GSL

/// Bootstrap intervals for a statistic of subjects, or jackknife intervals if they are too few.
///
/// Whole subjects are resampled, with all occasions and readings, because readings of one subject are
/// not independent (the cluster bootstrap).
///
/// ```swift
/// let interval = Bootstrap(seed: 1).interval(count: errors.count) { drawn in
///   Sample(drawn.flatMap { errors[$0] })?.bias
/// }
/// ```
///
/// Plain percentile intervals are too narrow: a 95 % interval of the mean of normal
/// values holds the truth 48 % of the time for 2 subjects, 80 % for 4 and 89 % for 8. Therefore:
///
/// - From ``fewestDrawn`` subjects on, the interval has expanded percentiles: for n subjects at level
///   1 - a it ends at the quantiles Phi(∓sqrt(n / (n - 1)) t), t being Student's quantile with n - 1
///   degrees of freedom at 1 - a / 2.
/// - Below, it is the statistic ± t standard errors of the jackknife; of a mean that is Student's own
///   interval.
///
/// For the coverage of both see <doc:ComparingMethods>.
///
/// Every call starts from the seed: equal seeds give identical results in any order of calls, and
/// statistics of equally many subjects share their draws.
///
/// Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 11 and 13; the
/// expanded percentiles of Hesterberg, "What Teachers Should Know About the Bootstrap" (2015), section
/// 5.3; clusters after Davison and Hinkley, "Bootstrap Methods and their Application" (1997), section
/// 3.8.
public struct Bootstrap: Hashable, Sendable {
  /// The seed of the random draws; see `RandomGenerator`.
  public let seed: UInt64
  public let replicates: Int
  /// The confidence level of the intervals, between 0 and 1.
  public let level: Double

  public static let fewestDrawn = 8

  /// The most subjects to resample if each draw costs a fit.
  static let mostRefitted = 200
  /// The fewest subjects that must determine a fit for an interval, of more.
  static let fewestInformed = 3
  /// The number of groups of the delete-a-group jackknife, used for more subjects.
  static let groups = 100

  /// The method of an interval.
  public enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
    /// By Student's t and the standard error of the jackknife.
    case studentT = "t"
    /// Between expanded percentiles of the replicates.
    case bootstrap
  }

  /// Returns the method of intervals for so many subjects; nil for fewer than 2.
  public static func kind(count n: Int) -> Kind? {
    n < 2 ? nil : n < fewestDrawn ? .studentT : .bootstrap
  }

  /// Creates a bootstrap. With a level outside 0 to 1, or without replicates, all intervals are nil.
  public init(
    seed: UInt64 = 1, replicates: Int = 2000, level: Double = Interval.defaultLevel
  ) {
    self.seed = seed
    self.replicates = replicates
    self.level = level
  }

  /// The interval of one statistic.
  ///
  /// - `statistic`: gets the indices of subjects, each from 0 to n - 1; its value, or nil where it is
  ///   not defined. A value that is not finite counts as nil. Asked for are n drawn subjects, or all
  ///   and all but one.
  /// - Returns: the interval; nil for fewer than 2 subjects, or if the statistic is not defined for
  ///   more than half of the replicates, of which the undefined ones are left out, or for some subject
  ///   left out.
  public func interval(count n: Int, statistic: ([Int]) -> Double?) -> Interval? {
    intervals(count: n, width: 1) { [statistic($0)] }[0]
  }

  /// The intervals of several statistics, all computed from the same draws.
  ///
  /// - `informed`: for statistics that cost a fit to the drawn subjects, how many of these
  ///   determine it; percentiles are expanded for as many, and an infinite value counts as such.
  ///   From 200 subjects on they are not drawn but left out by 100 groups in turn (the
  ///   delete-a-group jackknife of P. S. Kott, J Off Stat 17 (2001) 521-526), which with so many
  ///   subjects is equivalent.
  /// - `withoutGroups`: returns the values without each of so many groups at less cost than a fit each; subject
  ///   i is of group i modulo their number. Nil to call `statistics` for each group.
  /// - `statistics`: as in ``interval(count:statistic:)``, but gives `width` values. Missing ones
  ///   count as nil.
  /// - Returns: `width` intervals, as in ``interval(count:statistic:)``.
  public func intervals(
    count n: Int, width: Int, refittingInformed informed: Int? = nil,
    withoutGroups: (Int) -> [[Double?]]? = { _ in nil }, statistics: ([Int]) -> [Double?]
  ) -> [Interval?] {
    var columns = StatisticColumns(width: width, keepsInfinite: informed != nil)
    if let informed, informed < min(n, Self.fewestInformed) {
      return columns.values.map { _ in nil }
    }
    if informed != nil, n > Self.mostRefitted {
      columns.append(statistics(Array(0..<n)))
      let others =
        withoutGroups(Self.groups)
        ?? (0..<Self.groups).map { group in
          statistics((0..<n).filter { $0 % Self.groups != group })
        }
      for values in others { columns.append(values) }
      return columns.values.map { values in
        jackknifed(values.compactMap(\.self), count: Self.groups)
      }
    }
    switch Self.kind(count: n) {
    case nil: break
    case .studentT:
      let everybody = Array(0..<n)
      columns.append(statistics(everybody))
      for left in everybody { columns.append(statistics(everybody.filter { $0 != left })) }
    case .bootstrap:
      forEachDraw(of: n) { columns.append(statistics($0)) }
    }
    return columns.values.map { interval(of: $0, count: n, expandedFor: informed) }
  }

  /// Calls `body` with the indices of each replicate; never with fewer than 2 subjects.
  private func forEachDraw(of n: Int, _ body: ([Int]) -> Void) {
    // The generator fails only without memory; nothing is drawn then, and intervals are nil.
    guard n >= 2, replicates >= 1, let generator = try? RandomGenerator(seed: seed) else { return }
    var drawn = [Int](repeating: 0, count: n)
    for _ in 0..<replicates {
      guard (try? generator.fill(&drawn, below: n)) != nil else { return }
      body(drawn)
    }
  }
}

// MARK: - Statistics of sums

extension Bootstrap {
  /// Statistics that follow from sums over subjects, such as means and their ratios.
  struct SumStatistics {
    /// The summands: for each sum a number of every subject, all of equal count.
    let columns: [[Double]]
    /// The number of statistics.
    let width: Int
    /// The statistics of the sums; nil where one is not defined.
    let statistics: ([Double]) -> [Double?]

    var count: Int { columns.first?.count ?? 0 }
  }

  /// Replicates whose sums are added up at a time: one lane each.
  private static let lanes = 8
  /// Subjects processed at a time, few enough for the L1 cache.
  private static let block = 512

  /// The intervals of many statistics. Those of equally many subjects share their draws, because drawing
  /// a subject costs more than adding its numbers.
  ///
  /// - Returns: for each of `asked` its intervals, from the same draws and the same rules as
  ///   ``intervals(count:width:statistics:)``.
  func intervals(of asked: [SumStatistics]) -> [[Interval?]] {
    var intervals = asked.map { [Interval?](repeating: nil, count: $0.width) }
    for (n, indices) in Dictionary(grouping: asked.indices, by: { asked[$0].count }) {
      var columns = asked.map { StatisticColumns(width: $0.width) }
      func appendStatistics(of sums: [[Double]]) {
        for (index, sums) in zip(indices, sums) {
          columns[index].append(asked[index].statistics(sums))
        }
      }
      let together = indices.map { asked[$0].columns }
      switch Self.kind(count: n) {
      case nil: break
      case .studentT:
        for left in [nil] + (0..<n).map(Optional.some) {
          appendStatistics(
            of: together.map { group in
              group.map { column in
                column.indices.reduce(0) { $1 == left ? $0 : $0 + column[$1] }
              }
            })
        }
      case .bootstrap: forEachDraw(of: n, in: together, appendStatistics(of:))
      }
      for index in indices {
        intervals[index] = columns[index].values.map { interval(of: $0, count: n) }
      }
    }
    return intervals
  }

  /// Calls `body` with the sums over each replicate.
  private func forEachDraw(of n: Int, in columns: [[[Double]]], _ body: ([[Double]]) -> Void) {
    // The multiplicity of each subject in each of the eight replicates being drawn.
    var weights = [SIMD8<Double>](repeating: .zero, count: n)
    var lane = 0
    func finish() {
      let totals = Self.sums(of: columns, weighted: weights)
      for lane in 0..<lane { body(totals.map { $0.map { $0[lane] } }) }
      for index in weights.indices { weights[index] = .zero }
      lane = 0
    }
    forEachDraw(of: n) { drawn in
      for subject in drawn { weights[subject][lane] += 1 }
      lane += 1
      if lane == Self.lanes { finish() }
    }
    if lane > 0 { finish() }
  }

  private static func sums(
    of columns: [[[Double]]], weighted weights: [SIMD8<Double>]
  ) -> [[SIMD8<Double>]] {
    var sums = columns.map { $0.map { _ in SIMD8<Double>.zero } }
    for first in stride(from: 0, to: weights.count, by: block) {
      let subjects = first..<min(first + block, weights.count)
      for group in columns.indices {
        for column in columns[group].indices {
          let values = columns[group][column]
          var sum = sums[group][column]
          for subject in subjects { sum += weights[subject] * values[subject] }
          sums[group][column] = sum
        }
      }
    }
    return sums
  }
}

// MARK: - From values to intervals

/// Values of several statistics, one row per replicate.
private struct StatisticColumns {
  /// The values of each statistic; nil where it is not defined.
  private(set) var values: [[Double?]]

  /// Whether infinite values count as defined.
  private let keepsInfinite: Bool

  init(width: Int, keepsInfinite: Bool = false) {
    values = Array(repeating: [], count: width)
    self.keepsInfinite = keepsInfinite
  }

  mutating func append(_ statistics: [Double?]) {
    for column in values.indices {
      let value = column < statistics.count ? statistics[column] : nil
      values[column].append(
        value.flatMap { $0.isFinite || keepsInfinite && !$0.isNaN ? $0 : nil })
    }
  }
}

extension Bootstrap {
  private func interval(
    of values: [Double?], count n: Int, expandedFor informed: Int? = nil
  ) -> Interval? {
    switch Self.kind(count: n) {
    case nil: return nil
    case .studentT: return jackknifed(values.compactMap(\.self), count: n)
    case .bootstrap: return expanded(values.compactMap(\.self), count: informed ?? n)
    }
  }

  /// Student's quantile for so many subjects, or groups of them; nil for a level outside 0 to 1.
  private func quantile(count n: Int) -> Double? {
    guard level > 0, level < 1 else { return nil }
    return try? StudentT(degreesOfFreedom: Double(n - 1)).quantile((1 + level) / 2)
  }

  /// The statistic of all subjects ± t jackknife standard errors.
  private func jackknifed(_ values: [Double], count n: Int) -> Interval? {
    guard values.count == n + 1, let without = Sample(Array(values.dropFirst())),
      let spread = without.standardDeviation, let t = quantile(count: n)
    else { return nil }
    let margin = t * spread * Double(n - 1) / Double(n).squareRoot()
    return Interval(low: values[0] - margin, high: values[0] + margin)
  }

  /// The expanded percentiles of the replicates for n subjects.
  private func expanded(_ values: [Double], count n: Int) -> Interval? {
    let count = Double(n)
    guard !values.isEmpty, 2 * values.count >= replicates, let t = quantile(count: n),
      let tail = try? StandardNormal.lowerTail(-(count / (count - 1)).squareRoot() * t)
    else { return nil }
    let sorted = values.sorted()
    // A quantile between two infinite values is NaN: that side is unlimited.
    let ends = [tail, 1 - tail].map { EmpiricalQuantile.type7($0, ofSorted: sorted) }
    guard ends.contains(where: \.isFinite) else { return nil }
    return Interval(
      low: ends[0].isFinite ? ends[0] : -.infinity, high: ends[1].isFinite ? ends[1] : .infinity)
  }
}
