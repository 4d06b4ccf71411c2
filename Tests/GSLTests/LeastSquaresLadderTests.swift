import GSL
import Testing

@Suite("A ladder of solvers")
struct LeastSquaresLadderTests {
  private let misra1a = CertifiedProblem.misra1a
  private static let rungs = [
    LeastSquaresOptions(), LeastSquaresOptions(method: .geodesicAcceleration, linearSolver: .qr),
  ]

  private func ladder(
    _ rungs: [LeastSquaresOptions] = Self.rungs
  ) throws -> LeastSquaresLadder {
    try LeastSquaresLadder(residualCount: 14, parameterCount: 2, rungs: rungs)
  }

  @Test("The first rung that converges is taken, and the work of all is counted")
  func secondRung() throws {
    let curve = misra1a.curve
    let start = misra1a.starts[0]
    let hopeless = LeastSquaresOptions(iterationLimit: 2)
    let good = LeastSquaresOptions(method: .levenbergMarquardt)
    let fit = try ladder([hopeless, good, hopeless]).solve(
      curve.problem, from: start, finish: false)
    let first = try misra1a.solver(hopeless).solve(curve.problem, from: start, covariance: false)
    let second = try misra1a.solver(good).solve(curve.problem, from: start, covariance: false)
    #expect(fit.rung == 1)
    #expect(fit.exit == second.exit)
    #expect(fit.parameters == second.parameters)
    #expect(fit.iterations == 2 + second.iterations)
    #expect(fit.residualEvaluations == first.residualEvaluations + second.residualEvaluations)
    #expect(fit.jacobianEvaluations == first.jacobianEvaluations + second.jacobianEvaluations)
    #expect(fit.covariance == nil)
  }

  @Test("If no rung converges, the smallest sum of squares is the answer")
  func noRung() throws {
    let curve = misra1a.curve
    let limits = [1, 3, 2].map { LeastSquaresOptions(iterationLimit: $0) }
    let fit = try ladder(limits).solve(curve.problem, from: misra1a.starts[0])
    #expect(fit.rung == 1)
    #expect(fit.exit == .iterationLimit)
    #expect(fit.iterations == 6)
    #expect(fit.polishingSteps == 0)
    #expect(fit.covariance != nil)
  }

  @Test("If the data never determine the parameters, the first rung stays")
  func neverDetermined() throws {
    let curve = Curve.undetermined
    let rungs = [LeastSquaresOptions(), LeastSquaresOptions()]
    let ladder = try LeastSquaresLadder(residualCount: 3, parameterCount: 2, rungs: rungs)
    let fit = try ladder.solve(curve.problem, from: [3, 1])
    #expect(fit.rung == 0)
    #expect(fit.exit.isConverged)
    #expect(abs(fit.parameters[0] + fit.parameters[1] - 17.0 / 14) < 1e-6)
    #expect(fit.covariance == nil)
  }

  @Test("A start that cannot be evaluated is tried once")
  func failedStart() throws {
    let curve = Curve(
      x: misra1a.x, y: misra1a.y, parameterCount: 2, residuals: { _, _, _ in false },
      jacobian: misra1a.jacobian)
    let fit = try ladder().solve(curve.problem, from: [1, 1])
    #expect(fit.exit == .evaluationFailed)
    #expect(fit.rung == 0)
    #expect(fit.failedEvaluations == 1)
    #expect(fit.covariance == nil)
  }

  @Test("Finishing afterwards is the same, bit for bit", arguments: CertifiedProblem.all)
  func finishAfterwards(_ certified: CertifiedProblem) throws {
    let curve = certified.curve
    let ladder = try LeastSquaresLadder(
      residualCount: certified.x.count, parameterCount: certified.parameters.count,
      rungs: Self.rungs)
    for start in certified.starts {
      let whole = try ladder.solve(curve.problem, from: start)
      var fit = try ladder.solve(curve.problem, from: start, finish: false)
      try ladder.finish(&fit, of: curve.problem)
      #expect(fit == whole)
      #expect(correctDigits(fit.parameters, certified.parameters) >= 10)
    }
  }

  @Test func errors() throws {
    let empty = #expect(throws: GSLError.self) { try ladder([]) }
    #expect(empty?.name == "GSL_EINVAL")
    let bad = #expect(throws: GSLError.self) { try ladder([.init(), .init(stepTolerance: 2)]) }
    #expect(bad?.name == "GSL_EBADTOL")
    let small = #expect(throws: GSLError.self) {
      try LeastSquaresLadder(residualCount: 1, parameterCount: 2, rungs: Self.rungs)
    }
    #expect(small?.name == "GSL_EINVAL")
    let curve = misra1a.curve
    let start = #expect(throws: GSLError.self) { try ladder().solve(curve.problem, from: [1]) }
    #expect(start?.name == "GSL_EBADLEN")
  }
}
