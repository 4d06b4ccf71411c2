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

/// The singular value decomposition UΣVᵀ of a Jacobian whose columns are scaled to length 1.
struct ScaledJacobian {
  /// The lengths of the p columns; 1 for a column of zeros.
  let lengths: [Double]

  private let n: Int
  private let p: Int

  /// U, row-major n × p.
  private var left: [Double]

  /// V, row-major p × p.
  private var right: [Double]

  /// The singular values, the largest first.
  private var values: [Double]

  /// Decomposes a Jacobian of n × p finite entries, row-major, n ≥ p ≥ 1.
  init(_ jacobian: [Double], columns p: Int) throws(GSLError) {
    ErrorHandler.disable()
    guard p >= 1 else { throw .invalid("a Jacobian of \(p) columns") }
    guard jacobian.count.isMultiple(of: p) else {
      throw .badLength("\(jacobian.count) entries do not fill \(p) columns")
    }
    n = jacobian.count / p
    self.p = p
    guard n >= p else { throw .invalid("\(n) residuals cannot determine \(p) parameters") }
    let lengths = Self.lengths(of: jacobian, p)
    guard lengths.allSatisfy(\.isFinite) else { throw .invalid("a Jacobian that is not finite") }
    left = jacobian.indices.map { jacobian[$0] / lengths[$0 % p] }
    right = [Double](repeating: 0, count: p * p)
    values = [Double](repeating: 0, count: p)
    self.lengths = lengths
    try decompose()
  }

  /// The largest singular value over the smallest.
  var conditionNumber: Double {
    values[p - 1] > 0 ? values[0] / values[p - 1] : .infinity
  }

  /// The diagonal of UUᵀ, for the directions that are determined.
  var leverages: [Double] {
    (0..<n).map { i in
      (0..<p).reduce(0) { sum, k in
        isDetermined(k) ? sum + left[i * p + k] * left[i * p + k] : sum
      }
    }
  }

  /// VΣ⁻²Vᵀ, row-major p × p; nil if the Jacobian is rank deficient.
  var inverse: [Double]? {
    guard isDetermined(p - 1) else { return nil }
    return (0..<p * p).map { index in
      let (i, j) = index.quotientAndRemainder(dividingBy: p)
      return (0..<p).reduce(0) { sum, k in
        sum + (right[i * p + k] / values[k]) * (right[j * p + k] / values[k])
      }
    }
  }

  /// Whether a singular value is above rounding, with the tolerance of ``JacobianInverse``.
  private func isDetermined(_ k: Int) -> Bool {
    values[k] > Double(n) * .ulpOfOne * values[0]
  }

  private mutating func decompose() throws(GSLError) {
    let status = left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        values.withUnsafeMutableBufferPointer { values in
          var a = gsl_matrix_view_array(left.baseAddress, n, p).matrix
          var v = gsl_matrix_view_array(right.baseAddress, p, p).matrix
          var s = gsl_vector_view_array(values.baseAddress, p).vector
          return gsl_linalg_SV_decomp_jacobi(&a, &v, &s)
        }
      }
    }
    guard status == GSL_SUCCESS else {
      throw GSLError(code: status, reason: "the singular values cannot be computed")
    }
  }

  /// The length of each column; 1 for one too short to be scaled.
  private static func lengths(of jacobian: [Double], _ p: Int) -> [Double] {
    jacobian.withUnsafeBufferPointer { jacobian in
      (0..<p).map { j in
        guard let start = jacobian.baseAddress else { return 1 }
        var column = gsl_vector_const_view_array_with_stride(start + j, p, jacobian.count / p)
          .vector
        let length = gsl_blas_dnrm2(&column)
        return length.isNormal || !length.isFinite ? length : 1
      }
    }
  }
}
