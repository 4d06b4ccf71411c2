internal import CGSL

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
