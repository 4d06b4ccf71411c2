/// How much each residual resembles the one before it.
///
/// Positive where neighbours err to the same side, negative where they alternate. Residuals are
/// taken about zero, their mean if the model holds, rather than about their own mean: a curve that
/// lies above all readings shows as positive autocorrelation.
public struct Autocorrelation: Hashable, Sendable {
  /// The number of residuals.
  public let count: Int
  /// The sum of the products of neighbours over the sum of squares; from -1 to 1.
  ///
  /// Source: von Neumann (1941) and Durbin and Watson (1950), whose statistic is 2 (1 - r) less the
  /// first and the last square over the sum of squares.
  public let lagOne: Double

  /// The magnitude that ``lagOne`` exceeds in about 1 of 20 cases if residuals are independent.
  ///
  /// Source: Bartlett (1946), 1.96 / √n. For the residuals of a fit the fraction is smaller, as the
  /// curve has followed them (Box and Pierce 1970).
  public var limit: Double { 1.96 / Double(count).squareRoot() }

  /// Takes residuals in the order of time, in any unit.
  ///
  /// - Returns: nil for fewer than 2 residuals, if all are zero, or if one is NaN or infinite.
  public init?(residuals: [Double]) {
    let largest = residuals.reduce(0) { max($0, abs($1)) }
    guard residuals.count >= 2, residuals.allSatisfy(\.isFinite), largest > 0 else { return nil }
    // As fractions of the largest they have squares that neither overflow nor all vanish.
    let scaled = residuals.map { $0 / largest }
    let products = zip(scaled, scaled.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    count = residuals.count
    lagOne = products / scaled.reduce(0) { $0 + $1 * $1 }
  }
}
