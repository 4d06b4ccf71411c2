/// A sample of at least one number, and its descriptive statistics.
///
/// All results are in the unit of the numbers. Means take one pass; the median and the quantiles sort
/// the numbers each time.
public struct Sample: Codable, Hashable, Sendable {
  /// The numbers as they were given; at least one, all finite.
  public let values: [Double]

  /// The largest magnitude accepted, so that no sum of squares overflows.
  static let largestMagnitude = 1e150

  /// Creates a sample; nil if there are no numbers, or one is NaN, infinite or beyond ±1e150.
  public init?(_ values: [Double]) {
    guard !values.isEmpty, values.allSatisfy({ abs($0) <= Self.largestMagnitude }) else {
      return nil
    }
    self.values = values
  }

  /// The numbers in ascending order.
  public var sorted: [Double] { values.sorted() }

  /// The number of values.
  public var count: Int { values.count }

  /// The arithmetic mean.
  public var mean: Double { Moments(of: values).mean }

  /// The mean absolute value.
  public var meanMagnitude: Double { values.reduce(0) { $0 + abs($1) } / Double(count) }

  /// The root mean square, about zero rather than about the mean.
  public var rootMeanSquare: Double {
    (values.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot()
  }

  /// The standard deviation with divisor n - 1; nil for a single number.
  public var standardDeviation: Double? {
    count < 2 ? nil : (Moments(of: values).squares / Double(count - 1)).squareRoot()
  }

  /// The middle number, or the mean of the two in the middle.
  public var median: Double { EmpiricalQuantile.type7(0.5, ofSorted: sorted) }

  /// The number below which the fraction p of the numbers lies, interpolated linearly.
  ///
  /// Source: type 7 of Hyndman and Fan (1996), the default of R and NumPy.
  ///
  /// - Parameter p: from 0, which gives the smallest number, to 1, which gives the largest.
  /// - Returns: the quantile; nil for any other p.
  public func quantile(_ p: Double) -> Double? {
    (0...1).contains(p) ? EmpiricalQuantile.type7(p, ofSorted: sorted) : nil
  }
}

/// Empirical quantiles by the numbers of Hyndman and Fan, "Sample quantiles in statistical packages", The American
/// Statistician 50 (1996) 361-365.
package enum EmpiricalQuantile {
  /// The quantile at p from 0 to 1 of at least one number in ascending order: the default of R and NumPy.
  package static func type7(_ p: Double, ofSorted sorted: [Double]) -> Double {
    let position = p * Double(sorted.count - 1)
    let below = Int(position)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (position - Double(below)) * (sorted[above] - sorted[below])
  }

  /// The quantile by interpolation between the midpoints of the steps, of at least two numbers in ascending
  /// order: for points of a quasi-random sequence, each of which represents the middle of its share.
  /// Numbers may be infinite.
  package static func type5(_ p: Double, ofSorted sorted: [Double]) -> Double {
    let position = p * Double(sorted.count) - 0.5
    let index = min(max(0, Int(position)), sorted.count - 2)
    let low = sorted[index]
    let high = sorted[index + 1]
    guard high.isFinite else { return high }
    return low + (position - Double(index)) * (high - low)
  }
}

/// The mean of some numbers, and the sum of the squares of their distances from it.
package struct Moments {
  package let mean: Double
  package let squares: Double

  /// - Parameter numbers: At least one.
  package init(of numbers: [Double]) {
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    self.mean = mean
    squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }
}

extension [Double] {
  /// The two numbers in the middle, or the one twice; nil without numbers.
  package var middle: (low: Double, high: Double)? {
    guard !isEmpty else { return nil }
    let sorted = self.sorted()
    return (sorted[(count - 1) / 2], sorted[count / 2])
  }

  /// The middle number, or half the sum of the two in the middle; nil without numbers. They may be infinite.
  package var median: Double? {
    middle.map { $0.low == $0.high ? $0.low : ($0.low + $0.high) / 2 }
  }
}

/// An interval from low to high, in the unit of its quantity.
public struct Interval: Codable, Hashable, Sendable {
  /// The lower end.
  public let low: Double
  /// The upper end, not below the lower one.
  public let high: Double

  /// The confidence level of all intervals unless set.
  public static let defaultLevel = 0.95

  /// Creates an interval from its ends, of which `low` must not be the larger.
  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}
