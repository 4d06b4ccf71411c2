import RealModule

/// A small dense matrix, row-major: covariances, informations and factors of a few parameters.
package struct Dense: Hashable, Sendable {
  package let rows: Int
  package let columns: Int
  package var numbers: [Double]

  package init(_ rows: Int, _ columns: Int, _ numbers: [Double]? = nil) {
    self.rows = rows
    self.columns = columns
    self.numbers = numbers ?? [Double](repeating: 0, count: rows * columns)
  }

  package init(diagonal: [Double]) {
    self.init(diagonal.count, diagonal.count)
    for index in diagonal.indices { self[index, index] = diagonal[index] }
  }

  /// A square matrix of zeros with a smaller one in some of its rows and columns; ``part(_:)`` extracts it.
  package init(_ size: Int, with part: Dense, at indices: [Int]) {
    self.init(size, size)
    for (i, row) in indices.enumerated() {
      for (j, column) in indices.enumerated() { self[row, column] = part[i, j] }
    }
  }

  /// The sum of v v^T over vectors.
  package init(sumOfSquares vectors: [[Double]], size: Int? = nil) {
    let size = size ?? vectors.first?.count ?? 0
    self.init(size, size)
    for vector in vectors {
      for i in 0..<size { for j in 0..<size { self[i, j] += vector[i] * vector[j] } }
    }
  }

  package subscript(row: Int, column: Int) -> Double {
    get { numbers[row * columns + column] }
    set { numbers[row * columns + column] = newValue }
  }

  package var diagonal: [Double] { (0..<min(rows, columns)).map { self[$0, $0] } }

  package static func * (left: Dense, right: Dense) -> Dense {
    var product = Dense(left.rows, right.columns)
    for i in 0..<left.rows {
      for k in 0..<left.columns where left[i, k] != 0 {
        for j in 0..<right.columns { product[i, j] += left[i, k] * right[k, j] }
      }
    }
    return product
  }

  package static func * (left: Dense, right: [Double]) -> [Double] {
    (0..<left.rows).map { row in
      (0..<left.columns).reduce(0) { $0 + left[row, $1] * right[$1] }
    }
  }

  package static func + (left: Dense, right: Dense) -> Dense {
    Dense(left.rows, left.columns, zip(left.numbers, right.numbers).map { $0 + $1 })
  }

  package static func - (left: Dense, right: Dense) -> Dense {
    Dense(left.rows, left.columns, zip(left.numbers, right.numbers).map { $0 - $1 })
  }

  package static func * (factor: Double, matrix: Dense) -> Dense {
    Dense(matrix.rows, matrix.columns, matrix.numbers.map { factor * $0 })
  }

  package var transposed: Dense {
    var transposed = Dense(columns, rows)
    for i in 0..<rows {
      for j in 0..<columns { transposed[j, i] = self[i, j] }
    }
    return transposed
  }

  /// Returns the submatrix of some rows and columns of a square matrix.
  package func part(_ indices: [Int]) -> Dense {
    var part = Dense(indices.count, indices.count)
    for (i, row) in indices.enumerated() {
      for (j, column) in indices.enumerated() { part[i, j] = self[row, column] }
    }
    return part
  }

  /// Adds a matrix to the diagonal block beginning at an index.
  package mutating func add(_ other: Dense, at begin: Int) {
    for i in 0..<other.rows {
      for j in 0..<other.columns { self[begin + i, begin + j] += other[i, j] }
    }
  }

  /// The lower factor L of L L^T; nil if the matrix is not positive definite.
  package var cholesky: Dense? {
    Cholesky.factor(of: numbers, size: rows).map { Dense(rows, rows, $0) }
  }

  /// L^-1 times a vector, of a lower factor L.
  package func forward(_ vector: [Double]) -> [Double] {
    var result = vector
    for i in result.indices {
      for k in 0..<i { result[i] -= self[i, k] * result[k] }
      result[i] /= self[i, i]
    }
    return result
  }

  /// L^-T times a vector, of a lower factor L.
  package func backward(_ vector: [Double]) -> [Double] {
    var result = vector
    for i in result.indices.reversed() {
      for k in (i + 1)..<max(i + 1, rows) { result[i] -= self[k, i] * result[k] }
      result[i] /= self[i, i]
    }
    return result
  }

  /// The inverse and log determinant of a positive definite matrix; nil for others.
  package var inverted: (inverse: Dense, logDeterminant: Double)? {
    guard let factor = cholesky else { return nil }
    let inverse = factor.inverseOfLower
    return (inverse.transposed * inverse, factor.logDeterminantOfProduct)
  }

  /// ln |L L^T| of a lower factor L.
  package var logDeterminantOfProduct: Double { diagonal.reduce(0) { $0 + 2 * Double.log($1) } }

  /// The inverse of a lower triangular matrix.
  package var inverseOfLower: Dense {
    Dense(rows, rows, Cholesky.inverse(of: numbers, size: rows))
  }

  /// The eigenvalues of a symmetric matrix, ascending.
  package var eigenvalues: [Double] { diagonalised(nil).values.sorted() }

  /// The symmetric inverse square root of a symmetric matrix; nil if it is not positive definite.
  package var inverseRoot: Dense? {
    let (values, vectors) = eigen
    guard let largest = values.max(), values.allSatisfy({ $0.isFinite && $0 > 1e-14 * largest })
    else { return nil }
    return vectors * (Dense(diagonal: values.map { 1 / $0.squareRoot() }) * vectors.transposed)
  }

  /// The eigenvalues of a symmetric matrix, and its eigenvectors as columns.
  package var eigen: (values: [Double], vectors: Dense) {
    let identity = Dense(diagonal: [Double](repeating: 1, count: rows))
    let (values, vectors) = diagonalised(identity)
    return (values, vectors ?? identity)
  }

  /// Diagonalises a symmetric matrix by Jacobi rotations (Golub & Van Loan 2013, section 8.5); returns the
  /// eigenvalues, and the columns of another matrix rotated alike.
  private func diagonalised(_ columns: Dense?) -> (values: [Double], columns: Dense?) {
    var matrix = self
    var columns = columns
    let size = rows
    for _ in 0..<60 {
      var rest = 0.0
      for p in 0..<size { for q in 0..<p { rest += matrix[p, q] * matrix[p, q] } }
      guard rest > 1e-28 * matrix.diagonal.reduce(0, { $0 + $1 * $1 }) else { break }
      for p in 1..<max(1, size) {
        for q in 0..<p where matrix[p, q] != 0 { matrix.rotate(p, q, &columns) }
      }
    }
    return (matrix.diagonal, columns)
  }

  private mutating func rotate(_ p: Int, _ q: Int, _ columns: inout Dense?) {
    let theta = (self[q, q] - self[p, p]) / (2 * self[p, q])
    let t = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
    let c = 1 / (t * t + 1).squareRoot()
    let s = t * c
    rotateColumns(p, q, c, s)
    columns?.rotateColumns(p, q, c, s)
    for k in 0..<rows {
      let pk = self[p, k]
      let qk = self[q, k]
      self[p, k] = c * pk - s * qk
      self[q, k] = s * pk + c * qk
    }
  }

  private mutating func rotateColumns(_ p: Int, _ q: Int, _ c: Double, _ s: Double) {
    for k in 0..<rows {
      let kp = self[k, p]
      let kq = self[k, q]
      self[k, p] = c * kp - s * kq
      self[k, q] = s * kp + c * kq
    }
  }
}

/// Cholesky factorisation of a symmetric matrix, A = L L^T, row-major.
package enum Cholesky {
  /// The lower factor L, zero above the diagonal; nil if the matrix is not positive definite.
  ///
  /// - Parameters:
  ///   - matrix: The matrix; only its lower triangle is read.
  ///   - least: The smallest pivot, relative to the diagonal element; a smaller one counts as zero.
  package static func factor(
    of matrix: [Double], size: Int, least: Double = 0
  ) -> [Double]? {
    var factor = [Double](repeating: 0, count: size * size)
    let isDefinite = matrix.withUnsafeBufferPointer { matrix in
      factor.withUnsafeMutableBufferPointer { factor in
        for i in 0..<size {
          for j in 0...i {
            var rest = matrix[i * size + j]
            for k in 0..<j { rest -= factor[i * size + k] * factor[j * size + k] }
            if i > j {
              factor[i * size + j] = rest / factor[j * size + j]
            } else {
              guard rest > least * matrix[i * size + i], rest > 0, rest.isFinite else {
                return false
              }
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
    let lower = Dense(vector.count, vector.count, factor)
    return lower.backward(lower.forward(vector))
  }
}

package func dot(_ left: [Double], _ right: [Double]) -> Double {
  zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
}

/// Returns the logarithm of the mean of numbers given by their logarithms, without overflow or underflow.
package func logMean(_ logs: [Double]) -> Double {
  let largest = logs.max() ?? 0
  return largest + .log(logs.reduce(0) { $0 + .exp($1 - largest) } / Double(logs.count))
}
