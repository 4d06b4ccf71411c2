internal import CGSL

/// What a Jacobian tells about its fit: influence of the readings, and how parameters interact.
///
/// It is computed by singular value decomposition of the Jacobian with columns scaled to length 1,
/// so that rank and condition number do not depend on the units of the parameters.
///
/// Source: Belsley, Kuh and Welsch, "Regression Diagnostics" (1980), chapters 2 and 3; computed by
/// GSL's `gsl_linalg_SV_decomp_jacobi`, which is accurate for small singular values too.
public struct JacobianAnalysis: Equatable, Sendable {
  /// The n leverages, the diagonal of J(JᵀJ)⁻¹Jᵀ.
  ///
  /// Each is from 0 to 1, and their sum is the rank. Where the Jacobian is rank deficient they are
  /// those of the directions that the data determine.
  public let leverages: [Double]

  /// The largest singular value of the scaled Jacobian over its smallest, at least 1.
  ///
  /// Infinite if the smallest one is 0.
  public let conditionNumber: Double

  /// The unscaled covariance (JᵀJ)⁻¹, row-major p × p; nil if the Jacobian is rank deficient.
  public let covariance: [Double]?

  /// The correlation of the parameters, row-major p × p; nil if the Jacobian is rank deficient.
  public let correlation: [Double]?

  /// Analyses a Jacobian.
  ///
  /// It counts as rank deficient if the reciprocal of ``conditionNumber`` is at most n times the
  /// machine precision, the tolerance of ``LeastSquaresFit/covariance``.
  ///
  /// - Parameters:
  ///   - jacobian: n × p, row-major; its rows are weighted by √wᵢ if the fit was.
  ///   - columns: the number p of parameters, at least 1; n is at least p.
  /// - Throws: ``GSLError``: `GSL_EINVAL` for p < 1, n < p, or entries that are not finite,
  ///   `GSL_EBADLEN` unless p divides the number of entries, `GSL_ETOL` if the decomposition does
  ///   not converge.
  public init(of jacobian: [Double], columns: Int) throws(GSLError) {
    let scaled = try ScaledJacobian(jacobian, columns: columns)
    leverages = scaled.leverages
    conditionNumber = scaled.conditionNumber
    guard let inverse = scaled.inverse else {
      covariance = nil
      correlation = nil
      return
    }
    let p = columns
    let lengths = scaled.lengths
    let deviations = (0..<p).map { inverse[$0 * p + $0].squareRoot() }
    covariance = inverse.indices.map { inverse[$0] / (lengths[$0 / p] * lengths[$0 % p]) }
    correlation = inverse.indices.map { index in
      let (i, j) = index.quotientAndRemainder(dividingBy: p)
      return i == j ? 1 : inverse[index] / (deviations[i] * deviations[j])
    }
  }
}
