/// The door to a minimum of a sum of squares: a problem goes in, and out comes where it is least and how
/// that was found out.
///
/// Fits, profiles, bootstrap replicates, the benchmark's kernel and the certification on NIST's problems
/// all go through it: descend, and ``finish(_:of:)`` what is reported.
package protocol LeastSquaresEngine: AnyObject {
  /// Descends from a start to a minimum within the bounds of a problem.
  ///
  /// That no descent converges, or that the model cannot be evaluated at the start, is no error but an
  /// outcome: see ``Minimum/exit``.
  ///
  /// - Parameters:
  ///   - problem: What to minimise.
  ///   - start: A coordinate for each parameter; put on its bound if it is beyond.
  ///   - held: Coordinates that stay where the start has them.
  ///   - reach: How far from the minimum the start may be.
  /// - Throws: ``SeriesFailure/cancelled`` within one iteration after the task was cancelled,
  ///   ``SeriesFailure/solver(_:)`` if the solver could not be run.
  func minimum(
    of problem: any SumOfSquares, from start: [Double], holding held: Set<Int>, reach: Reach
  ) throws(SeriesFailure) -> Minimum

  /// Gives a minimum its last digits, if it converged, and its covariance.
  func finish(
    _ minimum: Minimum, of problem: any SumOfSquares
  ) throws(SeriesFailure) -> Minimum
}

extension LeastSquaresEngine {
  /// Descends with no coordinate held.
  package func minimum(
    of problem: any SumOfSquares, from start: [Double], reach: Reach
  ) throws(SeriesFailure) -> Minimum {
    try minimum(of: problem, from: start, holding: [], reach: reach)
  }
}

/// How far from a minimum a descent begins, which decides by which method it is tried first.
package enum Reach: CaseIterable, Sendable {
  /// At a start of a search.
  case far
  /// Next to a minimum, as along a profile.
  case near
}

/// A sum of squared residuals, seen as numbers only, between bounds of its coordinates.
///
/// Beyond a bound the residuals stay as they are at the bound.
package protocol SumOfSquares: AnyObject {
  /// The number n of residuals.
  var residualCount: Int { get }
  /// The lowest value of each of the p coordinates; minus infinity for none.
  var lowest: [Double] { get }
  /// The highest value of each coordinate.
  var highest: [Double] { get }
  /// Below this a sum of squares is rounding.
  var roundingError: Double { get }
  /// Writes n residuals at p finite coordinates; false where the model cannot be evaluated.
  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool
  /// Writes the n x p derivatives, row-major; false where they cannot be evaluated.
  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool
}

extension SumOfSquares {
  /// The number p of coordinates.
  package var coordinateCount: Int { lowest.count }

  /// The coordinates, each kept in its bounds.
  func clamped(_ coordinates: [Double]) -> [Double] {
    coordinates.indices.map { min(max(coordinates[$0], lowest[$0]), highest[$0]) }
  }

  /// The sum of squares; infinite where the model cannot be evaluated.
  func value(at coordinates: [Double]) -> Double {
    residuals(at: coordinates)?.reduce(0) { $0 + $1 * $1 } ?? .infinity
  }

  /// Half the gradient of the sum of squares; nil where the model cannot be evaluated.
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

  private func residuals(at coordinates: [Double]) -> [Double]? {
    written(residualCount, at: coordinates) { write(residuals: $0, at: $1) }
  }

  /// What a function of the coordinates writes; nil if it cannot.
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

/// Where a descent ended.
package struct Minimum: Hashable, Sendable {
  /// Within the bounds.
  package var coordinates: [Double]
  /// The sum of squared residuals there; NaN if the start could not be evaluated.
  package var objective: Double
  /// How it ended.
  package var exit: DescentExit
  /// Iterations in all.
  package var iterations: Int
  /// The coordinates that stand at a bound and would go beyond it.
  package var atBound: Set<Int> = []
  /// The method that found it, such as `"double_dogleg"`.
  package var method = ""
  /// How many steps gave it its last digits; nil before it was finished.
  package var polishingSteps: Int?
  /// (J^T J)^-1 of the coordinates that are not at a bound, row-major; nil before it was finished, and
  /// where the Jacobian is rank deficient.
  package var covariance: [Double]?
}

/// Every way out of a descent.
///
/// The raw value is stable and fit for files.
public enum DescentExit: String, CaseIterable, Codable, Hashable, Sendable {
  /// Converged: the last step changed no parameter by more than the step tolerance.
  case smallStep = "small_step"
  /// Converged: the gradient is within its tolerance.
  case smallGradient = "small_gradient"
  /// Converged: no step can do better, only rounding is left.
  case roundingLimit = "rounding_limit"
  /// No step does better, though one should.
  case noProgress = "no_progress"
  /// The allowed number of iterations is used up.
  case iterationLimit = "iteration_limit"
  /// The model cannot be evaluated where it must be.
  case evaluationFailed = "evaluation_failed"
  /// The linear system of a step could not be solved.
  case linearSolverFailed = "linear_solver_failed"

  /// Whether it ended in a local minimum, as far as can be told.
  public var isConverged: Bool {
    switch self {
    case .smallStep, .smallGradient, .roundingLimit: true
    case .noProgress, .iterationLimit, .evaluationFailed, .linearSolverFailed: false
    }
  }
}
