internal import CGSL

extension LeastSquaresOptions {
  /// How a step is chosen inside the trust region.
  public enum TrustRegionMethod: String, CaseIterable, Hashable, Sendable {
    /// Levenberg and Marquardt's damped step, damping updated by Nielsen's rule.
    case levenbergMarquardt

    /// Levenberg-Marquardt with Transtrum and Sethna's geodesic acceleration.
    ///
    /// It takes fewer Jacobians and one more residual evaluation per trial step.
    case geodesicAcceleration

    /// Powell's dogleg between the steepest-descent and the Gauss-Newton step.
    case dogleg

    /// Dennis and Mei's double dogleg, which leans towards the Gauss-Newton step.
    case doubleDogleg

    /// The best step in the plane of the steepest-descent and the Gauss-Newton step.
    case subspace2D

    var gslType: UnsafePointer<gsl_multifit_nlinear_trs> {
      switch self {
      case .levenbergMarquardt: cgsl_nlinear_trs_lm()
      case .geodesicAcceleration: cgsl_nlinear_trs_lmaccel()
      case .dogleg: cgsl_nlinear_trs_dogleg()
      case .doubleDogleg: cgsl_nlinear_trs_ddogleg()
      case .subspace2D: cgsl_nlinear_trs_subspace2D()
      }
    }
  }
}
