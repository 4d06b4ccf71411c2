/// Cholesky's factor of a symmetric matrix, for whoever needs one: A = L L^T, all row-major.
package enum Cholesky {
  /// The lower factor L, zero above the diagonal; nil if the matrix is not positive definite.
  ///
  /// - Parameters:
  ///   - matrix: Of which the lower triangle is read.
  ///   - size: Its rows.
  ///   - least: The part of a diagonal element that may remain of it at least; less counts as what rounding
  ///     leaves of nothing.
  package static func factor(
    of matrix: [Double], size: Int, least: Double = 0
  ) -> [Double]? {
    var factor = [Double](repeating: 0, count: size * size)
    let isDefinite = matrix.withUnsafeBufferPointer { own in
      factor.withUnsafeMutableBufferPointer { factor in
        for i in 0..<size {
          for j in 0...i {
            var rest = own[i * size + j]
            for k in 0..<j { rest -= factor[i * size + k] * factor[j * size + k] }
            if i > j {
              factor[i * size + j] = rest / factor[j * size + j]
            } else {
              guard rest > least * own[i * size + i], rest > 0, rest.isFinite else { return false }
              factor[i * size + i] = rest.squareRoot()
            }
          }
        }
        return true
      }
    }
    return isDefinite ? factor : nil
  }

  /// The inverse of a lower factor.
  package static func inverse(of factor: [Double], size: Int) -> [Double] {
    var inverse = [Double](repeating: 0, count: size * size)
    for column in 0..<size {
      for row in column..<size {
        var rest = row == column ? 1.0 : 0
        for k in column..<row { rest -= factor[row * size + k] * inverse[k * size + column] }
        inverse[row * size + column] = rest / factor[row * size + row]
      }
    }
    return inverse
  }

  /// The solution x of L L^T x = v.
  package static func solve(_ factor: [Double], _ vector: [Double]) -> [Double] {
    let size = vector.count
    var solution = vector
    for row in 0..<size {
      for k in 0..<row { solution[row] -= factor[row * size + k] * solution[k] }
      solution[row] /= factor[row * size + row]
    }
    for row in (0..<size).reversed() {
      for k in (row + 1)..<max(row + 1, size) {
        solution[row] -= factor[k * size + row] * solution[k]
      }
      solution[row] /= factor[row * size + row]
    }
    return solution
  }
}
