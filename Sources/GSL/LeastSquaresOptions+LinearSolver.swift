internal import CGSL

extension LeastSquaresOptions {
  /// How the linear least-squares system of each step is solved.
  public enum LinearSolver: String, CaseIterable, Hashable, Sendable {
    /// QR factorisation of the Jacobian with column pivoting.
    case qr

    /// Cholesky factorisation of the normal equations; fast, fails if they are singular.
    case cholesky

    /// Modified Cholesky factorisation of the normal equations; fast, and shifts singular ones.
    case modifiedCholesky

    /// Singular value decomposition of the Jacobian; slow and the most robust.
    case svd

    var gslType: UnsafePointer<gsl_multifit_nlinear_solver> {
      switch self {
      case .qr: cgsl_nlinear_solver_qr()
      case .cholesky: cgsl_nlinear_solver_cholesky()
      case .modifiedCholesky: cgsl_nlinear_solver_mcholesky()
      case .svd: cgsl_nlinear_solver_svd()
      }
    }
  }
}
