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

  /// How often the residuals were evaluated.
  package internal(set) var residualEvaluations = 0

  /// How often the Jacobian was evaluated.
  package internal(set) var jacobianEvaluations = 0

  /// How many of the residual evaluations failed, or were refused for parameters not finite.
  package internal(set) var failedEvaluations = 0

  /// Why the solve ended.
  package let exit: LeastSquaresExit

  /// The Gauss-Newton steps by which ``LeastSquaresSolver/polish(_:of:)`` improved the
  /// parameters afterwards.
  package internal(set) var polishingSteps = 0

  /// Whether polishing was given up although a step was left that is longer than the step tolerance.
  ///
  /// So it is next to a kink of the residuals, where a Gauss-Newton step, which believes them smooth, goes astray
  /// but a descent may still get on.
  package internal(set) var isUnsettled = false

  /// The stage of a ``FallbackSequence`` that this fit comes from, 0 for the first one.
  package internal(set) var stage = 0

  /// The unscaled covariance (JᵀJ)⁻¹, row-major p × p.
  ///
  /// It is the covariance of the parameters if residuals are in known standard deviations. Nil if it was
  /// not asked for, if the Jacobian at the solution is unknown, or if that is rank deficient.
  package internal(set) var covariance: [Double]?

  /// The reciprocal condition number of the Jacobian with columns scaled to length 1.
  ///
  /// Scaling makes it independent of the units of the parameters: 1 for parameters that do not
  /// interact, 0 for ones that the data cannot tell apart. An estimate in the 1-norm. Nil if no
  /// covariance was asked for or the Jacobian at the solution is unknown.
  package internal(set) var reciprocalCondition: Double?
}

/// Every way out of a solve.
///
/// The raw value is stable and fit for files.
package enum LeastSquaresExit: String, CaseIterable, Hashable, Sendable {
  /// The last step changed no parameter by more than the step tolerance.
  case smallStep = "small_step"

  /// The gradient of the sum of squares is within the gradient tolerance.
  case smallGradient = "small_gradient"

  /// Sixteen shorter and shorter steps failed, and the best conceivable gain is mere rounding.
  ///
  /// GSL reports this as `GSL_ENOPROG`. It is told from ``noProgress`` by the gain that the
  /// linearised problem expects: gᵀ(JᵀJ)⁻¹g below 1e-10 of the sum of squares. The minimum is
  /// then within about 1e-5 √(n − p) standard errors. On the NIST problems, solved with the default
  /// options, the expected decrease is at most 1.5e-14.
  case roundingLimit = "rounding_limit"

  /// Sixteen shorter and shorter steps failed, although the linearised problem expects a decrease.
  ///
  /// GSL reports this as `GSL_ENOPROG`. The usual causes are a wrong Jacobian, a model with jumps,
  /// or a start from where the model can hardly be evaluated at all. GSL's driver goes on after a
  /// later `GSL_ENOPROG`, in the belief that the damping was reset; in 2.7 nobody resets it.
  case noProgress = "no_progress"

  /// The allowed number of iterations is used up.
  case iterationLimit = "iteration_limit"

  /// The model cannot be evaluated at the start, or its Jacobian at a point on the way.
  ///
  /// Residuals that cannot be evaluated on the way do not end the solve: the step is shortened.
  case evaluationFailed = "evaluation_failed"

  /// The linear system of a step could not be solved, as by Cholesky where it is singular.
  case linearSolverFailed = "linear_solver_failed"

  /// The task that the solve runs in was cancelled; no iteration was begun since.
  case cancelled

  /// Whether the parameters are a local minimum, as far as the solver can tell.
  package var isConverged: Bool {
    switch self {
    case .smallStep, .smallGradient, .roundingLimit: true
    case .noProgress, .iterationLimit, .evaluationFailed, .linearSolverFailed, .cancelled: false
    }
  }
}
