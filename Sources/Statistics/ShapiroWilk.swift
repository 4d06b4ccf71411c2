import GSL
import RealModule

/// The test of Shapiro and Wilk (1965): whether numbers come from a normal distribution.
///
/// W compares the variance that the ordered numbers would have if they were normal with the one they
/// have. Weights and p value are the approximations of Royston (1995), algorithm AS R94, for 3 to
/// 5000 numbers: the same as R's `shapiro.test` and SciPy's `shapiro`. With 3 numbers the p value is
/// exact.
public struct ShapiroWilk: Codable, Hashable, Sendable {
  /// The number of numbers.
  public let count: Int
  /// W, at most 1; small values are evidence against normality.
  public let statistic: Double
  /// The p value.
  public let pValue: Double

  /// Tests numbers in any order and unit.
  ///
  /// - Returns: nil for fewer than 3 or more than 5000 numbers, if all are equal, or if one is NaN,
  ///   infinite or beyond ±1e150.
  public init?(_ values: [Double]) {
    guard (3...5000).contains(values.count), var sorted = Sample(values)?.sorted,
      let low = sorted.first, let high = sorted.last, low < high,
      let weights = Self.usualWeights.indices.contains(sorted.count)
        ? Self.usualWeights[sorted.count] : Self.weights(sorted.count)
    else { return nil }
    // Scaled by their range, so that squares do not all underflow.
    for index in sorted.indices { sorted[index] = (sorted[index] - low) / (high - low) }
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    for index in sorted.indices { sorted[index] -= mean }
    let complement = Self.complement(sorted, weights)
    count = values.count
    guard let p = Self.pValue(complement, count) else { return nil }
    pValue = p
    statistic = 1 - complement
  }

  /// 1 - W: the share of the sum of squares that is orthogonal to the weights.
  ///
  /// Computed without subtracting nearly equal numbers, as 1 - W would be.
  private static func complement(_ deviations: [Double], _ weights: [Double]) -> Double {
    let along = zip(deviations, weights).reduce(0) { $0 + $1.0 * $1.1 }
    let rest = zip(deviations, weights).reduce(0) { sum, pair in
      let across = pair.0 - along * pair.1
      return sum + across * across
    }
    return rest / deviations.reduce(0) { $0 + $1 * $1 }
  }

  /// Precomputed weights, for as many numbers as a series usually has readings.
  private static let usualWeights: [[Double]?] = (0...50).map { $0 < 3 ? nil : weights($0) }

  /// The weights of the numbers in ascending order.
  ///
  /// Source: Royston (1995): normal scores of Blom (1958), the outermost one or two of either side
  /// corrected by polynomials in 1 / √n, and the others scaled so that all squares sum up to 1. For 3
  /// numbers they are known, ±1 / √2 and 0.
  private static func weights(_ n: Int) -> [Double]? {
    let scores = NormalScores.blom(n)
    guard scores.count == n else { return nil }
    let outermost = outermostWeights(scores)
    let outer = outermost.count
    let inner = scores.dropFirst(outer).dropLast(outer).reduce(0) { $0 + $1 * $1 }
    let left = 1 - 2 * outermost.reduce(0) { $0 + $1 * $1 }
    let scale = inner > 0 ? (left / inner).squareRoot() : 0
    var weights = scores.map { $0 * scale }
    for (rank, weight) in outermost.enumerated() {
      weights[rank] = -weight
      weights[n - 1 - rank] = weight
    }
    return weights
  }

  /// The weights of the largest number and, from 6 numbers on, of the second largest.
  private static func outermostWeights(_ scores: [Double]) -> [Double] {
    let n = scores.count
    guard n > 3 else { return [.sqrt(0.5)] }
    let length = scores.reduce(0) { $0 + $1 * $1 }.squareRoot()
    let u = 1 / Double(n).squareRoot()
    let corrections = [
      [0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056],
      [0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633],
    ]
    return zip(corrections.prefix(n > 5 ? 2 : 1), scores.reversed()).map { correction, score in
      score / length + polynomial(correction, u)
    }
  }

  /// The p value of 1 - W.
  ///
  /// Source: Shapiro and Wilk (1965) for 3 numbers, 1 - (6 / π) arccos √W; Royston (1995) for more,
  /// where a function of 1 - W is nearly normal.
  private static func pValue(_ complement: Double, _ count: Int) -> Double? {
    guard complement > 0 else { return 1 }
    guard count > 3 else {
      return max(0, 1 - 6 / .pi * Double.asin(complement.squareRoot()))
    }
    let n = Double(count)
    let z = count < 12 ? smallSampleScore(complement, n) : largeSampleScore(complement, n)
    return try? StandardNormal.upperTail(z)
  }

  /// The normal score of 1 - W for 4 to 11 numbers.
  ///
  /// The logarithm has an argument: W is at least n a² / (n - 1) with the largest weight a (Shapiro
  /// and Wilk 1965), which is 0.63 for 4 numbers, where it would have to be above 0.35.
  private static func smallSampleScore(_ complement: Double, _ n: Double) -> Double {
    let transformed = -Double.log(0.459 * n - 2.273 - .log(complement))
    let mean = polynomial([0.5440, -0.39978, 0.025054, -0.0006714], n)
    let deviation = Double.exp(polynomial([1.3822, -0.77857, 0.062767, -0.0020322], n))
    return (transformed - mean) / deviation
  }

  /// The normal score of 1 - W for 12 numbers and more.
  private static func largeSampleScore(_ complement: Double, _ n: Double) -> Double {
    let x = Double.log(n)
    let mean = polynomial([-1.5861, -0.31082, -0.083751, 0.0038915], x)
    let deviation = Double.exp(polynomial([-0.4803, -0.082676, 0.0030302], x))
    return (.log(complement) - mean) / deviation
  }

  /// A polynomial with its coefficients from the lowest power up.
  private static func polynomial(_ coefficients: [Double], _ x: Double) -> Double {
    coefficients.reversed().reduce(0) { $0 * x + $1 }
  }
}

/// A normal Q-Q plot: ordered values with the expected normal quantiles.
///
/// The positions (i - 3/8) / (n + 1/4) are Blom's (1958).
package struct NormalPlot: Hashable, Sendable {
  /// A value with its normal quantile.
  package struct Point: Codable, Hashable, Sendable {
    /// The quantile of the standard normal distribution.
    package let quantile: Double
    /// The value.
    package let value: Double
  }

  /// In ascending order.
  package let points: [Point]

  /// Creates a plot of values in any order.
  package init(_ values: [Double]) {
    points = zip(NormalScores.blom(values.count), values.sorted())
      .map { Point(quantile: $0, value: $1) }
  }
}
