/// Some numbers of one kind, at least one, and what describes them.
///
/// All results are in the unit of the numbers. Means take one pass; the median and the quantiles sort
/// the numbers each time, so that nothing else pays for it.
public struct Sample: Codable, Hashable, Sendable {
  /// The numbers as they were given; at least one, all finite.
  public let values: [Double]

  /// Larger magnitudes are not taken, so that no sum of squares overflows.
  static let largestMagnitude = 1e150

  /// Takes some numbers; nil if there are none, or one is NaN, infinite or beyond ±1e150.
  public init?(_ values: [Double]) {
    guard !values.isEmpty, values.allSatisfy({ abs($0) <= Self.largestMagnitude }) else {
      return nil
    }
    self.values = values
  }

  /// The numbers in ascending order.
  public var sorted: [Double] { values.sorted() }

  /// How many numbers there are.
  public var count: Int { values.count }

  /// The arithmetic mean.
  public var mean: Double { values.reduce(0, +) / Double(count) }

  /// The mean of the numbers without their signs.
  public var meanMagnitude: Double { values.reduce(0) { $0 + abs($1) } / Double(count) }

  /// The root of the mean square, which is about zero rather than about the mean.
  public var rootMeanSquare: Double { (sumOfSquares(about: 0) / Double(count)).squareRoot() }

  /// The standard deviation with divisor n - 1; nil for a single number.
  public var standardDeviation: Double? {
    count < 2 ? nil : (sumOfSquares(about: mean) / Double(count - 1)).squareRoot()
  }

  /// The middle number, or the mean of the two in the middle.
  public var median: Double { interpolated(at: 0.5) }

  /// The number below which the fraction p of the numbers lies, interpolated linearly.
  ///
  /// Source: type 7 of Hyndman and Fan (1996), the default of R and NumPy.
  ///
  /// - Parameter p: from 0, which gives the smallest number, to 1, which gives the largest.
  /// - Returns: the quantile; nil for any other p.
  public func quantile(_ p: Double) -> Double? {
    (0...1).contains(p) ? interpolated(at: p) : nil
  }

  private func interpolated(at p: Double) -> Double {
    Self.quantile(p, ofSorted: sorted)
  }

  /// The quantile of numbers in ascending order, at least one, at p from 0 to 1; see ``quantile(_:)``.
  package static func quantile(_ p: Double, ofSorted sorted: [Double]) -> Double {
    let position = p * Double(sorted.count - 1)
    let below = Int(position)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (position - Double(below)) * (sorted[above] - sorted[below])
  }

  private func sumOfSquares(about center: Double) -> Double {
    values.reduce(0) { $0 + ($1 - center) * ($1 - center) }
  }
}

/// A range of numbers from low to high, in the unit of what it is an interval of.
public struct Interval: Codable, Hashable, Sendable {
  /// The lower end.
  public let low: Double
  /// The upper end, not below the lower one.
  public let high: Double

  /// Creates an interval from its ends, of which `low` must not be the larger.
  public init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}
