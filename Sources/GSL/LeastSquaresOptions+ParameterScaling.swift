internal import CGSL

extension LeastSquaresOptions {
  /// The diagonal matrix D that makes parameters of different size comparable.
  public enum ParameterScaling: String, CaseIterable, Hashable, Sendable {
    /// Moré: the largest norm that each Jacobian column has had; does not depend on the units.
    case more

    /// Levenberg: the identity; for parameters of like size only.
    case levenberg

    /// Marquardt: the present norm of each Jacobian column; does not depend on the units.
    case marquardt

    var gslType: UnsafePointer<gsl_multifit_nlinear_scale> {
      switch self {
      case .more: cgsl_nlinear_scale_more()
      case .levenberg: cgsl_nlinear_scale_levenberg()
      case .marquardt: cgsl_nlinear_scale_marquardt()
      }
    }
  }
}
