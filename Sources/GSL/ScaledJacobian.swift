internal import CGSL

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
