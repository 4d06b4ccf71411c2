import GSL

/// The runs test of Wald and Wolfowitz (1940): whether the signs of residuals are in random order.
///
/// A run is a stretch of one sign. Fewer than expected mean that neighbours err to the same side, as
/// where a curve misses the shape of the readings; more mean that they alternate. Residuals of zero
/// have no sign and are left out. Given how many signs there are of each kind, all orders are
/// equally likely, and the two-sided p value is twice the smaller tail:
///
/// - up to 20 signs of the rarer kind, the range of the table of Swed and Eisenhart (1943), it is
///   exact;
/// - else it is that of the normal approximation with a continuity correction of 1/2.
public struct RunsTest: Codable, Hashable, Sendable {
  /// The number of residuals above zero.
  public let positives: Int
  /// The number of residuals below zero.
  public let negatives: Int
  /// The number of runs.
  public let runs: Int
  /// The two-sided p value.
  public let pValue: Double
  /// Whether the p value is exact, rather than by the normal approximation.
  public let isExact: Bool

  /// The number of runs to be expected if the order is random.
  ///
  /// Source: Wald and Wolfowitz (1940): 1 + 2 m n / (m + n) for m and n signs of either kind.
  public var expectedRuns: Double {
    1 + 2 * Double(positives) * Double(negatives) / Double(positives + negatives)
  }

  /// Tests residuals in the order of time, in any unit.
  ///
  /// - Returns: nil unless there are residuals on both sides of zero, and if one is NaN or infinite.
  public init?(residuals: [Double]) {
    guard residuals.allSatisfy(\.isFinite) else { return nil }
    var signs = 0
    var positives = 0
    var runs = 0
    var last = 0.0
    for residual in residuals where residual != 0 {
      signs += 1
      if residual > 0 { positives += 1 }
      if last == 0 || (residual > 0) != (last > 0) { runs += 1 }
      last = residual
    }
    self.positives = positives
    negatives = signs - positives
    self.runs = runs
    guard positives > 0, negatives > 0 else { return nil }
    let rarer = min(positives, negatives)
    let commoner = max(positives, negatives)
    isExact = rarer <= 20
    let p =
      isExact ? Self.exact(runs, rarer, commoner) : Self.approximate(runs, rarer, commoner)
    guard let p else { return nil }
    pValue = p
  }

  /// Twice the smaller tail, ends included, of the distribution of runs.
  private static func exact(_ runs: Int, _ rarer: Int, _ commoner: Int) -> Double {
    let most = min(2 * rarer + 1, rarer + commoner)
    let fewer = (2...runs).reduce(0) { $0 + ways($1, rarer, commoner) }
    let more = (runs...most).reduce(0) { $0 + ways($1, rarer, commoner) }
    return min(1, 2 * min(fewer, more) / binomial(rarer + commoner, rarer))
  }

  /// The number of orders with so many runs.
  ///
  /// m signs can be cut into k runs in C(m - 1, k - 1) ways, and the kinds take turns: with an even
  /// number either kind may begin, with an odd one the kind that begins has one run more.
  ///
  /// Source: Wald and Wolfowitz (1940).
  private static func ways(_ runs: Int, _ rarer: Int, _ commoner: Int) -> Double {
    let half = runs / 2
    let m = rarer - 1
    let n = commoner - 1
    guard !runs.isMultiple(of: 2) else {
      return 2 * binomial(m, half - 1) * binomial(n, half - 1)
    }
    return binomial(m, half) * binomial(n, half - 1) + binomial(m, half - 1) * binomial(n, half)
  }

  /// The number of ways to choose k of n; 0 if k > n.
  private static func binomial(_ n: Int, _ k: Int) -> Double {
    guard k <= n else { return 0 }
    return usualBinomials.indices.contains(n) ? usualBinomials[n][k] : product(n, k)
  }

  /// Precomputed for as many signs as a series usually has readings.
  private static let usualBinomials = (0...50).map { n in (0...n).map { product(n, $0) } }

  private static func product(_ n: Int, _ k: Int) -> Double {
    (0..<k).reduce(1) { $0 * Double(n - $1) / Double($1 + 1) }
  }

  /// Twice the normal tail beyond the runs, moved by 1/2 towards the mean.
  ///
  /// Source: Wald and Wolfowitz (1940): mean 1 + d / N and variance d (d - N) / (N² (N - 1)) with
  /// d = 2 m n and N = m + n.
  private static func approximate(_ runs: Int, _ rarer: Int, _ commoner: Int) -> Double? {
    let count = Double(rarer + commoner)
    let d = 2 * Double(rarer) * Double(commoner)
    let variance = d * (d - count) / (count * count * (count - 1))
    let distance = abs(Double(runs) - 1 - d / count)
    let z = max(0, distance - 0.5) / variance.squareRoot()
    return (try? StandardNormal.upperTail(z)).map { 2 * $0 }
  }
}

/// Lag-one autocorrelation of residuals.
///
/// It is positive if neighbours err to the same side, negative if they alternate. Residuals are
/// taken about zero, their expectation if the model holds, rather than about their own mean: a
/// curve above all readings shows as positive autocorrelation.
public struct Autocorrelation: Codable, Hashable, Sendable {
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

  /// Computes the autocorrelation of residuals in the order of time, in any unit.
  ///
  /// - Returns: nil for fewer than 2 residuals, if all are zero, or if one is NaN or infinite.
  public init?(residuals: [Double]) {
    let largest = residuals.reduce(0) { max($0, abs($1)) }
    guard residuals.count >= 2, residuals.allSatisfy(\.isFinite), largest > 0 else { return nil }
    // Scaled by the largest, so that squares neither overflow nor all underflow.
    var products = 0.0
    var squares = 0.0
    var last = 0.0
    for residual in residuals {
      let scaled = residual / largest
      products += last * scaled
      squares += scaled * scaled
      last = scaled
    }
    count = residuals.count
    lagOne = products / squares
  }
}
