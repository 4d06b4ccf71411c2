import GSL
import RealModule

/// The correlation of the errors of a series, with the correction of its likelihood for the fitted curve.
struct NoiseCorrelation: Sendable {
  let chain: CorrelationChain
  /// The time constant tau in h; 0 if errors are independent.
  var time = 0.0 {
    didSet {
      if time != oldValue { logDeterminants = chain.logDeterminant(time: time) + logInformation }
    }
  }
  /// An orthonormal basis of the columns of the curve's Jacobian, row-major; empty for maximum likelihood.
  let basis: [Double]
  let columns: Int

  /// Starts without correlation.
  ///
  /// - Parameter jacobian: The Jacobian of predictions over the shape of their standard deviations, row-major.
  init(_ chain: CorrelationChain, jacobian: [Double], columns: Int) {
    self.chain = chain
    (basis, self.columns) = Self.orthonormal(jacobian, columns: columns)
  }

  /// The contribution of the correlation R to the restricted deviance: ln |R| + ln |Q^T R^-1 Q|, Q being the basis.
  ///
  /// Source: Harville (1974). With Q in the place of the Jacobian it is 0 for independent errors, so
  /// that curves with and without correlation can be compared.
  private(set) var logDeterminants = 0.0

  private var logInformation: Double {
    guard columns > 0, time > 0 else { return 0 }
    let white = chain.whitened(basis, columns: columns, time: time)
    // Q^T R^-1 Q, overwritten by its Cholesky factor.
    var matrix = [Double](repeating: 0, count: columns * columns)
    for row in stride(from: 0, to: white.count, by: columns) {
      for i in 0..<columns {
        for j in 0...i { matrix[i * columns + j] += white[row + i] * white[row + j] }
      }
    }
    var sum = 0.0
    for i in 0..<columns {
      for j in 0...i {
        var rest = matrix[i * columns + j]
        for k in 0..<j { rest -= matrix[i * columns + k] * matrix[j * columns + k] }
        if i == j {
          let pivot = max(rest, .leastNormalMagnitude)
          sum += .log(pivot)
          matrix[i * columns + i] = pivot.squareRoot()
        } else {
          matrix[i * columns + j] = rest / matrix[j * columns + j]
        }
      }
    }
    return sum
  }

  /// Returns an orthonormal basis of the columns of a matrix (modified Gram-Schmidt), without linearly dependent ones.
  static func orthonormal(
    _ matrix: [Double], columns: Int
  ) -> (basis: [Double], columns: Int) {
    var kept: [[Double]] = []
    for column in 0..<columns {
      let full = stride(from: column, to: matrix.count, by: columns).map { matrix[$0] }
      let length = dot(full, full).squareRoot()
      guard length > 0, length.isFinite else { continue }
      var vector = full.map { $0 / length }
      // Orthogonalising twice is enough for full accuracy (Kahan, in Parlett 1980).
      for _ in 0..<2 {
        for other in kept {
          let share = dot(vector, other) / dot(other, other)
          vector = zip(vector, other).map { $0 - share * $1 }
        }
      }
      let rest = dot(vector, vector).squareRoot()
      guard rest > 1e-8 else { continue }
      kept.append(vector.map { $0 / rest })
    }
    let rows = columns > 0 ? matrix.count / columns : 0
    return ((0..<rows).flatMap { row in kept.map { $0[row] } }, kept.count)
  }
}

extension NoiseModel {
  /// Estimates the noise for predictions together with its correlation time.
  ///
  /// Correlation time and shape of the standard deviations are estimated in turns, unless the shape does not depend on
  /// the correlation.
  ///
  /// - Parameters:
  ///   - predictions: One for each observation, in g/kg.
  ///   - parameterCount: The number p of parameters of the curve; 0 for maximum likelihood.
  ///   - jacobian: The Jacobian of predictions, row-major, with its number of columns.
  /// - Returns: The noise; nil if there are too few readings to estimate it.
  func correlatedNoise(
    for predictions: [Double], parameterCount: Int, jacobian: (values: [Double], columns: Int)
  ) -> Noise? {
    guard let chain,
      size != nil || observations.quantifiedCount - parameterCount >= chain.fewestSpare,
      var noise = noise(for: predictions, parameterCount: parameterCount)
    else { return nil }
    /// Returns a noise with the best correlation time for its shape.
    func correlated(_ noise: Noise) -> Noise {
      var noise = noise
      noise.correlation = NoiseCorrelation(
        chain, jacobian: weighted(jacobian, noise.shape), columns: jacobian.columns)
      return bestTime(noise, for: predictions, parameterCount: parameterCount)
    }
    for _ in 0..<Self.mostTurns {
      let correlated = correlated(noise)
      guard error.hasRatio, let time = correlated.correlation?.time else {
        return correlated
      }
      // The shape depends on residuals that are whitened by the correlation.
      var model = self
      model.time = time
      guard let reshaped = model.noise(for: predictions, parameterCount: parameterCount) else {
        return correlated
      }
      let change = reshaped.relativeChange(from: noise)
      noise = reshaped
      if change < Self.settledShape { return correlated }
    }
    return correlated(noise)
  }

  private static let mostTurns = 50
  /// The half width of the first search about the last correlation time, in logarithms.
  private static let reach = 0.5
  private static let settledShape = 1e-8

  /// Re-estimates the correlation time of a noise, and the scale that goes with it, by the restricted deviance; the shape
  /// stays.
  func bestTime(_ noise: Noise, for predictions: [Double], parameterCount: Int) -> Noise {
    guard let correlation = noise.correlation else { return noise }
    func scaled(_ time: Double) -> Noise {
      var next = noise
      next.correlation?.time = time
      return rescaledOnly(next, for: predictions, parameterCount: parameterCount, time: time)
    }
    if let given = correlation.chain.givenTime { return scaled(given) }
    guard let range = correlation.chain.searchRange else { return scaled(0) }
    let lowest = Double.log(range.lowerBound)
    let highest = Double.log(range.upperBound)
    func minimum(from low: Double, to high: Double, points: Int) -> BracketedMinimum? {
      try? BracketedMinimum.find(from: low, to: high, points: points) { logTime in
        deviance(of: predictions, scaled(.exp(logTime)), parameterCount: parameterCount)
      }
    }
    // Between turns with the curve the minimum moves little, so a narrow search comes first.
    var best: BracketedMinimum?
    if correlation.time > 0 {
      let last = Double.log(correlation.time)
      let low = max(lowest, last - Self.reach)
      let high = min(highest, last + Self.reach)
      if low < high { best = minimum(from: low, to: high, points: 3) }
      if let minimum = best, minimum.isAtEnd, minimum.x != highest { best = nil }
    }
    best = best ?? minimum(from: lowest, to: highest, points: 17)
    guard let best, best.x > lowest else { return scaled(0) }
    return scaled(.exp(best.x))
  }

  /// Returns the Jacobian over the shape of the standard deviations, with zero rows for censored readings.
  private func weighted(
    _ jacobian: (values: [Double], columns: Int), _ shape: [Double]
  ) -> [Double] {
    jacobian.values.indices.map { index in
      let row = index / jacobian.columns
      return observations.all[row].isCensored ? 0 : jacobian.values[index] / shape[row]
    }
  }
}
