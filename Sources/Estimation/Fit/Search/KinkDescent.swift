/// Minimises a sum of squares along a kink (VU decomposition).
///
/// Where a curve just touches zero between two drinks, its derivatives by the parameters jump, and the minimum is often on
/// that kink. A Gauss-Newton step crosses the kink and makes no progress, so descents stop at an arbitrary point along
/// it. Here the normal of the kink is the difference of the gradients on its two sides. The sum of squares is smooth along
/// the kink, where a constrained Gauss-Newton step is made; a golden-section search across it leads back to the bottom
/// (the V and U spaces of Lemaréchal, Oustry & Sagastizábal, Trans Am Math Soc 352 (2000) 711-729).
struct KinkDescent {
  private let problem: any SumOfSquares
  /// The indices of the coordinates that are not at a bound.
  private let moved: [Int]
  private var point: [Double]
  private var value: Double
  /// The distance to either side at which gradients are evaluated.
  private var reach = 1e-5

  private static let smallestReach = 1e-7
  private static let mostSteps = 40
  /// The length of a step below which it is the last; coordinates are logarithms, or hours.
  private static let negligibleStep = 1e-9

  /// Returns a lower point along a kink next to a minimum; nil if there is none.
  static func minimum(of problem: any SumOfSquares, from minimum: Minimum) -> Minimum? {
    var descent = KinkDescent(problem, minimum)
    for _ in 0..<mostSteps where !Task.isCancelled {
      guard let length = descent.advance() else { break }
      if length < negligibleStep { break }
    }
    guard descent.value < minimum.objective else { return nil }
    var lower = minimum
    lower.coordinates = descent.point
    lower.objective = descent.value
    return lower
  }

  private init(_ problem: any SumOfSquares, _ minimum: Minimum) {
    self.problem = problem
    moved = minimum.coordinates.indices.filter { !minimum.atBound.contains($0) }
    point = minimum.coordinates
    value = minimum.objective
  }

  /// Makes a step and returns its length; nil if no step lowers the sum of squares.
  private mutating func advance() -> Double? {
    while let (along, across) = directions() {
      for share in [1, 0.25, 1 / 16.0, 1 / 64.0] {
        let start = zip(point, along).map { $0 + share * $1 }
        let width = max(share * Self.length(along), reach)
        let (lower, sum) = bottom(from: start, across, within: 2 * width)
        guard sum < value else { continue }
        let length = Self.length(zip(lower, point).map { $0 - $1 })
        point = lower
        value = sum
        return length
      }
      guard reach > Self.smallestReach else { return nil }
      reach /= 10
    }
    return nil
  }

  /// Returns the Gauss-Newton step along the kink and its normal; nil if there is no kink nearby.
  private func directions() -> (along: [Double], across: [Double])? {
    let count = moved.count
    guard let center = slopes(at: point) else { return nil }
    // Coordinates in which every column of the Jacobian has the length 1.
    let scales = (0..<count).map { center.matrix[$0 * count + $0].squareRoot() }
    guard scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    var normal: [Double] = []
    var jump = 0.0
    for index in moved {
      for side in [reach, -reach] {
        var shifted = point
        shifted[index] += side
        guard let beside = slopes(at: shifted) else { continue }
        let change = (0..<count).map { (beside.gradient[$0] - center.gradient[$0]) / scales[$0] }
        let length = Self.length(change)
        if length > jump {
          jump = length
          normal = change.map { $0 / length }
        }
      }
    }
    let matrix = (0..<count * count).map {
      center.matrix[$0] / (scales[$0 / count] * scales[$0 % count])
    }
    guard jump > 0, let factor = Cholesky.factor(of: matrix, size: count, least: 1e-14) else {
      return nil
    }
    // The minimum of the quadratic model on the plane with this normal.
    let free = Cholesky.solve(factor, (0..<count).map { center.gradient[$0] / scales[$0] })
    let stiff = Cholesky.solve(factor, normal)
    let ratio = dot(normal, free) / dot(normal, stiff)
    var along = [Double](repeating: 0, count: point.count)
    var across = along
    for (position, index) in moved.enumerated() {
      along[index] = (ratio * stiff[position] - free[position]) / scales[position]
      across[index] = normal[position] / scales[position]
    }
    let length = Self.length(across)
    return (along, across.map { $0 / length })
  }

  /// Returns half the gradient and J^T J by the free coordinates; nil where they cannot be evaluated.
  private func slopes(at coordinates: [Double]) -> (gradient: [Double], matrix: [Double])? {
    let rows = problem.residualCount
    let columns = coordinates.count
    let count = moved.count
    guard
      let residuals = problem.written(
        rows, at: coordinates, { problem.write(residuals: $0, at: $1) }),
      let jacobian = problem.written(
        rows * columns, at: coordinates, { problem.write(jacobian: $0, at: $1) })
    else { return nil }
    var gradient = [Double](repeating: 0, count: count)
    var matrix = [Double](repeating: 0, count: count * count)
    for row in 0..<rows {
      for (i, first) in moved.enumerated() {
        let slope = jacobian[row * columns + first]
        gradient[i] += slope * residuals[row]
        for (j, second) in moved.enumerated() {
          matrix[i * count + j] += slope * jacobian[row * columns + second]
        }
      }
    }
    return (gradient, matrix)
  }

  /// Returns the lowest point on a line within the bounds, by golden-section search, and the sum of squares there.
  private func bottom(
    from start: [Double], _ direction: [Double], within width: Double
  ) -> ([Double], Double) {
    let lowest = problem.lowest
    let highest = problem.highest
    var trial = start
    func move(by distance: Double) {
      for index in trial.indices {
        let target = start[index] + distance * direction[index]
        trial[index] = min(max(target, lowest[index]), highest[index])
      }
    }
    func value(_ distance: Double) -> Double {
      move(by: distance)
      return problem.value(at: trial)
    }
    let ratio = (5.0.squareRoot() - 1) / 2
    var low = -width
    var high = width
    var first = high - ratio * (high - low)
    var second = low + ratio * (high - low)
    var atFirst = value(first)
    var atSecond = value(second)
    for _ in 0..<48 {
      if atFirst < atSecond {
        high = second
        second = first
        atSecond = atFirst
        first = high - ratio * (high - low)
        atFirst = value(first)
      } else {
        low = first
        first = second
        atFirst = atSecond
        second = low + ratio * (high - low)
        atSecond = value(second)
      }
    }
    let isFirst = atFirst < atSecond
    move(by: isFirst ? first : second)
    return (trial, isFirst ? atFirst : atSecond)
  }

  private static func length(_ vector: [Double]) -> Double { dot(vector, vector).squareRoot() }
}
