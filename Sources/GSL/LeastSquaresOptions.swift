internal import CGSL

/// The method of a nonlinear least-squares solver, and its stopping criteria.
///
/// The defaults were chosen on the 27 NIST StRD problems from both starts each, with all 60
/// combinations of method, scaling and linear solver. The default combination finds 53 of the 54
/// certified solutions and reports no wrong point as converged; the one it misses, MGH17 from its far
/// start, ends in ``LeastSquaresExit/noProgress`` (a ``FallbackSequence`` finds that, too). The
/// Levenberg-Marquardt method needs 1.4 times as many residuals and twice as many Jacobians, and
/// finds 51. The dogleg and subspace methods do as well as the default. Levenberg's scaling reports up
/// to eleven wrong points as converged.
///
/// There is no tolerance on the change of the sum of squares: the test in GSL 2.7 ignores its
/// `ftol`.
package struct LeastSquaresOptions: Hashable, Sendable {
  /// The method of choosing a step inside the trust region.
  package var method: TrustRegionMethod

  /// The scaling of parameters of different size.
  package var scaling: ParameterScaling

  /// The solver of the linear system of each step.
  package var linearSolver: LinearSolver

  /// Stop when every parameter changes by less than `xtol (xtol + |parameter|)`.
  ///
  /// The default is 1e-8. Steps below the square root of the machine precision, 1.5e-8, hardly change
  /// the sum of squares: a stricter tolerance gains no digits, and makes more solves
  /// end in ``LeastSquaresExit/roundingLimit`` after sixteen useless steps. With 1e-7 small fits take
  /// a sixth less time, but Levenberg-Marquardt, plain or accelerated, then reports one wrong point of
  /// the NIST problems as converged.
  package var stepTolerance: Double

  /// Stop when `max |gᵢ| max(pᵢ, 1)` is at most `gtol max(½ rss, 1)`, g the gradient of ½ rss.
  ///
  /// The default is 0: stop only where the gradient vanishes. GSL's test compares with an absolute
  /// 1 wherever rss < 2, so that residuals in small units look converged too early. With the 6e-6
  /// of GSL's manual, 2 of the 54 NIST solves by the default method end at a wrong point, and 10 by
  /// geodesic acceleration.
  package var gradientTolerance: Double

  /// Stop after this many accepted steps.
  package var iterationLimit: Int

  /// Creates options, with the defaults chosen on the NIST problems.
  ///
  /// The values are checked by ``LeastSquaresSolver/init(residualCount:parameterCount:options:)``.
  package init(
    method: TrustRegionMethod = .doubleDogleg,
    scaling: ParameterScaling = .more,
    linearSolver: LinearSolver = .modifiedCholesky,
    stepTolerance: Double = 1e-8,
    gradientTolerance: Double = 0,
    iterationLimit: Int = 500
  ) {
    self.method = method
    self.scaling = scaling
    self.linearSolver = linearSolver
    self.stepTolerance = stepTolerance
    self.gradientTolerance = gradientTolerance
    self.iterationLimit = iterationLimit
  }

  /// Throws `GSL_EBADTOL` or `GSL_EINVAL` for an invalid value.
  func validate() throws(GSLError) {
    for (tolerance, name) in [(stepTolerance, "step"), (gradientTolerance, "gradient")] {
      guard tolerance >= 0, tolerance < 1 else {
        throw GSLError(
          code: Int32(GSL_EBADTOL), reason: "\(name) tolerance \(tolerance) is not in [0, 1)")
      }
    }
    guard iterationLimit >= 1 else {
      throw .invalid("iteration limit \(iterationLimit) is below 1")
    }
  }

  /// The options as parameters of GSL; all others keep GSL's defaults.
  var gslParameters: gsl_multifit_nlinear_parameters {
    var parameters = gsl_multifit_nlinear_default_parameters()
    parameters.trs = method.gslType
    parameters.scale = scaling.gslType
    parameters.solver = linearSolver.gslType
    return parameters
  }
}

extension LeastSquaresOptions {
  /// The method of choosing a step inside the trust region.
  package enum TrustRegionMethod: String, CaseIterable, Hashable, Sendable {
    /// The damped step of Levenberg-Marquardt, damping updated by Nielsen's rule.
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

extension LeastSquaresOptions {
  /// The diagonal matrix D that makes parameters of different size comparable.
  package enum ParameterScaling: String, CaseIterable, Hashable, Sendable {
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

extension LeastSquaresOptions {
  /// The solver of the linear least-squares system of each step.
  package enum LinearSolver: String, CaseIterable, Hashable, Sendable {
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
