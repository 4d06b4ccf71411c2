internal import CGSL

/// A sequence of points that fills the unit cube more evenly than random points do.
///
/// It is deterministic: two sequences of the same kind and dimension give the same points, bit for
/// bit. It is a class because it owns GSL's generator state, and not `Sendable`: one per task.
///
/// ```swift
/// let starts = try QuasiRandomSequence(.sobol, dimension: 2)
/// let points = try starts.points(8)  // [[0.5, 0.5], [0.75, 0.25], ...]
/// ```
package final class QuasiRandomSequence {
  /// The kind of sequence.
  package let kind: QuasiRandomKind

  /// The number of coordinates of each point.
  package let dimension: Int

  private let generator: UnsafeMutablePointer<gsl_qrng>

  /// Creates a sequence that starts at its first point.
  package init(_ kind: QuasiRandomKind, dimension: Int) throws(GSLError) {
    ErrorHandler.disable()
    guard (1...kind.maximumDimension).contains(dimension) else {
      throw .invalid(
        "\(kind) points have 1 to \(kind.maximumDimension) dimensions, not \(dimension)")
    }
    guard let generator = gsl_qrng_alloc(kind.gslType, UInt32(dimension)) else {
      throw .outOfMemory("a \(kind) generator of dimension \(dimension)")
    }
    self.kind = kind
    self.dimension = dimension
    self.generator = generator
  }

  deinit {
    gsl_qrng_free(generator)
  }

  /// Returns the next points of the sequence.
  package func points(_ count: Int) throws(GSLError) -> [[Double]] {
    var points: [[Double]] = []
    var point = [Double](repeating: 0, count: dimension)
    for _ in 0..<max(0, count) {
      let status = gsl_qrng_get(generator, &point)
      guard status == GSL_SUCCESS else { throw GSLError(code: status, reason: "no more points") }
      points.append(point)
    }
    return points
  }
}

/// The low-discrepancy sequences that GSL generates.
package enum QuasiRandomKind: String, CaseIterable, Hashable, Sendable {
  /// Sobol's sequence, in Antonov and Saleev's Gray-code order, without the origin.
  case sobol

  /// Halton's sequence: coordinate j is the radical inverse of n in the j-th prime base.
  case halton

  /// The highest dimension that GSL has generator data for: 40 and 1229.
  package var maximumDimension: Int {
    Int(gslType.pointee.max_dimension)
  }

  var gslType: UnsafePointer<gsl_qrng_type> {
    switch self {
    case .sobol: cgsl_qrng_sobol()
    case .halton: cgsl_qrng_halton()
    }
  }
}
