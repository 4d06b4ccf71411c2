extension LeastSquaresOptions {
  /// The rungs of a ``LeastSquaresLadder`` unless others are set.
  ///
  /// The default method, then geodesic acceleration, then the default method with Marquardt's
  /// scaling. They were chosen on the NIST problems with 82 starts each, NIST's two and 80 random
  /// ones between these and the solution or a little beyond, together 2214: the first rung finds the
  /// certified minimum from 2063 of them, the second from 41 and the third from a few of those that
  /// are left. From the others another local minimum or a flat valley at infinity is found, or no
  /// rung converges. MGH17 from its far start is the one of NIST's 54 that needs the second rung.
  public static let standardRungs = [
    LeastSquaresOptions(),
    LeastSquaresOptions(method: .geodesicAcceleration, linearSolver: .svd),
    LeastSquaresOptions(scaling: .marquardt),
  ]
}
