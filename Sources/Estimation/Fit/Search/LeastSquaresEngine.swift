/// What looks for the minima of a fit.
public enum FitEngine: String, CaseIterable, Codable, Hashable, Sendable {
  /// The Levenberg-Marquardt method on eight points at once; GSL finishes what is reported, and solves what
  /// does not converge.
  case lanes
  /// GNU GSL for everything.
  case gsl

  /// A new one, which keeps its memory for problems of the same size.
  package var made: any LeastSquaresEngine {
    switch self {
    case .lanes: LanesEngine()
    case .gsl: GSLEngine()
    }
  }
}

/// Minimises a sum of squares: a problem goes in, and out comes where it is least and how
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
  ///   - reach: How far from the minimum the start may be, and what is asked of it.
  /// - Throws: ``SeriesFailure/cancelled`` within one iteration after the task was cancelled,
  ///   ``SeriesFailure/solver(_:)`` if the solver could not be run.
  func minimum(
    of problem: any SumOfSquares, from start: [Double], holding held: CoordinateSet, reach: Reach
  ) throws(SeriesFailure) -> Minimum

  /// Descends from many starts; a minimum for each, as ``minimum(of:from:holding:reach:)`` would find it.
  func minima(
    of problem: any SumOfSquares, _ requests: [DescentRequest], reach: Reach
  ) throws(SeriesFailure) -> [Minimum]

  /// Descends in a sum of squares of which each request has its own data; nil if the engine does one after
  /// the other.
  func minima(
    of problem: any LanedSumOfSquares, each requests: [DescentRequest], reach: Reach
  ) throws(SeriesFailure) -> [Minimum]?

  /// Gives a minimum its last digits, if it converged, and its covariance.
  func finish(
    _ minimum: Minimum, of problem: any SumOfSquares
  ) throws(SeriesFailure) -> Minimum
}

/// One descent among many.
package struct DescentRequest: Hashable, Sendable {
  /// A coordinate for each parameter; put on its bound if it is beyond.
  package var start: [Double]
  /// Coordinates that stay where the start has them.
  package var held: CoordinateSet = []
}

/// Some of the coordinates of a problem, of which there are 64 at most.
package struct CoordinateSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// One coordinate, by its index.
  package init(_ index: Int) { rawValue = 1 << UInt64(index) }
  /// Some coordinates, by their indices.
  package init(_ indices: some Sequence<Int>) {
    rawValue = indices.reduce(0) { $0 | 1 << UInt64($1) }
  }

  /// Whether a coordinate is one of them.
  package func contains(_ index: Int) -> Bool { rawValue >> UInt64(index) & 1 == 1 }
}

extension LeastSquaresEngine {
  package func minima(
    of problem: any LanedSumOfSquares, each requests: [DescentRequest], reach: Reach
  ) throws(SeriesFailure) -> [Minimum]? { nil }

  package func minima(
    of problem: any SumOfSquares, _ requests: [DescentRequest], reach: Reach
  ) throws(SeriesFailure) -> [Minimum] {
    var minima: [Minimum] = []
    for request in requests {
      minima.append(
        try minimum(of: problem, from: request.start, holding: request.held, reach: reach))
    }
    return minima
  }

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
  /// Next to a minimum.
  case near
  /// Next to a minimum of which only the sum of squares matters, as along a profile.
  case along
  /// At a point from which another minimum than the nearest known one may be reached, if there is one; the last
  /// digits do not matter.
  case probing
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
    let (lowest, highest) = (lowest, highest)
    let areWithin = coordinates.indices.allSatisfy {
      lowest[$0] <= coordinates[$0] && coordinates[$0] <= highest[$0]
    }
    if areWithin { return coordinates }
    return coordinates.indices.map { min(max(coordinates[$0], lowest[$0]), highest[$0]) }
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
  /// Whether it is where it began because no coordinate that moves changes any residual there.
  package var isFlat = false
  /// The coordinates that stand at a bound and would go beyond it.
  package var atBound: CoordinateSet = []
  /// The method that found it, such as `"double_dogleg"`.
  package var method = ""
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
