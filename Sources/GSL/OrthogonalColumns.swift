/// The QR factorisation of a matrix with few columns, by modified Gram-Schmidt.
///
/// GSL's factorisations call BLAS for each column, which costs more than the arithmetic of two to five columns. Least
/// squares and R^-1 by modified Gram-Schmidt are as accurate as by Householder reflections (Björck, BIT 7 (1967) 1-21).
struct OrthogonalColumns {
  /// The number of rows.
  let n: Int
  /// The number of columns.
  let p: Int
  /// Q by columns; before ``factorise(twice:)`` the matrix itself.
  let columns: UnsafeMutablePointer<Double>
  /// R, row-major p × p.
  let upper: UnsafeMutablePointer<Double>

  /// Returns the size of its memory, in numbers.
  static func size(n: Int, p: Int) -> Int { n * p + p * p }

  init(n: Int, p: Int, in memory: UnsafeMutablePointer<Double>) {
    self.n = n
    self.p = p
    columns = memory
    upper = memory + n * p
  }

  /// Factorises the matrix in ``columns``. A column that is exactly in the span of earlier ones becomes zero in Q.
  ///
  /// - Parameter twice: True to orthogonalise twice, so that Q is orthogonal to machine precision.
  func factorise(twice: Bool = false) {
    upper.update(repeating: 0, count: p * p)
    for j in 0..<p {
      let column = columns + j * n
      for _ in 0..<(twice ? 2 : 1) {
        for k in 0..<j { upper[k * p + j] += project(column, outOf: k) }
      }
      let length = Self.dot(column, column, n).squareRoot()
      upper[j * p + j] = length
      let factor = length > 0 ? 1 / length : 0
      for i in 0..<n { column[i] *= factor }
    }
  }

  /// Removes the component of a vector along column k of Q, and returns its coefficient.
  func project(_ vector: UnsafeMutablePointer<Double>, outOf k: Int) -> Double {
    let column = columns + k * n
    let part = Self.dot(column, vector, n)
    for i in 0..<n { vector[i] -= part * column[i] }
    return part
  }

  /// Returns the length of a column, scaled by its largest entry where squares would overflow or underflow.
  static func length(
    _ column: UnsafePointer<Double>, stride: Int, _ n: Int
  ) -> Double {
    var squares = 0.0
    for i in 0..<n { squares += column[i * stride] * column[i * stride] }
    if squares > 1e-280, squares < 1e280 { return squares.squareRoot() }
    var largest = 0.0
    for i in 0..<n { largest = max(largest, abs(column[i * stride])) }
    guard largest > 0, largest.isFinite else { return squares.squareRoot() }
    squares = 0
    for i in 0..<n {
      let part = column[i * stride] / largest
      squares += part * part
    }
    return largest * squares.squareRoot()
  }

  /// Returns the scalar product, with four partial sums to shorten the chain of dependent additions.
  private static func dot(
    _ u: UnsafePointer<Double>, _ v: UnsafePointer<Double>, _ n: Int
  ) -> Double {
    var a = 0.0
    var b = 0.0
    var c = 0.0
    var d = 0.0
    var i = 0
    while i &+ 3 < n {
      a += u[i] * v[i]
      b += u[i &+ 1] * v[i &+ 1]
      c += u[i &+ 2] * v[i &+ 2]
      d += u[i &+ 3] * v[i &+ 3]
      i &+= 4
    }
    while i < n {
      a += u[i] * v[i]
      i &+= 1
    }
    return (a + b) + (c + d)
  }
}
