import FittingSupport
import GSL
import Testing

@testable import Estimation

/// A line a + b x through points, between bounds.
private final class Line: SumOfSquares {
  let lowest: [Double]
  let highest: [Double]
  let roundingError = 0.0
  let residualCount = 4
  /// Called at each evaluation of the Jacobian with the number of evaluations so far.
  var atJacobian: (Int) -> Void = { _ in }
  private(set) var jacobians = 0

  private let x: [Double] = [0, 1, 2, 3]
  private let y: [Double] = [1, 2, 4, 5]
  /// The curvature of the slope, so that more than one step is needed.
  private let bend: Double

  init(_ bounds: ClosedRange<Double> = -100...100, bend: Double = 0) {
    lowest = [-.infinity, bounds.lowerBound]
    highest = [.infinity, bounds.upperBound]
    self.bend = bend
  }

  private func slope(_ b: Double) -> Double {
    let inside = min(max(b, lowest[1]), highest[1])
    return inside + bend * inside * inside * inside
  }

  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    for row in x.indices {
      residuals[row] = coordinates[0] + slope(coordinates[1]) * x[row] - y[row]
    }
    return true
  }

  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    jacobians += 1
    atJacobian(jacobians)
    let b = coordinates[1]
    let isOutside = b < lowest[1] || b > highest[1]
    for row in x.indices {
      jacobian[2 * row] = 1
      jacobian[2 * row + 1] = isOutside ? 0 : (1 + 3 * bend * b * b) * x[row]
    }
    return true
  }
}

@Suite struct LeastSquaresEngineTests {
  private let engine = LeastSquaresEngine(.gsl)

  /// By hand: the mean of x is 1.5 and of y 3, the slope 7/5.
  @Test(arguments: StartKind.allCases)
  func engineFindsTheLine(startKind: StartKind) throws {
    let line = Line()
    let minimum = try engine.finish(
      engine.minimum(of: line, from: [0, 0], startKind: startKind), of: line)
    // Last digits are given until a step changes less than 1e-11.
    #expect(abs(minimum.coordinates[0] - 0.9) < 1e-10)
    #expect(abs(minimum.coordinates[1] - 1.4) < 1e-10)
    #expect(abs(minimum.objective - 0.2) < 1e-12)
    #expect(minimum.exit.isConverged && minimum.atBound.isEmpty)
    // (J^T J)^-1 of 4 points: sums 4, 6 and 14.
    let covariance = try #require(minimum.covariance)
    #expect(zip(covariance, [0.7, -0.3, -0.3, 0.2]).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  @Test func engineStopsAtABoundAndLeavesIt() throws {
    let low = try engine.finish(
      engine.minimum(of: Line(-1...1), from: [5, 0], startKind: .initial), of: Line(-1...1))
    #expect(low.coordinates[1] == 1 && low.atBound == CoordinateSet(1))
    #expect(abs(low.coordinates[0] - 1.5) < 1e-10)
    #expect(low.covariance?.count == 1)
    // From beyond its bound, but the minimum lies inside.
    let inside = try engine.minimum(of: Line(-1...2), from: [0, 9], startKind: .initial)
    #expect(inside.atBound.isEmpty && abs(inside.coordinates[1] - 1.4) < 1e-8)
  }

  @Test func heldCoordinatesDoNotMove() throws {
    let minimum = try engine.minimum(
      of: Line(), from: [0, 2], holding: CoordinateSet(1), startKind: .warm)
    #expect(minimum.coordinates[1] == 2)
    #expect(abs(minimum.coordinates[0]) < 1e-10)
    let all = try engine.minimum(
      of: Line(), from: [1, 1], holding: CoordinateSet([0, 1]), startKind: .warm)
    #expect(all.coordinates == [1, 1] && all.objective == 2)
  }

  /// Exits are printed by the names that the solver gives them.
  @Test func exitNamesMatchTheSolver() {
    let solver = Set(LeastSquaresExit.allCases.map(\.rawValue)).subtracting(["cancelled"])
    #expect(Set(DescentExit.allCases.map(\.rawValue)) == solver)
    for exit in DescentExit.allCases {
      #expect(LeastSquaresExit(rawValue: exit.rawValue)?.isConverged == exit.isConverged)
    }
  }

  @Test func aCancelledDescentEndsWithinOneIteration() async {
    let counts = await Task {
      let line = Line(bend: 0.5)
      let whole = try? LeastSquaresEngine(.gsl).minimum(of: line, from: [0, 9], startKind: .warm)
      let needed = line.jacobians
      line.atJacobian = { count in
        if count == needed + 3 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      let failure = #expect(throws: SeriesFailure.self) {
        try LeastSquaresEngine(.gsl).minimum(of: line, from: [0, 9], startKind: .warm)
      }
      #expect(whole != nil && failure == .cancelled)
      return (needed, line.jacobians - needed)
    }.value
    #expect(counts.0 > 5)
    #expect(counts.1 <= 4)
  }

  @Test func cancelledFitReportsCancellation() async throws {
    let series = try NoisySeries.series(seed: 5, count: 30)
    let failure = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return #expect(throws: SeriesFailure.self) { try SeriesFitter().fit(series) }
    }.value
    #expect(failure?.code == "E_CANCELLED")
  }
}
