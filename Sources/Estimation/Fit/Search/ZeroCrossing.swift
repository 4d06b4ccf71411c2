import AlcoholKinetics
import RealModule

/// Finds starts on the other side of zero from a minimum.
///
/// A curve that reaches zero between two readings has a slope at the first and none at the second. The sum of squares
/// often has a minimum on either side of the curve that reaches zero just at a reading, and descents from all starts may
/// end at the same one of the two. The linear model at a minimum, with one more reading above zero, or one less, tells
/// where the other one is. Whitened, a reading's prediction also changes the residuals of later readings.
struct ZeroCrossing {
  /// The sum of squares expected on the other side, relative to that of the minimum, from which on it is left alone. The
  /// linear model is not exact.
  private static let highest = 1.1
  /// The longest step of a coordinate, as in descents.
  private static let longestStep = 0.7
  /// The share of J^T J that is added to its diagonal, since few readings above zero may not determine all coordinates.
  private static let damping = 1e-6

  private let objective: CurveObjective
  private let minimum: DescentEnd
  /// The coordinates that are not at a bound.
  private let moved: [Int]
  private let values: ParameterValues
  private let predictions: [Double]
  /// The derivatives of the predictions by the moved coordinates, row-major.
  private let slopes: [Double]
  private let residuals: [Double]
  /// The derivatives of the residuals by the moved coordinates, row-major.
  private let jacobian: [Double]

  /// Returns starts from which lower minima across zero may be reached; none if the curve never reaches zero.
  static func starts(across objective: CurveObjective, from minimum: DescentEnd) -> [Coordinates] {
    guard objective.hasKinks else { return [] }
    let point = minimum.coordinates.array(objective.layout.count)
    guard let predictions = objective.predictions(at: point) else { return [] }
    let zeros = predictions.indices.dropFirst().filter {
      predictions[$0] <= 0 && predictions[$0 - 1] > 0
    }
    guard !zeros.isEmpty,
      let crossing = ZeroCrossing(objective, minimum, at: point, predictions)
    else { return [] }
    return zeros.flatMap { [crossing.start(raising: $0), crossing.start(sinking: $0 - 1)] }
      .compactMap(\.self)
  }

  private init?(
    _ objective: CurveObjective, _ minimum: DescentEnd, at point: [Double], _ predictions: [Double]
  ) {
    self.objective = objective
    self.minimum = minimum
    self.predictions = predictions
    values = objective.layout.values(at: point)
    moved = point.indices.filter { !minimum.atBound.contains($0) }
    guard !moved.isEmpty, let slopes = objective.derivatives(at: point, by: moved),
      let residuals = objective.residuals(at: point),
      let jacobian = objective.information(at: point, by: moved)
    else { return nil }
    self.slopes = slopes
    self.residuals = residuals
    self.jacobian = jacobian
  }

  /// Returns a start at which the first reading that is predicted to be zero is above it, the curve going on from the
  /// reading before as if there were no zero.
  private func start(raising index: Int) -> Coordinates? {
    guard !objective.memory.areCensored[index], objective.memory.levels[index] > 0 else {
      return nil
    }
    let hours = objective.memory.times[index] - objective.memory.times[index - 1]
    let gain = values[known: .gain]
    let ka = values[known: .ka]
    let fall = gain * values[known: .beta] * hours
    // What is still in the gut follows from the slope, which is k_a gut - beta, and minus the derivative by the lag.
    let gut = max(0, gain * (values[known: .beta] - byLag(index - 1)) / ka)
    let left = gut * Double.exp(-ka * hours)
    let slope = row(index - 1).enumerated().map { place, derivative in
      switch objective.layout.free[moved[place]] {
      case .beta: derivative - fall
      case .gain: derivative - fall + gut - left
      case .ka: derivative + ka * hours * left
      case .r: derivative - gut + left
      case .lag: derivative + ka * (gut - left)
      default: derivative
      }
    }
    return start(changing: index, by: predictions[index - 1] + gut - left - fall, slope)
  }

  /// Returns a start at which the last reading that is predicted above zero is zero.
  private func start(sinking index: Int) -> Coordinates? {
    guard !objective.memory.areCensored[index] else { return nil }
    return start(changing: index, by: -predictions[index], row(index).map { -$0 })
  }

  /// The derivative of the curve by the lag at a reading, in g/kg/h.
  private func byLag(_ index: Int) -> Double {
    let place = objective.layout.model.traits.firstIndex { $0.parameter == .lag }
    let samples = objective.memory.samples(of: objective.kinetics, objective.regimen, values)
    return place.flatMap { samples?[index].derivatives[$0] } ?? values[known: .beta]
  }

  private func row(_ index: Int) -> [Double] {
    Array(slopes[index * moved.count..<(index + 1) * moved.count])
  }

  /// Returns the minimum of the linear model after a change of a reading's prediction and its derivatives; nil if it is
  /// higher.
  private func start(
    changing index: Int, by change: Double, _ slope: [Double]
  ) -> Coordinates? {
    let count = moved.count
    // How the residuals follow the prediction.
    var weights = [Double](repeating: 0, count: residuals.count)
    weights[index] = objective.rule.precisions[index]
    objective.whitening?.whiten(&weights, columns: 1)
    var jacobian = jacobian
    var sum = 0.0
    var gradient = [Double](repeating: 0, count: count)
    var matrix = [Double](repeating: 0, count: count * count)
    for (row, weight) in weights.enumerated() {
      let residual = residuals[row] + weight * change
      sum += residual * residual
      let first = row * count
      for i in 0..<count {
        jacobian[first + i] += weight * slope[i]
        gradient[i] += jacobian[first + i] * residual
        for j in 0...i { matrix[i * count + j] += jacobian[first + i] * jacobian[first + j] }
      }
    }
    for i in 0..<count { matrix[i * count + i] *= 1 + Self.damping }
    guard let factor = Cholesky.factor(of: matrix, size: count) else { return nil }
    let step = Cholesky.solve(factor, gradient)
    guard sum - dot(step, gradient) < Self.highest * minimum.objective else { return nil }
    let longest = step.reduce(Self.longestStep) { max($0, abs($1)) }
    var start = minimum.coordinates
    for (place, coordinate) in moved.enumerated() {
      start[coordinate] -= step[place] * (Self.longestStep / longest)
    }
    return start
  }
}
