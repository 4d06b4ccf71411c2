/// A matrix of a few columns as QR: Q's columns have length 1 and stand at right angles, R is upper triangular.
///
/// GSL's factorisations call BLAS for each column, which costs more than it does where there are two to five. Columns
/// are made orthogonal one after the other (modified Gram-Schmidt); least squares and R^-1 are then as exact as by
/// Householder's reflections (Björck, BIT 7 (1967) 1-21).
struct OrthogonalColumns {
  /// The number of rows.
  let n: Int
  /// The number of columns.
  let p: Int
  /// Q, a column after the other: before ``factorise(twice:)`` the matrix itself.
  let columns: UnsafeMutablePointer<Double>
  /// R, row-major p × p.
  let upper: UnsafeMutablePointer<Double>

  /// How many numbers of memory it needs.
  static func size(n: Int, p: Int) -> Int { n * p + p * p }

  init(n: Int, p: Int, in memory: UnsafeMutablePointer<Double>) {
    self.n = n
    self.p = p
    columns = memory
    upper = memory + n * p
  }

  /// Factorises what ``columns`` hold. A column that the ones before span leaves one of zeros.
  func factorise(twice: Bool = false) {
    upper.update(repeating: 0, count: p * p)
    for j in 0..<p {
      let column = columns + j * n
      for _ in 0..<(twice ? 2 : 1) {
        for k in 0..<j { upper[k * p + j] += takeOut(k, of: column) }
      }
      let length = Self.dot(column, column, n).squareRoot()
      upper[j * p + j] = length
      let factor = length > 0 ? 1 / length : 0
      for i in 0..<n { column[i] *= factor }
    }
  }

  /// Takes the part along a column of Q out of a vector and gives it.
  func takeOut(_ k: Int, of vector: UnsafeMutablePointer<Double>) -> Double {
    let column = columns + k * n
    let part = Self.dot(column, vector, n)
    for i in 0..<n { vector[i] -= part * column[i] }
    return part
  }

  /// The length of a column; by fractions of the largest entry where squares would overflow or vanish.
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

  /// Sums by turns, which wait less for each other.
  private static func dot(
    _ one: UnsafePointer<Double>, _ other: UnsafePointer<Double>, _ n: Int
  ) -> Double {
    var a = 0.0
    var b = 0.0
    var c = 0.0
    var d = 0.0
    var i = 0
    while i &+ 3 < n {
      a += one[i] * other[i]
      b += one[i &+ 1] * other[i &+ 1]
      c += one[i &+ 2] * other[i &+ 2]
      d += one[i &+ 3] * other[i &+ 3]
      i &+= 4
    }
    while i < n {
      a += one[i] * other[i]
      i &+= 1
    }
    return (a + b) + (c + d)
  }
}
