import GSL
import Testing

@Suite("Arguments and covariance of the solver")
struct LeastSquaresSolverTests {
  @Test("A straight line matches the closed form")
  func straightLineMatchesClosedForm() throws {
    let x: [Double] = [0, 1, 2, 3, 4]
    let y = [1.1, 2.9, 5.2, 6.8, 9.1]
    let curve = Curve.line(x: x, y: y)
    let solver = try LeastSquaresSolver(residualCount: 5, parameterCount: 2)
    let fit = try solver.solve(curve.problem, from: [0, 0])

    func sum(_ term: (Int) -> Double) -> Double { x.indices.map(term).reduce(0, +) }
    let s = 5.0
    let sx = sum { x[$0] }
    let sy = sum { y[$0] }
    let sxx = sum { x[$0] * x[$0] }
    let sxy = sum { x[$0] * y[$0] }
    let determinant = s * sxx - sx * sx
    let slope = (s * sxy - sx * sy) / determinant
    let intercept = (sy - slope * sx) / s
    let rss = sum {
      (intercept + slope * x[$0] - y[$0]) * (intercept + slope * x[$0] - y[$0])
    }

    #expect(fit.exit.isConverged)
    #expect(correctDigits(fit.parameters, [intercept, slope]) > 12)
    #expect(correctDigits([fit.rss], [rss]) > 10)
    let covariance = try #require(fit.covariance)
    let expected = [sxx, -sx, -sx, s].map { $0 / determinant }
    #expect(correctDigits(covariance, expected) > 12)
    #expect(fit.degreesOfFreedom == 3)
    let errors = try #require(fit.standardErrors)
    #expect(correctDigits(errors, [0, 3].map { (expected[$0] * rss / 3).squareRoot() }) > 10)
  }

  @Test("Covariance is symmetric, and the condition does not depend on units")
  func conditionIsIndependentOfUnits() throws {
    let solver = try LeastSquaresSolver(residualCount: 4, parameterCount: 2)
    let x: [Double] = [0, 1, 2, 3]
    let y: [Double] = [1, 3, 4, 8]
    let hours = Curve.line(x: x, y: y)
    let minutes = Curve.line(x: x.map { 60 * $0 }, y: y)
    let a = try solver.solve(hours.problem, from: [0, 0])
    let b = try solver.solve(minutes.problem, from: [0, 0])
    let covariance = try #require(a.covariance)
    #expect(covariance[1] == covariance[2])
    let inHours = try #require(a.reciprocalCondition)
    let inMinutes = try #require(b.reciprocalCondition)
    #expect(abs(inHours - inMinutes) < 1e-12)
    #expect(inHours > 0.1 && inHours <= 1)
  }

  @Test("As many residuals as parameters leave no variance")
  func exactFitHasNoDegreesOfFreedom() throws {
    let curve = Curve.line(x: [0, 1], y: [1, 3])
    let solver = try LeastSquaresSolver(residualCount: 2, parameterCount: 2)
    let fit = try solver.solve(curve.problem, from: [0, 0])
    #expect(fit.exit.isConverged)
    #expect(fit.covariance != nil)
    #expect(fit.degreesOfFreedom == 0)
  }

  @Test(
    "Sizes without a solver",
    arguments: [
      (1, 2, "GSL_EINVAL"), (3, 0, "GSL_EINVAL"), (3, -1, "GSL_EINVAL"), (0, 0, "GSL_EINVAL"),
      (1 << 42, 1, "GSL_ENOMEM"), (Int.max, 2, "GSL_ENOMEM"), (Int.max, 1, "GSL_ENOMEM"),
    ])
  func invalidSizesAreErrors(_ n: Int, _ p: Int, _ name: String) {
    let error = #expect(throws: GSLError.self) {
      try LeastSquaresSolver(residualCount: n, parameterCount: p)
    }
    #expect(error?.name == name)
  }

  @Test("Invalid options are errors")
  func invalidOptionsAreErrors() {
    let inputs: [(LeastSquaresOptions, String)] = [
      (.init(stepTolerance: -1e-9), "GSL_EBADTOL"),
      (.init(stepTolerance: .nan), "GSL_EBADTOL"),
      (.init(gradientTolerance: 1), "GSL_EBADTOL"),
      (.init(iterationLimit: 0), "GSL_EINVAL"),
    ]
    for (options, name) in inputs {
      let error = #expect(throws: GSLError.self) {
        try LeastSquaresSolver(residualCount: 3, parameterCount: 2, options: options)
      }
      #expect(error?.name == name)
    }
  }

  @Test("Invalid starts and problems are errors")
  func invalidArgumentsAreErrors() throws {
    let curve = Curve.line(x: [0, 1, 2], y: [1, 3, 5])
    let solver = try LeastSquaresSolver(residualCount: 3, parameterCount: 2)
    let inputs: [([Double], String)] = [
      ([0], "GSL_EBADLEN"),
      ([0, 0, 0], "GSL_EBADLEN"),
      ([0, .nan], "GSL_EINVAL"),
      ([0, .infinity], "GSL_EINVAL"),
    ]
    for (start, name) in inputs {
      let error = #expect(throws: GSLError.self) {
        try solver.solve(curve.problem, from: start)
      }
      #expect(error?.name == name)
    }
    let larger = try LeastSquaresSolver(residualCount: 4, parameterCount: 2)
    let error = #expect(throws: GSLError.self) { try larger.solve(curve.problem, from: [0, 0]) }
    #expect(error?.name == "GSL_EBADLEN")
  }
}
