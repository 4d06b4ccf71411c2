/// Every way out of a solve.
///
/// | exit | converged | meaning |
/// |---|---|---|
/// | ``smallStep`` | yes | the last step was within the step tolerance |
/// | ``smallGradient`` | yes | the gradient is within the gradient tolerance |
/// | ``roundingLimit`` | yes | no step can do better, only rounding is left |
/// | ``noProgress`` | no | no step does better, though one should |
/// | ``iterationLimit`` | no | the allowed number of iterations is used up |
/// | ``evaluationFailed`` | no | the model cannot be evaluated where it must be |
/// | ``linearSolverFailed`` | no | the linear system of a step could not be solved |
///
/// The raw value is stable and fit for files.
public enum LeastSquaresExit: String, CaseIterable, Hashable, Sendable {
  /// The last step changed no parameter by more than the step tolerance.
  case smallStep = "small_step"

  /// The gradient of the sum of squares is within the gradient tolerance.
  case smallGradient = "small_gradient"

  /// Sixteen shorter and shorter steps failed, and the best conceivable gain is mere rounding.
  ///
  /// GSL reports this as `GSL_ENOPROG`. It is told from ``noProgress`` by the gain that the
  /// linearised problem promises: gᵀ(JᵀWJ)⁻¹g below 1e-10 of the sum of squares. The minimum is
  /// then within about 1e-5 √(n − p) standard errors. On the NIST problems, solved with the default
  /// options, the promise is at most 1.5e-14.
  case roundingLimit = "rounding_limit"

  /// Sixteen shorter and shorter steps failed, although the linearised problem promises a gain.
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

  /// Whether the parameters are a local minimum, as far as the solver can tell.
  public var isConverged: Bool {
    switch self {
    case .smallStep, .smallGradient, .roundingLimit: true
    case .noProgress, .iterationLimit, .evaluationFailed, .linearSolverFailed: false
    }
  }
}
