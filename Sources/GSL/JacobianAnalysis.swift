/// Regression diagnostics from a Jacobian: leverages, condition number, and covariance and correlation of the parameters.
///
/// It is computed by singular value decomposition of the Jacobian with columns scaled to length 1,
/// so that rank and condition number do not depend on the units of the parameters.
///
/// Source: Belsley, Kuh and Welsch, "Regression Diagnostics" (1980), chapters 2 and 3; computed from the QR
/// factorisation by one-sided Jacobi rotations of R, which are accurate for small singular values too (Demmel & Veselić
/// 1992).
package struct JacobianAnalysis: Equatable, Sendable {
  /// The n leverages, the diagonal of J(JᵀJ)⁻¹Jᵀ.
  ///
  /// Each is from 0 to 1, and their sum is the rank. For a rank-deficient Jacobian only the
  /// determined directions are included.
  package let leverages: [Double]

  /// The n elements h(i, i - 1) beside the leverages, 0 for the first; nil if the Jacobian is rank deficient.
  ///
  /// They are from -1 to 1 however near to each other the columns are, which products with ``covariance`` are not.
  package let neighbourLeverages: [Double]?

  /// The largest singular value of the scaled Jacobian over its smallest, at least 1.
  ///
  /// Infinite if the smallest one is 0.
  package let conditionNumber: Double

  /// The unscaled covariance (JᵀJ)⁻¹, row-major p × p; nil if the Jacobian is rank deficient.
  package let covariance: [Double]?

  /// The correlation of the parameters, row-major p × p; nil if the Jacobian is rank deficient.
  package let correlation: [Double]?

  /// Analyses a Jacobian.
  ///
  /// It counts as rank deficient if the reciprocal of ``conditionNumber`` is at most n times the
  /// machine precision, the tolerance of ``LeastSquaresFit/covariance``.
  package init(of jacobian: [Double], columns: Int) throws(GSLError) {
    let (n, p) = try Self.size(of: jacobian, columns: columns)
    let parts = withUnsafeTemporaryAllocation(
      of: Double.self, capacity: OrthogonalColumns.size(n: n, p: p) + p * p + 3 * p
    ) { memory -> Parts? in
      guard let base = memory.baseAddress else { return nil }
      memory.initialize(repeating: 0)
      return Parts(jacobian, SingularValues(n: n, p: p, in: base))
    }
    guard let parts else { throw .invalid("a Jacobian that is not finite") }
    leverages = parts.leverages
    neighbourLeverages = parts.neighbourLeverages
    conditionNumber = parts.conditionNumber
    covariance = parts.covariance
    correlation = parts.correlation
  }

  private struct Parts {
    let leverages: [Double]
    var neighbourLeverages: [Double]?
    let conditionNumber: Double
    var covariance: [Double]?
    var correlation: [Double]?

    /// Computes the results; nil if the Jacobian is not finite.
    init?(_ jacobian: [Double], _ scaled: SingularValues) {
      let p = scaled.factor.p
      guard scaled.decompose(jacobian) else { return nil }
      leverages = scaled.leverages
      conditionNumber = scaled.conditionNumber
      guard scaled.isDetermined(p - 1) else { return }
      neighbourLeverages = scaled.neighbourLeverages
      var covariance = [Double](repeating: 0, count: p * p)
      var correlation = covariance
      for i in 0..<p {
        for j in 0..<p {
          let element = scaled.inverse(i, j)
          covariance[i * p + j] = element / (scaled.lengths[i] * scaled.lengths[j])
          correlation[i * p + j] =
            i == j
            ? 1
            : element / (scaled.inverse(i, i).squareRoot() * scaled.inverse(j, j).squareRoot())
        }
      }
      self.covariance = covariance
      self.correlation = correlation
    }
  }

  private static func size(
    of jacobian: [Double], columns p: Int
  ) throws(GSLError) -> (n: Int, p: Int) {
    guard p >= 1 else { throw .invalid("a Jacobian of \(p) columns") }
    guard jacobian.count.isMultiple(of: p) else {
      throw .badLength("\(jacobian.count) entries do not fill \(p) columns")
    }
    let n = jacobian.count / p
    guard n >= p else { throw .invalid("\(n) residuals cannot determine \(p) parameters") }
    return (n, p)
  }
}

/// The singular value decomposition of a Jacobian whose columns are scaled to length 1.
private struct SingularValues {
  /// Q and R of the scaled Jacobian; ``rotate()`` replaces R = U Σ Vᵀ by U Σ.
  let factor: OrthogonalColumns
  /// V, row-major p × p.
  private let right: UnsafeMutablePointer<Double>
  /// The lengths of the p columns; 1 for a column of zeros.
  let lengths: UnsafeMutablePointer<Double>
  /// The squares of the singular values, by column.
  private let squares: UnsafeMutablePointer<Double>
  /// The columns by descending singular value.
  private let order: UnsafeMutablePointer<Double>

  init(n: Int, p: Int, in memory: UnsafeMutablePointer<Double>) {
    factor = OrthogonalColumns(n: n, p: p, in: memory)
    right = memory + OrthogonalColumns.size(n: n, p: p)
    lengths = right + p * p
    squares = lengths + p
    order = squares + p
  }

  /// Decomposes a Jacobian, row-major; false if it is not finite.
  func decompose(_ jacobian: [Double]) -> Bool {
    let n = factor.n
    let p = factor.p
    let isFinite = jacobian.withUnsafeBufferPointer { entries in
      guard let entries = entries.baseAddress else { return false }
      for j in 0..<p {
        let length = OrthogonalColumns.length(entries + j, stride: p, n)
        guard length.isFinite else { return false }
        lengths[j] = length.isNormal ? length : 1
        for i in 0..<n { factor.columns[j * n + i] = entries[i * p + j] / lengths[j] }
      }
      return true
    }
    guard isFinite else { return false }
    factor.factorise(twice: true)
    rotate()
    return true
  }

  /// Rotates pairs of columns of R until all are orthogonal: one-sided Jacobi (Hestenes 1958).
  private func rotate() {
    let p = factor.p
    let upper = factor.upper
    for j in 0..<p { right[j * p + j] = 1 }
    // Convergence is quadratic, so a few sweeps suffice; the limit is not reached.
    for _ in 0..<60 {
      var hasTurned = false
      for j in 0..<p {
        for k in j + 1..<p {
          let a = product(j, j)
          let b = product(k, k)
          let c = product(j, k)
          guard abs(c) > .ulpOfOne * (a * b).squareRoot(), c != 0 else { continue }
          hasTurned = true
          let zeta = (b - a) / (2 * c)
          let t = (zeta < 0 ? -1 : 1) / (abs(zeta) + (1 + zeta * zeta).squareRoot())
          let cosine = 1 / (1 + t * t).squareRoot()
          turn(upper, j, k, cosine, t)
          turn(right, j, k, cosine, t)
        }
      }
      if !hasTurned { break }
    }
    for j in 0..<p {
      squares[j] = product(j, j)
      // Insertion sort, since there are few columns.
      var position = j
      while position > 0, squares[Int(order[position - 1])] < squares[j] {
        order[position] = order[position - 1]
        position -= 1
      }
      order[position] = Double(j)
    }
  }

  /// Rotates two columns of a matrix by an angle, given its cosine and tangent.
  private func turn(
    _ matrix: UnsafeMutablePointer<Double>, _ j: Int, _ k: Int, _ cosine: Double, _ tangent: Double
  ) {
    let p = factor.p
    for i in 0..<p {
      let x = matrix[i * p + j]
      let y = matrix[i * p + k]
      matrix[i * p + j] = cosine * (x - tangent * y)
      matrix[i * p + k] = cosine * (y + tangent * x)
    }
  }

  /// Returns the scalar product of two columns of the rotated R.
  private func product(_ j: Int, _ k: Int) -> Double {
    let p = factor.p
    let upper = factor.upper
    return (0..<p).reduce(0) { $0 + upper[$1 * p + j] * upper[$1 * p + k] }
  }

  /// Returns a singular value by its rank, from the largest.
  private func value(_ rank: Int) -> Double { squares[Int(order[rank])].squareRoot() }

  /// The largest singular value over the smallest.
  var conditionNumber: Double {
    let least = value(factor.p - 1)
    return least > 0 ? value(0) / least : .infinity
  }

  /// Returns true if a singular value is above rounding, with the tolerance of ``JacobianInverse``.
  func isDetermined(_ rank: Int) -> Bool {
    value(rank) > Double(factor.n) * .ulpOfOne * value(0)
  }

  /// The diagonal of UUᵀ, for the directions that are determined.
  var leverages: [Double] {
    let n = factor.n
    let p = factor.p
    let columns = factor.columns
    let isRegular = isDetermined(p - 1)
    return (0..<n).map { i in
      (0..<p).reduce(0) { sum, rank in
        // With full rank the columns of U span the same space as those of Q.
        guard !isRegular else { return sum + columns[rank * n + i] * columns[rank * n + i] }
        guard isDetermined(rank) else { return sum }
        let k = Int(order[rank])
        let left = (0..<p).reduce(0) { $0 + columns[$1 * n + i] * factor.upper[$1 * p + k] }
        return sum + left * left / squares[k]
      }
    }
  }

  /// The elements of QQᵀ below its diagonal, 0 for the first row; all singular values must be determined.
  var neighbourLeverages: [Double] {
    let n = factor.n
    let columns = factor.columns
    return (0..<n).map { i in
      guard i > 0 else { return 0 }
      return (0..<factor.p).reduce(0) { $0 + columns[$1 * n + i] * columns[$1 * n + i - 1] }
    }
  }

  /// Returns an element of VΣ⁻²Vᵀ; all singular values must be determined.
  func inverse(_ i: Int, _ j: Int) -> Double {
    let p = factor.p
    return (0..<p).reduce(0) { $0 + right[i * p + $1] * right[j * p + $1] / squares[$1] }
  }
}
