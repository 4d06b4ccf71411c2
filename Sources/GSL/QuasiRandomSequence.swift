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
public final class QuasiRandomSequence {
  /// Which sequence this is.
  public let kind: QuasiRandomKind

  /// The number of coordinates of each point.
  public let dimension: Int

  private let generator: UnsafeMutablePointer<gsl_qrng>

  /// Creates a sequence that stands at its first point.
  ///
  /// - Parameters:
  ///   - kind: which sequence.
  ///   - dimension: 1 up to the kind's ``QuasiRandomKind/maximumDimension``.
  /// - Throws: ``GSLError`` `GSL_EINVAL` for any other dimension, `GSL_ENOMEM` without memory.
  public init(_ kind: QuasiRandomKind, dimension: Int) throws(GSLError) {
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

  /// Writes the next point, without allocating.
  ///
  /// - Parameter point: exactly ``dimension`` coordinates, each written with a value in [0, 1).
  /// - Throws: ``GSLError`` `GSL_EBADLEN` if `point` has another length, `GSL_EFAILED` when the
  ///   sequence has run out (Sobol's after 2³⁰ − 1 points).
  public func next(into point: UnsafeMutableBufferPointer<Double>) throws(GSLError) {
    guard point.count == dimension else {
      throw .badLength("a point of dimension \(dimension) in a buffer of \(point.count)")
    }
    let status = gsl_qrng_get(generator, point.baseAddress)
    guard status == GSL_SUCCESS else { throw GSLError(code: status, reason: "no more points") }
  }

  /// The next points of the sequence.
  ///
  /// - Parameter count: how many; none if it is not positive.
  /// - Returns: `count` points of ``dimension`` coordinates in [0, 1).
  /// - Throws: ``GSLError`` `GSL_EFAILED` when the sequence has run out.
  public func points(_ count: Int) throws(GSLError) -> [[Double]] {
    var points: [[Double]] = []
    var point = [Double](repeating: 0, count: dimension)
    for _ in 0..<max(0, count) {
      try fill(&point)
      points.append(point)
    }
    return points
  }

  private func fill(_ point: inout [Double]) throws(GSLError) {
    try point.withUnsafeMutableBufferPointer { (buffer) throws(GSLError) in
      try next(into: buffer)
    }
  }
}

/// The low-discrepancy sequences that GSL generates.
public enum QuasiRandomKind: String, CaseIterable, Hashable, Sendable {
  /// Sobol's sequence, in Antonov and Saleev's Gray-code order, without the origin.
  case sobol

  /// Halton's sequence: coordinate j is the radical inverse of n in the j-th prime base.
  case halton

  /// Halton's sequence with every digit but zero reversed, which helps in high dimensions.
  ///
  /// Source: Vandewoestyne and Cools, J. Comput. Appl. Math. 189 (2006) 341-361.
  case reverseHalton

  /// Niederreiter's sequence in base 2 (Bratley, Fox and Niederreiter), beginning at the origin.
  case niederreiter

  /// The highest dimension that GSL has generator data for: 40, 1229, 1229 and 12.
  public var maximumDimension: Int {
    Int(gslType.pointee.max_dimension)
  }

  var gslType: UnsafePointer<gsl_qrng_type> {
    switch self {
    case .sobol: cgsl_qrng_sobol()
    case .halton: cgsl_qrng_halton()
    case .reverseHalton: cgsl_qrng_reversehalton()
    case .niederreiter: cgsl_qrng_niederreiter_2()
    }
  }
}
