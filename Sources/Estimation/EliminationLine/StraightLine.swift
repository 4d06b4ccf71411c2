/// A straight line fitted to points by ordinary least squares, all of equal weight.
///
/// Needs at least three points at two or more different x. Standard errors are those of the usual
/// linear model: Draper & Smith, *Applied Regression Analysis*, 3rd ed. 1998, section 1.4.
struct StraightLine {
  /// Where the line crosses x = 0.
  let intercept: Double
  /// Its rise per unit of x.
  let slope: Double
  /// Standard error of the intercept.
  let interceptError: Double
  /// Standard error of the slope.
  let slopeError: Double
  /// sqrt(RSS / (n - 2)).
  let residualSD: Double
  /// The part of the variance of y that the line explains, R^2.
  let rSquared: Double
  /// n - 2.
  let degreesOfFreedom: Int

  init(x: [Double], y: [Double]) {
    let count = Double(x.count)
    let meanX = x.reduce(0, +) / count
    let meanY = y.reduce(0, +) / count
    // About the means, since raw sums of squares would cancel.
    let dx = x.map { $0 - meanX }
    let dy = y.map { $0 - meanY }
    let sxx = Self.dot(dx, dx)
    slope = Self.dot(dx, dy) / sxx
    intercept = meanY - slope * meanX
    let residuals = zip(dx, dy).map { [slope] dx, dy in dy - slope * dx }
    let rss = Self.dot(residuals, residuals)
    degreesOfFreedom = x.count - 2
    residualSD = (rss / Double(degreesOfFreedom)).squareRoot()
    slopeError = residualSD / sxx.squareRoot()
    interceptError = residualSD * (1 / count + meanX * meanX / sxx).squareRoot()
    rSquared = 1 - rss / Self.dot(dy, dy)
  }

  private static func dot(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
