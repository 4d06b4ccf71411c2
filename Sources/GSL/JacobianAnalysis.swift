/// What a Jacobian tells about its fit: influence of the readings, and how parameters interact.
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
  /// Each is from 0 to 1, and their sum is the rank. Where the Jacobian is rank deficient they are
  /// those of the directions that the data determine.
  package let leverages: [Double]

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
    conditionNumber = parts.conditionNumber
    covariance = parts.covariance
    correlation = parts.correlation
  }

  private struct Parts {
    let leverages: [Double]
    let conditionNumber: Double
    var covariance: [Double]?
    var correlation: [Double]?

    /// Nil if the Jacobian is not finite.
    init?(_ jacobian: [Double], _ scaled: SingularValues) {
      let p = scaled.factor.p
      guard scaled.decompose(jacobian) else { return nil }
      leverages = scaled.leverages
      conditionNumber = scaled.conditionNumber
      guard scaled.isDetermined(p - 1) else { return }
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
  /// Q, and what was R and is then U Σ of its decomposition.
  let factor: OrthogonalColumns
  /// V, row-major p × p.
  private let right: UnsafeMutablePointer<Double>
  /// The lengths of the p columns; 1 for a column of zeros.
  let lengths: UnsafeMutablePointer<Double>
  /// The squares of the singular values, and which column each is in, the largest first.
  private let squares: UnsafeMutablePointer<Double>
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

  /// Turns the columns of R by pairs until all are at right angles (Hestenes 1958).
  private func rotate() {
    let p = factor.p
    let upper = factor.upper
    for j in 0..<p { right[j * p + j] = 1 }
    // Quadratic convergence: a handful of sweeps; the limit is never met.
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
      // Few are sorted as they come.
      var place = j
      while place > 0, squares[Int(order[place - 1])] < squares[j] {
        order[place] = order[place - 1]
        place -= 1
      }
      order[place] = Double(j)
    }
  }

  /// Turns two columns of a matrix by an angle of which cosine and tangent are given.
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

  /// The product of two columns of what was R.
  private func product(_ j: Int, _ k: Int) -> Double {
    let p = factor.p
    let upper = factor.upper
    return (0..<p).reduce(0) { $0 + upper[$1 * p + j] * upper[$1 * p + k] }
  }

  /// A singular value, counted from the largest.
  private func value(_ rank: Int) -> Double { squares[Int(order[rank])].squareRoot() }

  /// The largest singular value over the smallest.
  var conditionNumber: Double {
    let least = value(factor.p - 1)
    return least > 0 ? value(0) / least : .infinity
  }

  /// Whether a singular value is above rounding, with the tolerance of ``JacobianInverse``.
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
        // All directions together are those of Q.
        guard !isRegular else { return sum + columns[rank * n + i] * columns[rank * n + i] }
        guard isDetermined(rank) else { return sum }
        let k = Int(order[rank])
        let left = (0..<p).reduce(0) { $0 + columns[$1 * n + i] * factor.upper[$1 * p + k] }
        return sum + left * left / squares[k]
      }
    }
  }

  /// An element of VΣ⁻²Vᵀ, if all singular values are determined.
  func inverse(_ i: Int, _ j: Int) -> Double {
    let p = factor.p
    return (0..<p).reduce(0) { $0 + right[i * p + $1] * right[j * p + $1] / squares[$1] }
  }
}
