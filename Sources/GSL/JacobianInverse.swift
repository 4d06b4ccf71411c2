internal import CGSL

/// Computes (JᵀJ)⁻¹ and Gauss-Newton steps from a Jacobian J, in memory that is allocated once.
///
/// GSL's own `gsl_multifit_nlinear_covar` allocates on each call, answers zero for what the data do
/// not determine, and judges rank by units. Here the columns are scaled to length 1 first, so that
/// rank and condition number do not depend on the units of the parameters.
final class JacobianInverse {
  /// The reciprocal condition number of the last Jacobian, columns scaled to length 1.
  private(set) var reciprocalCondition = 0.0

  private let n: Int
  private let p: Int
  private let memory: UnsafeMutablePointer<Double>
  private let order: UnsafeMutablePointer<Int>

  /// (JᵀJ)⁻¹, row-major p × p.
  private let inverse: UnsafeMutablePointer<Double>

  /// The lengths of the p columns of J.
  private let lengths: UnsafeMutablePointer<Double>

  // GSL's views of the memory above: the scaled Jacobian and then its QR factor, and so on.
  private var factor: gsl_matrix
  private var inverseView: gsl_matrix
  private var tau: gsl_vector
  private var norms: gsl_vector
  private var scratch: gsl_vector
  private var step: gsl_vector
  private var remainder: gsl_vector
  private var permutation: gsl_permutation

  /// Allocates for Jacobians of n rows and p columns, n ≥ p ≥ 1.
  init(n: Int, p: Int) {
    self.n = n
    self.p = p
    memory = .allocate(capacity: n * p + p * p + 7 * p + n)
    order = .allocate(capacity: p)
    inverse = memory + n * p
    lengths = inverse + p * p
    factor = gsl_matrix_view_array(memory, n, p).matrix
    inverseView = gsl_matrix_view_array(inverse, p, p).matrix
    tau = gsl_vector_view_array(lengths + p, p).vector
    norms = gsl_vector_view_array(lengths + 2 * p, p).vector
    scratch = gsl_vector_view_array(lengths + 3 * p, 3 * p).vector
    step = gsl_vector_view_array(lengths + 6 * p, p).vector
    remainder = gsl_vector_view_array(lengths + 7 * p, n).vector
    permutation = gsl_permutation(size: p, data: order)
  }

  deinit {
    memory.deallocate()
    order.deallocate()
  }

  /// (JᵀJ)⁻¹ as last computed, row-major p × p.
  var values: [Double] {
    Array(UnsafeBufferPointer(start: inverse, count: p * p))
  }

  /// Computes (JᵀJ)⁻¹ by QR factorisation with column pivoting.
  ///
  /// - Parameter jacobian: n × p, finite.
  /// - Returns: false if the Jacobian is rank deficient; there is no inverse then.
  func compute(_ jacobian: UnsafePointer<gsl_matrix>) -> Bool {
    guard factorise(jacobian) else { return false }
    invert()
    return true
  }

  /// Factorises J with columns scaled to length 1; false if it is rank deficient.
  func factorise(_ jacobian: UnsafePointer<gsl_matrix>) -> Bool {
    reciprocalCondition = 0
    guard scaleColumns(of: jacobian) else { return false }
    var sign: Int32 = 0
    gsl_linalg_QRPT_decomp(&factor, &tau, &permutation, &sign, &norms)
    var estimate = 0.0
    gsl_linalg_QRPT_rcond(&factor, &estimate, &scratch)
    // The usual rank tolerance, as in LINPACK's descendants; NaN counts as deficient.
    guard estimate > Double(n) * .ulpOfOne else { return false }
    reciprocalCondition = estimate
    return true
  }

  /// Computes (JᵀJ)⁻¹ from the factors of J.
  func invert() {
    gsl_multifit_covar_QRPT(&factor, &permutation, 0, &inverseView)
    unscale()
  }

  /// Computes the s that minimises ‖J s + r‖ from the factors of J.
  ///
  /// - Parameter residuals: the n elements of r.
  /// - Returns: p elements, valid until the next call.
  func gaussNewtonStep(_ residuals: UnsafePointer<gsl_vector>) -> UnsafePointer<Double> {
    gsl_linalg_QRPT_lssolve(&factor, &tau, &permutation, residuals, &step, &remainder)
    let values = lengths + 6 * p
    for j in 0..<p {
      values[j] = -values[j] / lengths[j]
    }
    return UnsafePointer(values)
  }

  /// uᵀD²v for two vectors of p elements, D being the lengths of J's columns.
  func scaledProduct(_ u: UnsafePointer<Double>, _ v: UnsafePointer<Double>) -> Double {
    var sum = 0.0
    for j in 0..<p {
      sum += (lengths[j] * u[j]) * (lengths[j] * v[j])
    }
    return sum
  }

  /// vᵀ(JᵀJ)⁻¹v for a vector of p elements.
  func quadraticForm(_ vector: UnsafePointer<Double>) -> Double {
    var sum = 0.0
    for i in 0..<p {
      for j in 0..<p {
        sum += vector[i] * inverse[i * p + j] * vector[j]
      }
    }
    return sum
  }

  /// Copies the Jacobian with columns of length 1; false if that is impossible.
  private func scaleColumns(of jacobian: UnsafePointer<gsl_matrix>) -> Bool {
    guard let values = jacobian.pointee.data else { return false }
    let width = jacobian.pointee.tda
    for j in 0..<p {
      var column = gsl_matrix_const_column(jacobian, j).vector
      lengths[j] = gsl_blas_dnrm2(&column)
      guard lengths[j].isNormal else { return false }
      for i in 0..<n {
        memory[i * p + j] = values[i * width + j] / lengths[j]
      }
    }
    return true
  }

  /// Turns the inverse for scaled columns into the inverse for J itself.
  private func unscale() {
    for i in 0..<p {
      for j in 0..<p {
        inverse[i * p + j] /= lengths[i] * lengths[j]
      }
    }
  }
}
