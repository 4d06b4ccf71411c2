internal import CGSL

/// Computes (JᵀJ)⁻¹ and Gauss-Newton steps from a Jacobian J, in memory that is allocated once.
///
/// GSL's own `gsl_multifit_nlinear_covar` allocates on each call, returns zeros for undetermined parameters, and its rank
/// depends on units. Here the columns are scaled to length 1 first, so that
/// rank and condition number do not depend on the units of the parameters.
final class JacobianInverse {
  /// The reciprocal condition number of the last Jacobian, columns scaled to length 1, in the 1-norm.
  private(set) var reciprocalCondition = 0.0

  private let n: Int
  private let p: Int
  private let memory: UnsafeMutablePointer<Double>
  /// The QR factorisation of the scaled Jacobian.
  private let factor: OrthogonalColumns
  /// R⁻¹, row-major p × p.
  private let root: UnsafeMutablePointer<Double>
  /// The lengths of the p columns of J.
  private let lengths: UnsafeMutablePointer<Double>
  /// The part of n residuals that is not in the span of J.
  private let remainder: UnsafeMutablePointer<Double>

  /// Allocates for Jacobians of n rows and p columns, n ≥ p ≥ 1.
  init(n: Int, p: Int) {
    self.n = n
    self.p = p
    let size = OrthogonalColumns.size(n: n, p: p)
    memory = .allocate(capacity: size + p * p + p + n)
    factor = OrthogonalColumns(n: n, p: p, in: memory)
    root = memory + size
    lengths = root + p * p
    remainder = lengths + p
  }

  deinit {
    memory.deallocate()
  }

  /// (JᵀJ)⁻¹ of the last Jacobian, row-major p × p; it must have full rank.
  var values: [Double] {
    [Double](unsafeUninitializedCapacity: p * p) { values, count in
      for i in 0..<p {
        for j in 0..<p { values[i * p + j] = element(i, j) }
      }
      count = p * p
    }
  }

  /// Factorises J with columns scaled to length 1; false if it is rank deficient.
  func factorise(_ jacobian: UnsafePointer<gsl_matrix>) -> Bool {
    reciprocalCondition = 0
    guard scaleColumns(of: jacobian) else { return false }
    factor.factorise()
    guard invert() else { return false }
    let estimate = 1 / (norm(factor.upper) * norm(root))
    // The usual rank tolerance, as in LINPACK's descendants; NaN counts as deficient.
    guard estimate > Double(n) * .ulpOfOne else { return false }
    reciprocalCondition = estimate
    return true
  }

  /// Computes the s that minimises ‖J s + r‖ from the factors of J.
  func gaussNewtonStep(
    _ residuals: UnsafePointer<Double>, into step: UnsafeMutablePointer<Double>
  ) {
    remainder.update(from: residuals, count: n)
    for k in 0..<p { step[k] = -factor.project(remainder, outOf: k) }
    for i in (0..<p).reversed() {
      for k in i + 1..<p { step[i] -= factor.upper[i * p + k] * step[k] }
      step[i] /= factor.upper[i * p + i]
    }
    for i in 0..<p { step[i] /= lengths[i] }
  }

  /// Returns uᵀD²v for two vectors of p elements, D being the lengths of J's columns.
  func scaledProduct(_ u: UnsafePointer<Double>, _ v: UnsafePointer<Double>) -> Double {
    var sum = 0.0
    for j in 0..<p {
      sum += (lengths[j] * u[j]) * (lengths[j] * v[j])
    }
    return sum
  }

  /// Returns vᵀ(JᵀJ)⁻¹v for a vector of p elements.
  func quadraticForm(_ vector: UnsafePointer<Double>) -> Double {
    var sum = 0.0
    for i in 0..<p {
      for j in 0..<p {
        sum += vector[i] * element(i, j) * vector[j]
      }
    }
    return sum
  }

  private func element(_ i: Int, _ j: Int) -> Double {
    (max(i, j)..<p).reduce(0) { $0 + root[i * p + $1] * root[j * p + $1] }
      / (lengths[i] * lengths[j])
  }

  /// Copies the Jacobian with columns of length 1; false if that is impossible.
  private func scaleColumns(of jacobian: UnsafePointer<gsl_matrix>) -> Bool {
    guard let values = jacobian.pointee.data else { return false }
    let width = jacobian.pointee.tda
    for j in 0..<p {
      let length = OrthogonalColumns.length(values + j, stride: width, n)
      guard length.isNormal else { return false }
      lengths[j] = length
      for i in 0..<n {
        factor.columns[j * n + i] = values[i * width + j] / length
      }
    }
    return true
  }

  /// Computes R⁻¹; false if R is singular.
  private func invert() -> Bool {
    let upper = factor.upper
    for j in 0..<p {
      guard upper[j * p + j] > 0 else { return false }
      for i in 0..<p { root[i * p + j] = 0 }
      root[j * p + j] = 1 / upper[j * p + j]
      for i in (0..<j).reversed() {
        var sum = 0.0
        for k in i + 1...j { sum += upper[i * p + k] * root[k * p + j] }
        root[i * p + j] = -sum / upper[i * p + i]
      }
    }
    return true
  }

  /// Returns the 1-norm of an upper triangular matrix: its largest absolute column sum.
  private func norm(_ triangle: UnsafePointer<Double>) -> Double {
    (0..<p).reduce(0) { largest, j in
      max(largest, (0...j).reduce(0) { $0 + abs(triangle[$1 * p + j]) })
    }
  }
}
