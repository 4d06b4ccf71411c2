import Estimation

public struct CaseDistribution: Sendable {
  public struct Quantile: Hashable, Sendable {
    public let p: Double
    public let value: Double
    /// Its standard error, from the number of draws alone.
    public let error: Double
  }

  /// The draws in ascending order.
  private let sorted: [Double]
  public let mean: Double
  public let sd: Double
  public let low: Double
  public let high: Double
  /// Some quantiles, those of the interval among them.
  public let quantiles: [Quantile]

  init(_ draws: [Double], level: Double) {
    sorted = draws.sorted()
    let count = Double(draws.count)
    let moments = Moments(of: draws)
    mean = moments.mean
    sd = (moments.squares / (count - 1)).squareRoot()
    let tail = (1 - level) / 2
    // What rounding leaves of 1 - 0.95 is no probability of its own.
    let ends = [(1e9 * tail).rounded() / 1e9, (1e9 * (1 - tail)).rounded() / 1e9]
    (low, high) = (
      EmpiricalQuantile.type7(ends[0], ofSorted: sorted),
      EmpiricalQuantile.type7(ends[1], ofSorted: sorted)
    )
    let all = Set([0.01, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.99] + ends)
    let values = sorted
    quantiles = all.sorted().map { p in
      // The order statistics one binomial standard deviation to either side (Maritz and Jarrett 1978
      // compare such estimates).
      let spread = (p * (1 - p) / count).squareRoot()
      let above = EmpiricalQuantile.type7(min(1, p + spread), ofSorted: values)
      let below = EmpiricalQuantile.type7(max(0, p - spread), ofSorted: values)
      return Quantile(
        p: p, value: EmpiricalQuantile.type7(p, ofSorted: values), error: (above - below) / 2)
    }
  }

  /// The standard error of a quantile that is among ``quantiles``, by its value; nil of any other.
  public func error(of value: Double) -> Double? { quantiles.first { $0.value == value }?.error }

  public var median: Double { EmpiricalQuantile.type7(0.5, ofSorted: sorted) }

  /// The fraction of draws above a value, with its standard error. For a fraction of 0 or 1, which would have none,
  /// it is the error of the fraction that is one draw away.
  func chance(above limit: Double) -> (value: Double, error: Double) {
    let count = Double(sorted.count)
    let fraction = Double(sorted.count { $0 > limit }) / count
    let held = min(max(fraction, 1 / count), 1 - 1 / count)
    return (fraction, (held * (1 - held) / count).squareRoot())
  }
}
