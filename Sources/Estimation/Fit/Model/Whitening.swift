/// Takes out of residuals, and the rows of their Jacobian, what those before them say.
///
/// With phi the correlation with the one before, a residual becomes (u - phi u') / sqrt(1 - phi^2):
/// the inverse of the Cholesky factor of the correlation matrix, which has two entries in a row.
struct Whitening {
  let count: Int
  /// The position of the one before, which is smaller; -1 where there is none.
  let parents: UnsafePointer<Int>
  /// Phi.
  let correlations: UnsafePointer<Double>
  /// 1 / sqrt(1 - phi^2).
  let scales: UnsafePointer<Double>

  /// Whitens in place.
  ///
  /// - Parameters:
  ///   - values: Row-major, a row for each observation.
  ///   - columns: How many each row has.
  func whiten(_ values: UnsafeMutablePointer<Double>, columns: Int) {
    // From the last, so that those before are still as they were.
    for index in stride(from: count - 1, through: 0, by: -1) where parents[index] >= 0 {
      let row = values + index * columns
      let before = values + parents[index] * columns
      for column in 0..<columns {
        row[column] = (row[column] - correlations[index] * before[column]) * scales[index]
      }
    }
  }
}
