import GSL
import RealModule

/// How errors of a series go together, beside a curve.
struct NoiseCorrelation: Sendable {
  let chain: CorrelationChain
  /// The time constant tau in h; 0 if errors are independent.
  var time = 0.0
  /// Orthonormal columns that span what the curve can do about residuals, row-major; none for the
  /// maximum of the likelihood.
  let basis: [Double]
  let columns: Int

  /// Nothing is known of the time yet.
  ///
  /// - Parameter jacobian: Of predictions over the shape of their standard deviations, row-major.
  init(_ chain: CorrelationChain, jacobian: [Double], columns: Int) {
    self.chain = chain
    (basis, self.columns) = Self.orthonormal(jacobian, columns: columns)
  }

  /// What the correlation R adds to the restricted deviance: ln |R| + ln |Q^T R^-1 Q|, Q being the
  /// basis.
  ///
  /// Source: Harville (1974). With Q in the place of the Jacobian it is 0 for independent errors, so
  /// that curves with and without correlation can be compared.
  var logDeterminants: Double {
    chain.logDeterminant(time: time) + logInformation
  }

  private var logInformation: Double {
    guard columns > 0, time > 0 else { return 0 }
    let white = chain.whitened(basis, columns: columns, time: time)
    // Q^T R^-1 Q, and its Cholesky factor in its place.
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

  /// Columns of length 1 at right angles that span the same (modified Gram-Schmidt); those that the
  /// others span already are left out.
  static func orthonormal(
    _ matrix: [Double], columns: Int
  ) -> (basis: [Double], columns: Int) {
    var kept: [[Double]] = []
    for column in 0..<columns {
      let full = stride(from: column, to: matrix.count, by: columns).map { matrix[$0] }
      let length = dot(full, full).squareRoot()
      guard length > 0, length.isFinite else { continue }
      var vector = full.map { $0 / length }
      // Twice is enough (Kahan, in Parlett 1980).
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
  /// The noise for predictions, with the time constant of its correlation that fits them best.
  ///
  /// Time constant and shape of the standard deviations are looked for in turns, unless the shape
  /// does not depend on the former.
  ///
  /// - Parameters:
  ///   - lost: The number p of parameters lost to the curve; 0 for the maximum of the likelihood.
  ///   - jacobian: Gives the Jacobian of predictions, row-major, with its number of columns.
  /// - Returns: nil if there are too few readings for what is to be estimated.
  func correlatedNoise(
    for predictions: [Double], lost: Int, jacobian: (values: [Double], columns: Int)
  ) -> Noise? {
    guard let chain, size != nil || observations.quantifiedCount - lost >= chain.fewestSpare,
      var noise = noise(for: predictions, lost: lost)
    else { return nil }
    /// The noise of that shape with the best time constant.
    func correlated(_ noise: Noise) -> Noise {
      var noise = noise
      noise.correlation = NoiseCorrelation(
        chain, jacobian: weighted(jacobian, noise.shape), columns: jacobian.columns)
      return bestTime(noise, for: predictions, lost: lost)
    }
    for _ in 0..<Self.mostTurns {
      let correlated = correlated(noise)
      guard error.hasRatio, let time = correlated.correlation?.time else {
        return correlated
      }
      // The shape follows from residuals and so from what their correlation is.
      var model = self
      model.time = time
      guard let reshaped = model.noise(for: predictions, lost: lost) else { return correlated }
      let change = reshaped.relativeChange(from: noise)
      noise = reshaped
      if change < Self.settledShape { return correlated }
    }
    return correlated(noise)
  }

  private static let mostTurns = 50
  /// How far from the last time constant the next is looked for first, in logarithms.
  private static let reach = 0.5
  private static let settledShape = 1e-8

  /// The noise of the same shape with the time constant, and the scale that goes with it, of the
  /// smallest restricted deviance.
  func bestTime(_ noise: Noise, for predictions: [Double], lost: Int) -> Noise {
    guard let correlation = noise.correlation else { return noise }
    func scaled(_ time: Double) -> Noise {
      var (next, model) = (noise, self)
      next.correlation?.time = time
      model.time = time
      return model.rescaledOnly(next, for: predictions, lost: lost)
    }
    if let given = correlation.chain.givenTime { return scaled(given) }
    guard let range = correlation.chain.searched else { return scaled(0) }
    let (lowest, highest) = (Double.log(range.lowerBound), Double.log(range.upperBound))
    func minimum(from low: Double, to high: Double, points: Int) -> BracketedMinimum? {
      try? BracketedMinimum.find(from: low, to: high, points: points) { logTime in
        deviance(of: predictions, scaled(.exp(logTime)), lost: lost)
      }
    }
    // In turns with the curve the minimum moves little from where it was.
    var best: BracketedMinimum?
    if correlation.time > 0 {
      let last = Double.log(correlation.time)
      let (low, high) = (max(lowest, last - Self.reach), min(highest, last + Self.reach))
      if low < high { best = minimum(from: low, to: high, points: 3) }
      if let found = best, found.isAtEnd, found.x != highest { best = nil }
    }
    best = best ?? minimum(from: lowest, to: highest, points: 17)
    guard let best, best.x > lowest else { return scaled(0) }
    return scaled(.exp(best.x))
  }

  /// The Jacobian over the shape of the standard deviations, rows of censored readings left out.
  private func weighted(
    _ jacobian: (values: [Double], columns: Int), _ shape: [Double]
  ) -> [Double] {
    jacobian.values.indices.map { index in
      let row = index / jacobian.columns
      return observations.all[row].isCensored ? 0 : jacobian.values[index] / shape[row]
    }
  }
}
