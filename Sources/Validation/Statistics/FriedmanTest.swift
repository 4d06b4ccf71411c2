import GSL

/// The test of Friedman (1937): whether several methods, all applied to the same subjects, differ.
///
/// The methods are ranked within each subject; equal values share the mean of their ranks, and the
/// statistic is corrected for them. Its p value is that of the chi-squared distribution, an
/// approximation that SciPy's manual calls reliable for more than 10 subjects and 6 methods; with
/// less, take it for a rough one. The same as SciPy's `friedmanchisquare` and R's `friedman.test`.
public struct FriedmanTest: Hashable, Sendable {
  /// The number of subjects.
  public let subjects: Int
  /// The mean rank of each method, from 1 to the number of methods, in their order.
  public let meanRanks: [Double]
  /// The statistic, corrected for ties.
  public let chiSquared: Double
  /// The p value.
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
