import GSL
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Exits of a solve")
struct LeastSquaresExitTests {
  private let misra1a = CertifiedProblem.misra1a

  private func solve(
    _ options: LeastSquaresOptions = .init(),
    from start: [Double]? = nil,
    residuals: LeastSquaresProblem.Residuals? = nil,
    jacobian: LeastSquaresProblem.Jacobian? = nil
  ) throws -> LeastSquaresFit {
    let curve = Curve(
      x: misra1a.x, y: misra1a.y, parameterCount: 2, residuals: residuals ?? misra1a.residuals,
      jacobian: jacobian ?? misra1a.jacobian)
    return try misra1a.solver(options).solve(curve.problem, from: start ?? misra1a.starts[1])
  }

  @Test func smallStepConverges() throws {
    let fit = try solve(.init(stepTolerance: 1e-4))
    #expect(fit.exit == .smallStep)
    #expect(fit.exit.isConverged)
    #expect(fit.jacobianEvaluations == fit.iterations + 1)
  }

  @Test func smallGradientConverges() throws {
    let fit = try solve(.init(stepTolerance: 0, gradientTolerance: 1e-3))
    #expect(fit.exit == .smallGradient)
    #expect(fit.gradientNorm > 0)
  }

  @Test("A start without residuals is a minimum, and needs no iteration")
  func perfectStartEndsWithoutIteration() throws {
    let curve = Curve.line(x: [0, 1, 2], y: [1, 3, 5])
    let solver = try LeastSquaresSolver(residualCount: 3, parameterCount: 2)
    let fit = try solver.solve(curve.problem, from: [1, 2])
    #expect(fit.exit == .smallGradient)
    #expect(fit.iterations == 0)
    #expect(fit.rss == 0)
    #expect(fit.covariance != nil)
  }

  @Test("A start at the minimum ends at the rounding limit")
  func startAtMinimumEndsAtRoundingLimit() throws {
    let fit = try solve(from: solve().parameters)
    #expect(fit.exit == .roundingLimit)
    #expect(fit.exit.isConverged)
    #expect(fit.residualEvaluations == 17)
    #expect(fit.jacobianEvaluations == 1)
  }

  @Test("A Jacobian of the wrong sign ends without progress")
  func wrongJacobianEndsWithoutProgress() throws {
    let fit = try solve(jacobian: { b, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 2) { x, row in
        row[0] = exp(-b[1] * x) - 1
        row[1] = -b[0] * x * exp(-b[1] * x)
      }
    })
    #expect(fit.exit == .noProgress)
    #expect(!fit.exit.isConverged)
    #expect(fit.parameters == misra1a.starts[1])
  }

  @Test("Trial steps that all fail end in a lack of progress")
  func failedNeighbourhoodEndsTheSolve() throws {
    let fit = try solve(residuals: { b, context, residuals in
      guard b[0] == 250 else { return false }
      return Samples(context).writeResiduals(residuals) { x in b[0] * (1 - exp(-b[1] * x)) }
    })
    #expect(fit.exit == .noProgress)
    #expect(fit.failedEvaluations == 16)
  }

  @Test func iterationLimitEndsTheSolve() throws {
    let fit = try solve(.init(iterationLimit: 2))
    #expect(fit.exit == .iterationLimit)
    #expect(fit.iterations == 2)
    #expect(fit.covariance != nil)
  }

  @Test("A start that cannot be evaluated is reported")
  func failedStartIsReported() throws {
    let refusal: LeastSquaresProblem.Residuals = { _, _, _ in false }
    let notANumber: LeastSquaresProblem.Residuals = { _, context, residuals in
      Samples(context).writeResiduals(residuals) { x in x < 700 ? 0 : .nan }
    }
    let infinite: LeastSquaresProblem.Residuals = { _, context, residuals in
      Samples(context).writeResiduals(residuals) { x in x < 700 ? 0 : -.infinity }
    }
    for residuals in [refusal, notANumber, infinite] {
      let fit = try solve(residuals: residuals)
      #expect(fit.exit == .evaluationFailed)
      #expect(fit.parameters == misra1a.starts[1])
      #expect(fit.rss.isNaN)
      #expect(fit.gradientNorm.isNaN)
      #expect(fit.iterations == 0)
      #expect(fit.failedEvaluations == 1)
      #expect(fit.covariance == nil)
      #expect(fit.reciprocalCondition == nil)
    }
  }

  @Test("A Jacobian that fails at the start, or on the way, is reported")
  func failedJacobianIsReported() throws {
    let atStart = try solve(jacobian: { _, _, _ in false })
    #expect(atStart.exit == .evaluationFailed)
    #expect(atStart.rss.isNaN)

    let onTheWay = try solve(jacobian: { b, context, jacobian in
      Samples(context).writeJacobian(jacobian, columns: 2) { x, row in
        row[0] = b[0] == 250 ? 1 - exp(-b[1] * x) : .nan
        row[1] = b[0] * x * exp(-b[1] * x)
      }
    })
    #expect(onTheWay.exit == .evaluationFailed)
    #expect(onTheWay.parameters == misra1a.starts[1])
    #expect(onTheWay.rss > 0)
    #expect(onTheWay.covariance == nil)
  }

  @Test("Cholesky cannot solve a singular system, the modified one can")
  func singularSystemIsReported() throws {
    func solve(_ linearSolver: LeastSquaresOptions.LinearSolver) throws -> LeastSquaresFit {
      let curve = Curve.undetermined
      let solver = try LeastSquaresSolver(
        residualCount: 3, parameterCount: 2,
        options: .init(method: .subspace2D, linearSolver: linearSolver))
      return try solver.solve(curve.problem, from: [3, 1])
    }
    #expect(try solve(.cholesky).exit == .linearSolverFailed)
    let fit = try solve(.modifiedCholesky)
    #expect(abs(fit.parameters[0] + fit.parameters[1] - 17.0 / 14) < 1e-6)
    #expect(fit.covariance == nil)
    #expect(fit.reciprocalCondition == 0)
  }

  @Test("Raw values are stable")
  func exitsHaveTheirNames() {
    #expect(
      LeastSquaresExit.allCases.map(\.rawValue) == [
        "small_step", "small_gradient", "rounding_limit", "no_progress", "iteration_limit",
        "evaluation_failed", "linear_solver_failed", "cancelled",
      ])
    #expect(LeastSquaresExit.allCases.filter(\.isConverged).count == 3)
  }
}
