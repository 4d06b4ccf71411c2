import RealModule

/// The source of the standard errors of estimates.
public enum StandardErrors: String, CaseIterable, Codable, Hashable, Sendable {
  /// The covariance by the error model.
  case model
  /// A robust (sandwich) estimate from the residuals, valid if errors of neighbouring readings are correlated.
  ///
  /// With few readings it is uncertain itself, and intervals are wide.
  case robust
}

/// A standard error that is robust to autocorrelated errors, with its degrees of freedom.
///
/// To first order an estimate is off by the sum of a_i e_i, the e being the errors and a the row of
/// (J^T J)^-1 J^T. Errors that change slowly show in the slow parts of the series a_i r_i of residuals:
/// its first two cosines over the order of the readings, whose squares are summed up (the equal-weighted
/// cosine estimator; Lazarus, Lewis, Stock & Watson 2018). The fitted curve absorbs the part of the errors that it can
/// follow, mostly the slow one, so that the sum is too small. Its expectation follows from the hat matrix: as in Bell &
/// McCaffrey (2002) for clusters, the sum is divided by that, and the degrees of freedom of its t match its mean and
/// variance (Satterthwaite 1946). Both assume a correlation of 1/2 between neighbours (a working model in the sense of
/// Pustejovsky & Tipton 2018), which gives the best coverage for correlations from 0 to 0.8.
struct RobustStandardError {
  /// The standard error, in the unit of the coordinate.
  let value: Double
  /// The degrees of freedom of Student's distribution, from 1 to 2.
  let degreesOfFreedom: Double

  /// One cosine alone would miss errors that correlate over several readings.
  private static let cosines = 2
  private static let workingCorrelation = 0.5

  /// Returns the standard error of each parameter; nil where the residuals do not determine it.
  ///
  /// - Parameters:
  ///   - jacobian: J in standard deviations, row-major, in order of time.
  ///   - residuals: r such that J^T r is the gradient, one for each row.
  ///   - covariance: (J^T J)^-1.
  static func all(
    jacobian: [Double], residuals: [Double], covariance: [Double], columns: Int
  ) -> [RobustStandardError?] {
    (0..<columns).map { parameter in
      RobustStandardError(
        jacobian, residuals, covariance, columns: columns, parameter: parameter)
    }
  }

  private init?(
    _ jacobian: [Double], _ residuals: [Double], _ covariance: [Double], columns: Int,
    parameter: Int
  ) {
    let count = residuals.count
    let scores = (0..<count).map { row in
      (0..<columns).reduce(0) {
        $0 + covariance[parameter * columns + $1] * jacobian[row * columns + $1]
      }
    }
    let slow = (1...Self.cosines).map { wave in
      scores.enumerated().map { row, score in
        score * Double.cos(.pi * Double(wave) * (Double(row) + 0.5) / Double(count))
      }
    }
    let square = slow.reduce(0) { sum, weights in
      let part = dot(weights, residuals)
      return sum + part * part
    }
    // Of errors e the residuals are (I - H) e.
    let left = slow.map { Self.residualMaker(times: $0, jacobian, covariance, columns: columns) }
    let spread = left.map(Self.correlated)
    let expected = zip(left, spread).reduce(0) { $0 + dot($1.0, $1.1) }
    let squares = left.reduce(0) { sum, weights in
      spread.reduce(sum) { $0 + dot(weights, $1) * dot(weights, $1) }
    }
    let variance = dot(scores, Self.correlated(scores))
    // Errors that the curve follows completely leave only rounding.
    guard expected > 1e-12 * variance, squares > 0, square.isFinite else { return nil }
    value = (square * variance / expected).squareRoot()
    degreesOfFreedom = expected * expected / squares
  }

  /// Returns (I - H) v.
  private static func residualMaker(
    times vector: [Double], _ jacobian: [Double], _ covariance: [Double], columns: Int
  ) -> [Double] {
    var sums = [Double](repeating: 0, count: columns)
    for (row, value) in vector.enumerated() {
      for column in 0..<columns { sums[column] += value * jacobian[row * columns + column] }
    }
    let solved = (0..<columns).map { row in
      (0..<columns).reduce(0) { $0 + covariance[row * columns + $1] * sums[$1] }
    }
    return vector.enumerated().map { row, value in
      (0..<columns).reduce(value) { $0 - jacobian[row * columns + $1] * solved[$1] }
    }
  }

  /// Returns the product of the working correlation matrix rho^|i - j| and a vector, in O(n).
  private static func correlated(_ vector: [Double]) -> [Double] {
    var sums = vector
    var before = 0.0
    for index in vector.indices {
      sums[index] += before
      before = workingCorrelation * (before + vector[index])
    }
    var after = 0.0
    for index in vector.indices.reversed() {
      sums[index] += after
      after = workingCorrelation * (after + vector[index])
    }
    return sums
  }
}
