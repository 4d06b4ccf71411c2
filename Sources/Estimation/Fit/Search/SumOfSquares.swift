import AlcoholKinetics

/// A sum of squared residuals of bounded coordinates, as the optimiser sees it.
///
/// Residuals are constant beyond a bound.
package protocol SumOfSquares: AnyObject {
  /// The number n of residuals.
  var residualCount: Int { get }
  /// The lowest value of each of the p coordinates; minus infinity for none.
  var lowest: [Double] { get }
  /// The highest value of each coordinate.
  var highest: [Double] { get }
  /// The sum of squares below which it is rounding.
  var roundingError: Double { get }
  /// True if derivatives may jump, as where a curve reaches zero.
  var hasKinks: Bool { get }
  /// True for smooth least squares of which only the lowest minimum counts: long steps and second-order correction are
  /// safe.
  var allowsLongSteps: Bool { get }
  /// Writes n residuals at p finite coordinates; false where the model cannot be evaluated.
  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool
  /// Writes the n x p derivatives, row-major; false where they cannot be evaluated.
  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool
  /// The sum of squares for evaluation at eight points at once; nil if not supported.
  var lanes: (any LanedSumOfSquares)? { get }
}

extension SumOfSquares {
  package var hasKinks: Bool { true }
  package var allowsLongSteps: Bool { false }
  package var lanes: (any LanedSumOfSquares)? { nil }

  /// The number p of coordinates.
  package var coordinateCount: Int { lowest.count }

  /// Returns the coordinates clamped to their bounds.
  func clamped(_ coordinates: [Double]) -> [Double] {
    let lowest = self.lowest
    let highest = self.highest
    let areWithin = coordinates.indices.allSatisfy {
      lowest[$0] <= coordinates[$0] && coordinates[$0] <= highest[$0]
    }
    if areWithin { return coordinates }
    return coordinates.indices.map { min(max(coordinates[$0], lowest[$0]), highest[$0]) }
  }

  /// Returns the sum of squares; infinite where the model cannot be evaluated.
  func value(at coordinates: [Double]) -> Double {
    let count = residualCount
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: max(1, count)) { memory in
      coordinates.withUnsafeBufferPointer { point in
        guard let residuals = memory.baseAddress, let point = point.baseAddress,
          write(residuals: residuals, at: point)
        else { return .infinity }
        return (0..<count).reduce(0) { $0 + residuals[$1] * residuals[$1] }
      }
    }
  }

  /// Returns half the gradient of the sum of squares; nil where the model cannot be evaluated.
  func gradient(at coordinates: [Double]) -> [Double]? {
    let columns = coordinateCount
    guard let residuals = residuals(at: coordinates),
      let jacobian = written(
        residualCount * columns, at: coordinates, { write(jacobian: $0, at: $1) })
    else { return nil }
    return (0..<columns).map { column in
      residuals.indices.reduce(0) { $0 + residuals[$1] * jacobian[$1 * columns + column] }
    }
  }

  /// Returns the residuals; nil where the model cannot be evaluated.
  func residuals(at coordinates: [Double]) -> [Double]? {
    written(residualCount, at: coordinates) { write(residuals: $0, at: $1) }
  }

  /// Returns the numbers that a function of the coordinates writes; nil if it returns false.
  func written(
    _ size: Int, at coordinates: [Double],
    _ body: (UnsafeMutablePointer<Double>, UnsafePointer<Double>) -> Bool
  ) -> [Double]? {
    var isWritten = false
    let values = [Double](unsafeUninitializedCapacity: max(1, size)) { buffer, count in
      guard let output = buffer.baseAddress else { return }
      output.initialize(repeating: 0, count: max(1, size))
      isWritten = coordinates.withUnsafeBufferPointer { input in
        input.baseAddress.map { body(output, $0) } ?? false
      }
      count = size
    }
    return isWritten ? values : nil
  }
}

extension LanedSumOfSquares {
  /// Returns the sums of squares at points within the bounds; NaN where the model cannot be evaluated.
  func values(at points: [Coordinates]) -> [Double] {
    let count = coordinateCount
    let size = count + NormalEquations.size(count)
    return withUnsafeTemporaryAllocation(of: Lanes.self, capacity: size) { memory in
      guard let coordinates = memory.baseAddress else { return [] }
      let equations = NormalEquations(count, coordinates + count)
      var values: [Double] = []
      values.reserveCapacity(points.count)
      for first in stride(from: 0, to: points.count, by: Lanes.scalarCount) {
        let block = points[first...].prefix(Lanes.scalarCount)
        memory.initialize(repeating: Lanes(repeating: .nan))
        for (lane, point) in block.enumerated() {
          for index in 0..<count { coordinates[index][lane] = point[index] }
        }
        accumulate(equations, at: coordinates, .warm)
        for lane in block.indices { values.append(equations.sumOfSquares[lane - first]) }
      }
      return values
    }
  }
}

/// The end of a descent.
package struct Minimum: Hashable, Sendable {
  /// The coordinates, within the bounds.
  package var coordinates: [Double]
  /// The sum of squared residuals there; NaN if the start could not be evaluated.
  package var objective: Double
  /// The reason why it ended.
  package var exit: DescentExit
  /// The number of iterations.
  package var iterations: Int
  /// True if the gradient is zero at the start.
  package var isStationary = false
  /// The coordinates at an active bound.
  package var atBound: CoordinateSet = []
  /// The method that found it, such as `"double_dogleg"`.
  package var method = ""
  /// (J^T J)^-1 of the coordinates that are not at a bound, row-major; nil before it was finished, and
  /// where the Jacobian is rank deficient.
  package var covariance: [Double]?
}
