import GSL

/// Where the values of a normal sample are expected to be.
enum NormalScores {
  /// The scores of n values in ascending order, after Blom (1958): quantiles of the standard normal
  /// distribution at (i - 3/8) / (n + 1/4).
  static func blom(_ n: Int) -> [Double] {
    (0..<n).compactMap { index in
      try? StandardNormal.quantile((Double(index) + 0.625) / (Double(n) + 0.25))
    }
  }
}
