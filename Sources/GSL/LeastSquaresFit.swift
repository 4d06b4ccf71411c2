/// The outcome of one solve.
package struct LeastSquaresFit: Equatable, Sendable {
  /// The p parameters at the last accepted point; the start if there is none.
  package internal(set) var parameters: [Double]

  /// The sum of squared residuals Σ rᵢ²; NaN if the start could not be evaluated.
  package internal(set) var rss: Double

  /// The largest |gᵢ| of g = Jᵀr, the gradient of ½ rss; NaN if the start could not be evaluated.
  package internal(set) var gradientNorm = Double.nan

  /// The number of residuals, minus p.
  package let degreesOfFreedom: Int

  /// The number of iterations, each of them one accepted step except perhaps the last.
  package internal(set) var iterations = 0

  /// The number of evaluations of the residuals.
  package internal(set) var residualEvaluations = 0

  /// The number of evaluations of the Jacobian.
  package internal(set) var jacobianEvaluations = 0

  /// The number of residual evaluations that failed, including those with parameters that are not finite.
  package internal(set) var failedEvaluations = 0

  /// The reason why the solve ended.
  package let exit: LeastSquaresExit

  /// The Gauss-Newton steps by which ``LeastSquaresSolver/polish(_:of:)`` improved the
  /// parameters afterwards.
  package internal(set) var polishingSteps = 0

  /// True if polishing ended although the next step is longer than the step tolerance.
  ///
  /// This happens next to a kink of the residuals, where Gauss-Newton steps fail but a descent may still lower the sum of
  /// squares.
  package internal(set) var isUnsettled = false

  /// The stage of a ``FallbackSequence`` that this fit comes from, 0 for the first one.
  package internal(set) var stage = 0

  /// The unscaled covariance (JᵀJ)⁻¹, row-major p × p.
  ///
  /// It is the covariance of the parameters if residuals are in known standard deviations. Nil if it was
  /// not requested, if the Jacobian at the solution is unknown, or if that is rank deficient.
  package internal(set) var covariance: [Double]?

  /// The reciprocal condition number of the Jacobian with columns scaled to length 1.
  ///
  /// Scaling makes it independent of the units of the parameters: 1 for parameters that do not
  /// interact, 0 for ones that the data cannot distinguish. An estimate in the 1-norm. Nil if no
  /// covariance was requested or the Jacobian at the solution is unknown.
  package internal(set) var reciprocalCondition: Double?
}

/// The reason why a solve ended.
///
/// Raw values are stable and may be stored in files.
package enum LeastSquaresExit: String, CaseIterable, Hashable, Sendable {
  /// The last step changed no parameter by more than the step tolerance.
  case smallStep = "small_step"

  /// The gradient of the sum of squares is within the gradient tolerance.
  case smallGradient = "small_gradient"

  /// Sixteen successively shorter steps failed, and the largest possible decrease is rounding.
  ///
  /// GSL reports this as `GSL_ENOPROG`. It differs from ``noProgress`` by the expected decrease of the linearised problem: gᵀ(JᵀJ)⁻¹g below 1e-10 of the sum of squares. The minimum is
  /// then within about 1e-5 √(n − p) standard errors. On the NIST problems, solved with the default
  /// options, the expected decrease is at most 1.5e-14.
  case roundingLimit = "rounding_limit"

  /// Sixteen successively shorter steps failed, although the linearised problem expects a decrease.
  ///
  /// GSL reports this as `GSL_ENOPROG`. The usual causes are a wrong Jacobian, a model with jumps,
  /// or a start near which the model can hardly be evaluated. GSL's driver continues after a later `GSL_ENOPROG`, assuming
  /// that the damping was reset; in 2.7 it is not.
  case noProgress = "no_progress"

  /// The allowed number of iterations is used up.
  case iterationLimit = "iteration_limit"

  /// The model cannot be evaluated at the start, or its Jacobian at a later point.
  ///
  /// Residuals that cannot be evaluated at a later point do not end the solve: the step is shortened.
  case evaluationFailed = "evaluation_failed"

  /// The linear system of a step could not be solved, as by Cholesky where it is singular.
  case linearSolverFailed = "linear_solver_failed"

  /// The task that the solve runs in was cancelled; no iteration was begun since.
  case cancelled

  /// True if the parameters are a local minimum by the tests of the solver.
  package var isConverged: Bool {
    switch self {
    case .smallStep, .smallGradient, .roundingLimit: true
    case .noProgress, .iterationLimit, .evaluationFailed, .linearSolverFailed, .cancelled: false
    }
  }
}
