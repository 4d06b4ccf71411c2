import GSL
import Testing

@Suite("Certified problems of NIST")
struct LeastSquaresNISTTests {
  @Test("Parameters and errors agree to 6 digits, rss to 9", arguments: CertifiedProblem.all)
  func certifiedValuesAreReached(_ certified: CertifiedProblem) throws {
    let curve = certified.curve
    let solver = try certified.solver()
    for start in certified.starts {
      let fit = try solver.solve(curve.problem, from: start)
      #expect(fit.exit.isConverged)
      #expect(correctDigits(fit.parameters, certified.parameters) >= 6)
      let standardErrors = try #require(fit.standardErrors)
      #expect(correctDigits(standardErrors, certified.standardErrors) >= 6)
      #expect(correctDigits([fit.rss], [certified.rss]) >= 9)
      #expect(fit.degreesOfFreedom == certified.x.count - certified.parameters.count)
    }
  }

  @Test("A trial step to where the model overflows is shortened")
  func overflowOnTheWayIsSurvived() throws {
    let boxBOD = CertifiedProblem.boxBOD
    let curve = boxBOD.curve
    let fit = try boxBOD.solver().solve(curve.problem, from: boxBOD.starts[0])
    #expect(fit.failedEvaluations > 0)
    #expect(fit.exit.isConverged)
  }

  @Test("A used solver gives the same bits as a new one", arguments: allOptions)
  func reusedSolverGivesTheSameFit(_ options: LeastSquaresOptions) throws {
    let rat43 = CertifiedProblem.rat43
    let curve = rat43.curve
    let used = try rat43.solver(options)
    for start in rat43.starts {
      // Leave step, damping, region and scaling of another solve behind.
      _ = try used.solve(
        curve.problem, from: start.map { 1.1 * $0 })
      let again = try used.solve(curve.problem, from: start)
      let fresh = try rat43.solver(options).solve(curve.problem, from: start)
      #expect(again == fresh)
    }
  }

  @Test("Every method, scaling and linear solver solves an easy problem", arguments: allOptions)
  func allOptionCombinationsConverge(_ options: LeastSquaresOptions) throws {
    // Misra1a in other units, so that both parameters are of size 1 and no scaling is at a loss.
    let curve = Curve.saturation
    let solver = try LeastSquaresSolver(residualCount: 6, parameterCount: 2, options: options)
    let fit = try solver.solve(curve.problem, from: [1, 1])
    #expect(fit.exit.isConverged)
    #expect(correctDigits(fit.parameters, [2, 0.5]) >= 7)
  }
}

extension LeastSquaresOptions: CustomTestStringConvertible {
  public var testDescription: String { "\(method) \(scaling) \(linearSolver)" }
}

/// Every combination of method, scaling and linear solver.
private let allOptions = LeastSquaresOptions.TrustRegionMethod.allCases.flatMap { method in
  LeastSquaresOptions.ParameterScaling.allCases.flatMap { scaling in
    LeastSquaresOptions.LinearSolver.allCases.map { linearSolver in
      LeastSquaresOptions(method: method, scaling: scaling, linearSolver: linearSolver)
    }
  }
}
