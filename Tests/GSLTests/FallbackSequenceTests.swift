import GSL
import Testing

@Suite("A sequence of solvers")
struct FallbackSequenceTests {
  private let misra1a = CertifiedProblem.misra1a
  private static let stages = [
    LeastSquaresOptions(), LeastSquaresOptions(method: .geodesicAcceleration, linearSolver: .qr),
  ]

  private func sequence(
    _ stages: [LeastSquaresOptions] = Self.stages
  ) throws -> FallbackSequence {
    try FallbackSequence(residualCount: 14, parameterCount: 2, stages: stages)
  }

  @Test("The first stage that converges is taken, and the work of all is counted")
  func secondStageFollowsAFailedFirst() throws {
    let curve = misra1a.curve
    let start = misra1a.starts[0]
    let hopeless = LeastSquaresOptions(iterationLimit: 2)
    let good = LeastSquaresOptions(method: .levenbergMarquardt)
    let fit = try sequence([hopeless, good, hopeless]).solve(
      curve.problem, from: start, finish: false)
    let first = try misra1a.solver(hopeless).solve(curve.problem, from: start, covariance: false)
    let second = try misra1a.solver(good).solve(curve.problem, from: start, covariance: false)
    #expect(fit.stage == 1)
    #expect(fit.exit == second.exit)
    #expect(fit.parameters == second.parameters)
    #expect(fit.iterations == 2 + second.iterations)
    #expect(fit.residualEvaluations == first.residualEvaluations + second.residualEvaluations)
    #expect(fit.jacobianEvaluations == first.jacobianEvaluations + second.jacobianEvaluations)
    #expect(fit.covariance == nil)
  }

  @Test("If no stage converges, the smallest sum of squares is the answer")
  func failedStagesLeaveTheBestFit() throws {
    let curve = misra1a.curve
    let limits = [1, 3, 2].map { LeastSquaresOptions(iterationLimit: $0) }
    let fit = try sequence(limits).solve(curve.problem, from: misra1a.starts[0])
    #expect(fit.stage == 1)
    #expect(fit.exit == .iterationLimit)
    #expect(fit.iterations == 6)
    #expect(fit.polishingSteps == 0)
    #expect(fit.covariance != nil)
  }

  @Test("If the data never determine the parameters, the first stage stays")
  func undeterminedProblemEndsWithoutStage() throws {
    let curve = Curve.undetermined
    let stages = [LeastSquaresOptions(), LeastSquaresOptions()]
    let sequence = try FallbackSequence(residualCount: 3, parameterCount: 2, stages: stages)
    let fit = try sequence.solve(curve.problem, from: [3, 1])
    #expect(fit.stage == 0)
    #expect(fit.exit.isConverged)
    #expect(abs(fit.parameters[0] + fit.parameters[1] - 17.0 / 14) < 1e-6)
    #expect(fit.covariance == nil)
  }

  @Test("A start that cannot be evaluated is tried once")
  func failedStartIsReported() throws {
    let curve = Curve(
      x: misra1a.x, y: misra1a.y, parameterCount: 2, residuals: { _, _, _ in false },
      jacobian: misra1a.jacobian)
    let fit = try sequence().solve(curve.problem, from: [1, 1])
    #expect(fit.exit == .evaluationFailed)
    #expect(fit.stage == 0)
    #expect(fit.failedEvaluations == 1)
    #expect(fit.covariance == nil)
  }

  @Test("Finishing afterwards is the same, bit for bit", arguments: CertifiedProblem.all)
  func finishingLaterGivesTheSameFit(_ certified: CertifiedProblem) throws {
    let curve = certified.curve
    let sequence = try FallbackSequence(
      residualCount: certified.x.count, parameterCount: certified.parameters.count,
      stages: Self.stages)
    for start in certified.starts {
      let whole = try sequence.solve(curve.problem, from: start)
      var fit = try sequence.solve(curve.problem, from: start, finish: false)
      try sequence.finish(&fit, of: curve.problem)
      #expect(fit == whole)
      #expect(correctDigits(fit.parameters, certified.parameters) >= 10)
    }
  }

  @Test func invalidArgumentsAreErrors() throws {
    let empty = #expect(throws: GSLError.self) { try sequence([]) }
    #expect(empty?.name == "GSL_EINVAL")
    let bad = #expect(throws: GSLError.self) { try sequence([.init(), .init(stepTolerance: 2)]) }
    #expect(bad?.name == "GSL_EBADTOL")
    let small = #expect(throws: GSLError.self) {
      try FallbackSequence(residualCount: 1, parameterCount: 2, stages: Self.stages)
    }
    #expect(small?.name == "GSL_EINVAL")
    let curve = misra1a.curve
    let start = #expect(throws: GSLError.self) { try sequence().solve(curve.problem, from: [1]) }
    #expect(start?.name == "GSL_EBADLEN")
  }
}
