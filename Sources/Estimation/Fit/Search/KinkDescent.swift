/// Gets on along a kink of a sum of squares.
///
/// Where a curve just touches zero between two drinks, its derivatives by the parameters jump, and often that is
/// where the least sum of squares is: at the bottom of a fold. A step that believes the residuals smooth crosses the
/// fold and finds no progress, so descents end anywhere along it. Here the direction across the fold is taken from
/// gradients on both sides. Along the fold the sum of squares is smooth and gets a Gauss-Newton step; across it a
/// golden section leads back to the bottom (the V and U spaces of Lemaréchal, Oustry & Sagastizábal, Trans Am Math
/// Soc 352 (2000) 711-729).
struct KinkDescent {
  private let problem: any SumOfSquares
  /// The coordinates that move.
  private let moved: [Int]
  private var point: [Double]
  private var value: Double
  /// How far to either side gradients are looked at.
  private var reach = 1e-5

  private static let smallestReach = 1e-7
  private static let mostSteps = 40
  /// A step that is shorter is the last one; coordinates are logarithms, or hours.
  private static let negligibleStep = 1e-9

  /// A lower place in the fold next to a minimum; nil if there is none.
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

  /// Goes a step; how far, or nil if no step leads lower.
  private mutating func advance() -> Double? {
    while let (along, across) = directions() {
      for share in [1, 0.25, 1 / 16.0, 1 / 64.0] {
        let start = zip(point, along).map { $0 + share * $1 }
        let width = max(share * Self.length(along), reach)
        let (place, found) = bottom(from: start, across, within: 2 * width)
        guard found < value else { continue }
        let length = Self.length(zip(place, point).map { $0 - $1 })
        point = place
        value = found
        return length
      }
      guard reach > Self.smallestReach else { return nil }
      reach /= 10
    }
    return nil
  }

  /// The Gauss-Newton step along the fold, and the direction across it.
  private func directions() -> (along: [Double], across: [Double])? {
    let count = moved.count
    guard let here = slopes(at: point) else { return nil }
    // Coordinates in which every column of the Jacobian has the length 1.
    let scales = (0..<count).map { here.matrix[$0 * count + $0].squareRoot() }
    guard scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    var normal: [Double] = []
    var jump = 0.0
    for index in moved {
      for side in [reach, -reach] {
        var other = point
        other[index] += side
        guard let there = slopes(at: other) else { continue }
        let change = (0..<count).map { (there.gradient[$0] - here.gradient[$0]) / scales[$0] }
        let length = Self.length(change)
        if length > jump { (jump, normal) = (length, change.map { $0 / length }) }
      }
    }
    let matrix = (0..<count * count).map {
      here.matrix[$0] / (scales[$0 / count] * scales[$0 % count])
    }
    guard jump > 0, let factor = Cholesky.factor(of: matrix, size: count, least: 1e-14) else {
      return nil
    }
    // The least of the quadratic on the plane of which the normal is given.
    let free = Cholesky.solve(factor, (0..<count).map { here.gradient[$0] / scales[$0] })
    let stiff = Cholesky.solve(factor, normal)
    let ratio = dot(normal, free) / dot(normal, stiff)
    var along = [Double](repeating: 0, count: point.count)
    var across = along
    for (place, index) in moved.enumerated() {
      along[index] = (ratio * stiff[place] - free[place]) / scales[place]
      across[index] = normal[place] / scales[place]
    }
    let length = Self.length(across)
    return (along, across.map { $0 / length })
  }

  /// Half the gradient and J^T J of the coordinates that move.
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

  /// The lowest place on a line, by golden section, within the bounds.
  private func bottom(
    from start: [Double], _ direction: [Double], within width: Double
  ) -> ([Double], Double) {
    let lowest = problem.lowest
    let highest = problem.highest
    var place = start
    func go(_ way: Double) {
      for index in place.indices {
        let aim = start[index] + way * direction[index]
        place[index] = min(max(aim, lowest[index]), highest[index])
      }
    }
    func value(_ way: Double) -> Double {
      go(way)
      return problem.value(at: place)
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
    go(isFirst ? first : second)
    return (place, isFirst ? atFirst : atSecond)
  }

  private static func length(_ vector: [Double]) -> Double { dot(vector, vector).squareRoot() }
}
