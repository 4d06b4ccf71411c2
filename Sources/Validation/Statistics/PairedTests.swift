import GSL

/// The test of Friedman (1937): whether several methods, all applied to the same subjects, differ.
///
/// The methods are ranked within each subject; equal values share the mean of their ranks, and the
/// statistic is corrected for them. Its p value is that of the chi-squared distribution, an
/// approximation that SciPy's manual calls reliable for more than 10 subjects and 6 methods; with
/// less, take it for a rough one. The same as SciPy's `friedmanchisquare` and R's `friedman.test`.
public struct FriedmanTest: Codable, Hashable, Sendable {
  public let subjects: Int
  /// The mean rank of each method, from 1 to the number of methods, in their order.
  public let meanRanks: [Double]
  /// The statistic, corrected for ties.
  public let chiSquared: Double
  public let pValue: Double

  /// The number of methods less one.
  public var degreesOfFreedom: Int { meanRanks.count - 1 }

  /// Tests a complete table.
  ///
  /// - Parameter blocks: one row for each subject, with one finite value for each method.
  /// - Returns: nil for fewer than 2 subjects or 3 methods, for rows of unequal length, for a value
  ///   that is NaN or infinite, and if the methods are equal within every subject.
  public init?(blocks: [[Double]]) {
    let k = blocks.first?.count ?? 0
    guard blocks.count >= 2, k >= 3,
      blocks.allSatisfy({ $0.count == k && $0.allSatisfy(\.isFinite) })
    else { return nil }
    let ranks = blocks.map(MidRanks.init)
    let n = Double(blocks.count)
    meanRanks = (0..<k).map { method in
      Double(ranks.reduce(0) { $0 + $1.doubled[method] }) / (2 * n)
    }
    subjects = blocks.count
    // Without ties this is n k (k + 1), as in textbooks.
    let ties = ranks.reduce(0) { $0 + $1.tieTerm }
    let spread = n * Double(k * (k + 1)) - ties / Double(k - 1)
    guard spread > 0 else { return nil }
    let middle = Double(k + 1) / 2
    let squares = meanRanks.reduce(0) { $0 + ($1 - middle) * ($1 - middle) }
    chiSquared = 12 * n * n * squares / spread
    guard
      let pValue = try? ChiSquared(degreesOfFreedom: Double(k - 1)).upperTail(chiSquared)
    else { return nil }
    self.pValue = pValue
  }
}

/// The ranks of some numbers from 1 up; equal numbers share the mean of their ranks.
///
/// Ranks are kept doubled, which makes them whole: sums of ranks are exact.
struct MidRanks {
  /// Twice the rank of each number, in the order of the numbers.
  let doubled: [Int]

  /// The sum of t³ - t over the groups of t equal numbers; 0 if all differ.
  let tieTerm: Double

  /// Ranks numbers, of which none may be NaN. Numbers are equal only if they are so to the last bit.
  init(_ values: [Double]) {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var doubled = [Int](repeating: 0, count: values.count)
    var tieTerm = 0.0
    var start = 0
    while start < order.count {
      let end = order[start...].firstIndex { values[$0] != values[order[start]] } ?? order.count
      for index in order[start..<end] {
        doubled[index] = start + 1 + end
      }
      let size = Double(end - start)
      tieTerm += size * (size * size - 1)
      start = end
    }
    self.doubled = doubled
    self.tieTerm = tieTerm
  }
}

/// The correction of Holm (1979) for testing several hypotheses at once.
package enum Holm {
  /// Adjusted p values: a hypothesis is rejected at level alpha if its adjusted value is at most
  /// alpha, and the chance that any true one is rejected then stays at most alpha.
  ///
  /// The i-th smallest of m values is multiplied by m - i + 1, is no smaller than the one before it,
  /// and at most 1.
  ///
  /// - Parameter pValues: p values, each from 0 to 1. Values outside, such as NaN, count as 1.
  /// - Returns: the adjusted values, in the order of the input.
  package static func adjusted(_ pValues: [Double]) -> [Double] {
    let values = pValues.map { (0...1).contains($0) ? $0 : 1 }
    var adjusted = values
    var largest = 0.0
    for (step, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
      largest = min(1, max(largest, Double(values.count - step) * values[index]))
      adjusted[index] = largest
    }
    return adjusted
  }
}

/// The signed-rank test of Wilcoxon (1945): whether paired differences are symmetric about zero.
///
/// Differences of zero are left out, as Wilcoxon did, and equal magnitudes share the mean of their
/// ranks. The p value is two-sided and the same as that of SciPy 1.17,
/// `wilcoxon(d, zero_method="wilcox", correction=False, method="auto")`:
///
/// - up to 50 differences without zeros and equal magnitudes, and up to 13 with them, it is exact:
///   the fraction of all ways to sign the ranks with a statistic as small;
/// - else it is that of the normal approximation with tie correction and without continuity
///   correction.
///
/// Magnitudes are equal only if they are so to the last bit: 0.3 - 0.1 and 0.2 are not.
package struct WilcoxonSignedRank: Hashable, Sendable {
  /// The number of differences that are not zero.
  package let count: Int
  /// W+, the sum of the ranks of the positive differences.
  package let positiveRankSum: Double
  /// The smaller of W+ and the sum of the ranks of the negative differences.
  package let statistic: Double
  /// The two-sided p value.
  package let pValue: Double
  /// Whether the p value is exact, rather than by the normal approximation.
  package let isExact: Bool

  /// Tests differences; nil if none is left without the zeros, or one is NaN or infinite.
  package init?(differences: [Double]) {
    let used = differences.filter { $0 != 0 }
    guard !used.isEmpty, used.allSatisfy(\.isFinite) else { return nil }
    let ranks = MidRanks(used.map(abs))
    let positive = zip(used, ranks.doubled).reduce(0) { $0 + ($1.0 > 0 ? $1.1 : 0) }
    let smaller = min(positive, used.count * (used.count + 1) - positive)
    let isPlain = ranks.tieTerm == 0 && used.count == differences.count
    isExact = differences.count <= (isPlain ? 50 : 13)
    let p = isExact ? Self.exact(ranks, smaller) : Self.approximate(ranks, smaller)
    guard let p else { return nil }
    pValue = p
    count = used.count
    positiveRankSum = Double(positive) / 2
    statistic = Double(smaller) / 2
  }

  /// Twice the fraction of the 2^n ways to sign the ranks whose doubled rank sum is at most `limit`.
  ///
  /// `ways[sum]` counts the subsets of the ranks seen so far, one rank more at a time: the shift
  /// algorithm of Streitberg and Röhmel (1986), which needs whole numbers but not distinct ones.
  private static func exact(_ ranks: MidRanks, _ limit: Int) -> Double {
    var ways = [Double](repeating: 0, count: limit + 1)
    ways[0] = 1
    for rank in ranks.doubled where rank <= limit {
      for sum in (rank...limit).reversed() {
        ways[sum] += ways[sum - rank]
      }
    }
    // Up to 50 ranks every count is below 2^53, and all sums are exact.
    let all = Double(sign: .plus, exponent: ranks.doubled.count, significand: 1)
    return min(1, 2 * ways.reduce(0, +) / all)
  }

  /// Twice the normal tail beyond the statistic.
  ///
  /// Source: Hollander and Wolfe (1973): mean n (n + 1) / 4, variance n (n + 1) (2n + 1) / 24 less
  /// the sum of t³ - t over the groups of t equal magnitudes / 48.
  private static func approximate(_ ranks: MidRanks, _ smaller: Int) -> Double? {
    let n = Double(ranks.doubled.count)
    let mean = n * (n + 1) / 4
    let variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tieTerm / 48
    let z = (mean - Double(smaller) / 2) / variance.squareRoot()
    return (try? StandardNormal.upperTail(z)).map { 2 * $0 }
  }
}
