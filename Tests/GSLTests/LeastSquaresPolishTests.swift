import GSL
import Testing

@Suite("Polishing a fit")
struct LeastSquaresPolishTests {
  /// Certified values of 11 digits agree to 10.3 at best, where they begin with a 1.
  @Test("A polish gives parameters and errors to 10 digits", arguments: CertifiedProblem.all)
  func polishingReachesCertifiedDigits(_ certified: CertifiedProblem) throws {
    let curve = certified.curve
    let solver = try certified.solver()
    for start in certified.starts {
      let plain = try solver.solve(curve.problem, from: start, covariance: false)
      var fit = plain
      try solver.polish(&fit, of: curve.problem)
      #expect(correctDigits(fit.parameters, certified.parameters) >= 10)
      let standardErrors = try #require(fit.standardErrors)
      #expect(correctDigits(standardErrors, certified.standardErrors) >= 10)
      #expect(correctDigits([fit.rss], [certified.rss]) >= 10)
      #expect(fit.rss <= plain.rss * (1 + 1e-10))
      #expect(fit.polishingSteps <= 3)
      // One evaluation to begin with, one per step, and one more if the last step was taken back.
      let evaluations = fit.jacobianEvaluations - plain.jacobianEvaluations
      #expect((fit.polishingSteps + 1...fit.polishingSteps + 3).contains(evaluations))
    }
  }

  @Test("A second polish changes nothing but the count")
  func polishingTwiceChangesNothing() throws {
    let curve = Curve.line(x: [0, 1, 2, 3], y: [1, 3, 4, 8])
    let solver = try LeastSquaresSolver(residualCount: 4, parameterCount: 2)
    var fit = try solver.solve(curve.problem, from: [0, 0])
    let plain = fit
    try solver.polish(&fit, of: curve.problem)
    #expect(correctDigits(fit.parameters, plain.parameters) > 13)
    #expect(fit.rss == plain.rss)
    #expect(fit.covariance == plain.covariance)
    let once = fit
    try solver.polish(&fit, of: curve.problem)
    #expect(fit.parameters == once.parameters)
    #expect(fit.polishingSteps == 0 && !fit.isUnsettled)
    #expect(fit.jacobianEvaluations == once.jacobianEvaluations + 1)
  }

  @Test("A fit that has not converged stays where it is, and gets its covariance")
  func unconvergedFitIsNotPolished() throws {
    let misra1a = CertifiedProblem.misra1a
    let curve = misra1a.curve
    let solver = try misra1a.solver(.init(iterationLimit: 2))
    let whole = try solver.solve(curve.problem, from: misra1a.starts[0])
    var fit = try solver.solve(curve.problem, from: misra1a.starts[0], covariance: false)
    #expect(fit.exit == .iterationLimit)
    try solver.polish(&fit, of: curve.problem)
    #expect(fit == whole)
  }

  @Test("A wrong Jacobian leaves the fit as it was")
  func wrongJacobianDoesNotWorsenTheFit() throws {
    // Half the true derivatives, so that a Gauss-Newton step ends as far beyond the minimum as it
    // began before it.
    let curve = Curve(
      x: [1, 2, 3], y: [2, 4, 7], parameterCount: 1,
      residuals: { b, context, residuals in
        Samples(context).writeResiduals(residuals) { x in b[0] * x }
      },
      jacobian: { _, context, jacobian in
        Samples(context).writeJacobian(jacobian, columns: 1) { x, row in row[0] = 0.5 * x }
      })
    // So loose that the first point passes for converged.
    let options = LeastSquaresOptions(gradientTolerance: 0.9)
    let solver = try LeastSquaresSolver(residualCount: 3, parameterCount: 1, options: options)
    var fit = try solver.solve(curve.problem, from: [2.2], covariance: false)
    let before = fit
    #expect(before.exit == .smallGradient)
    try solver.polish(&fit, of: curve.problem)
    #expect(fit.parameters == before.parameters)
    #expect(fit.rss == before.rss)
    #expect(fit.polishingSteps == 0)
    #expect(fit.isUnsettled && !before.isUnsettled)
    #expect(fit.gradientNorm == before.gradientNorm)
  }

  @Test("A singular fit is not moved")
  func singularFitIsNotPolished() throws {
    let curve = Curve.undetermined
    let solver = try LeastSquaresSolver(residualCount: 3, parameterCount: 2)
    let plain = try solver.solve(curve.problem, from: [3, 1])
    var fit = plain
    try solver.polish(&fit, of: curve.problem)
    #expect(fit == plain)
    #expect(fit.covariance == nil)
    #expect(fit.reciprocalCondition == 0)
  }
}
