import GSL

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
public struct WilcoxonSignedRank: Hashable, Sendable {
  /// The number of differences that are not zero.
  public let count: Int
  /// W+, the sum of the ranks of the positive differences.
  public let positiveRankSum: Double
  /// The smaller of W+ and the sum of the ranks of the negative differences.
  public let statistic: Double
  /// The two-sided p value.
  public let pValue: Double
  /// Whether the p value is exact, rather than by the normal approximation.
  public let isExact: Bool

  /// Tests differences; nil if none is left without the zeros, or one is NaN or infinite.
  public init?(differences: [Double]) {
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
