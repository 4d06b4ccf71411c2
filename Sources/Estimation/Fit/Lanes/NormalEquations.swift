package import AlcoholKinetics

/// A sum of squares that can be evaluated at eight points at once.
package protocol LanedSumOfSquares: SumOfSquares {
  /// Accumulates the normal equations at eight points within the bounds; the sum of squares is NaN where the model cannot
  /// be evaluated. Lanes with NaN coordinates are inactive; their sums are meaningless.
  ///
  /// - Parameters:
  ///   - equations: The sums, which are set to zero first.
  ///   - coordinates: The points, one coordinate after the other.
  ///   - startKind: The kind of descent, which determines the accuracy.
  func accumulate(
    _ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>, _ startKind: StartKind)
  /// Assigns a request, by its index in the batch, to a lane.
  func assign(_ request: Int, to lane: Int)
}

/// Sums of squares r^T r at eight points, with half their gradients J^T r and the matrices J^T J.
///
/// It is a view of memory that it does not own.
package struct NormalEquations {
  /// The number p of coordinates.
  package let count: Int
  /// First r^T r, then p numbers J^T r, then J^T J by rows of its lower triangle.
  let storage: UnsafeMutablePointer<Lanes>

  /// Returns the size of the storage for p coordinates, in lanes.
  static func size(_ count: Int) -> Int { 1 + count + count * (count + 1) / 2 }

  init(_ count: Int, _ storage: UnsafeMutablePointer<Lanes>) {
    self.count = count
    self.storage = storage
  }

  /// r^T r.
  var sumOfSquares: Lanes {
    get { storage[0] }
    nonmutating set { storage[0] = newValue }
  }
  /// J^T r.
  var gradient: UnsafeMutablePointer<Lanes> { storage + 1 }
  /// J^T J, rows of the lower triangle.
  var matrix: UnsafeMutablePointer<Lanes> { storage + 1 + count }

  func clear() {
    storage.update(repeating: .zero, count: Self.size(count))
  }

  /// Adds a residual and its row of the Jacobian.
  func add(_ residual: Lanes, _ row: UnsafePointer<Lanes>) {
    storage[0] += residual * residual
    var element = matrix
    for i in 0..<count {
      gradient[i] += row[i] * residual
      for j in 0...i {
        element.pointee += row[i] * row[j]
        element += 1
      }
    }
  }
}
