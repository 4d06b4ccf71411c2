import GSL
package import Statistics

/// Pooled lag-one autocorrelation of residuals over all series of a study.
///
/// The ratio of the sum of products of neighbours to the sum of squares. It is not 0 even for
/// independent errors, because residuals of a fitted curve alternate: with H the hat matrix of a
/// fit the covariance of its residuals is I - H (Box & Pierce 1970), so that the sums over the
/// series of -h(i, i+1) and of 1 - h(i, i) give the expected value. The standard error is that of a
/// ratio between independent series (Cochran 1977, section 6.3), with Student's distribution of m -
/// 1 degrees of freedom for m series.
///
/// For errors of predictions (`ErrorDiagnostics`) the squares are those of neighbours, so that
/// the ratio is their correlation, and the units are subjects instead of series.
package struct PooledAutocorrelation: Codable, Hashable, Sendable {
  /// Over all series; from -1 to 1.
  package let lagOne: Double
  package let interval: Interval
  /// The expected value for independent errors.
  package let expected: Double
  /// The two-sided p value of the difference from the expected value.
  package let pValue: Double
  package let series: Int
  /// The share of the errors left in residuals: (n - p) / n, over all series; 1 for errors of
  /// predictions.
  let left: Double

  /// The fewest series for a result.
  package static let fewestSeries = 5
  /// The significance level of warnings: a right model gets one in a thousand studies.
  package static let rarity = 1e-3
  /// The level of the interval.
  package static let level = 0.95
  /// Smaller autocorrelations do not affect intervals materially.
  private static let negligible = 0.05

  /// Whether errors are correlated, significantly and by enough to matter.
  ///
  /// A fitted curve absorbs correlated errors first, so residuals show their correlation reduced by
  /// about the square of the remaining share: with 6, 12 and 24 readings and three parameters by a
  /// factor of a sixth, a half and three quarters.
  package var isNoteworthy: Bool {
    pValue < Self.rarity && abs(lagOne - expected) > Self.negligible * left * left
  }

  /// Whether neighbours are noteworthily alike, as runs of errors make them.
  package var hasRuns: Bool { isNoteworthy && lagOne > expected }
}

/// Sums for the ratio of products to squares, and for its variance between series.
package struct LagSums: Codable, Hashable, Sendable {
  package var products = 0.0
  package var squares = 0.0
  package var expectedProducts = 0.0
  package var expectedSquares = 0.0
  package var productProducts = 0.0
  package var productSquares = 0.0
  package var squareSquares = 0.0
  package var readings = 0.0

  package init() {}

  package mutating func add(_ sums: ResidualSums) {
    products += sums.products
    squares += sums.squares
    expectedProducts += sums.expectedProducts
    expectedSquares += sums.expectedSquares
    productProducts += sums.products * sums.products
    productSquares += sums.products * sums.squares
    squareSquares += sums.squares * sums.squares
    readings += Double(sums.count)
  }

  /// Nil for too few series.
  ///
  /// - Parameter isOfPairs: Whether the squares are those of neighbours, as for errors of predictions.
  package func result(series: Int, isOfPairs: Bool = false) -> PooledAutocorrelation? {
    guard series >= PooledAutocorrelation.fewestSeries, squares > 0, expectedSquares > 0
    else { return nil }
    let ratio = products / squares
    let spread = productProducts - 2 * ratio * productSquares + ratio * ratio * squareSquares
    let count = Double(series)
    let error = (max(0, spread) * count / (count - 1)).squareRoot() / squares
    guard error > 0, let student = try? StudentT(degreesOfFreedom: count - 1),
      let quantile = try? student.quantile((1 + PooledAutocorrelation.level) / 2)
    else { return nil }
    let expected = expectedProducts / expectedSquares
    guard let tail = try? student.lowerTail(-abs(ratio - expected) / error) else { return nil }
    return PooledAutocorrelation(
      lagOne: ratio,
      interval: Interval(
        low: max(-1, ratio - quantile * error), high: min(1, ratio + quantile * error)),
      expected: expected, pValue: 2 * tail, series: series,
      left: isOfPairs ? 1 : min(1, expectedSquares / readings))
  }
}
