internal import CGSL

/// The root of a function of one number between two points where its signs differ.
///
/// Source: Brent, "Algorithms for Minimization without Derivatives" (1973), chapter 4; computed by
/// GSL's `gsl_root_fsolver_brent`.
package enum BracketedRoot {
  /// Finds a root.
  ///
  /// The function may return an infinity, which counts by its sign. It is not called outside the interval, and once at
  /// each of its ends.
  ///
  /// - Returns: The root; nil if the function has the same sign at both ends.
  /// - Throws: ``GSLError`` for an invalid interval or tolerance, and if the search fails.
  ///
  /// ```swift
  /// let root = try BracketedRoot.find(from: 1, to: 2) { $0 * $0 - 2 }  // 1.4142135623730951
  /// ```
  package static func find(
    from lower: Double,
    to upper: Double,
    absoluteTolerance: Double = 1e-12,
    relativeTolerance: Double = 1e-12,
    iterationLimit: Int = 200,
    of function: (Double) -> Double
  ) throws(GSLError) -> Double? {
    let search = try BracketedSearch(
      from: lower, to: upper, absoluteTolerance: absoluteTolerance,
      relativeTolerance: relativeTolerance, iterationLimit: iterationLimit)
    guard let solver = gsl_root_fsolver_alloc(cgsl_root_brent()) else {
      throw .outOfMemory("a root finder")
    }
    defer { gsl_root_fsolver_free(solver) }
    let status = withoutActuallyEscaping(function) { function in
      ScalarFunction(function).withGSLFunction { run(solver, $0, search) }
    }
    // The interval was checked before, so this status means equal signs at both ends.
    if status == GSL_EINVAL { return nil }
    try BracketedSearch.check(status)
    return gsl_root_fsolver_root(solver)
  }

  private static func run(
    _ solver: UnsafeMutablePointer<gsl_root_fsolver>,
    _ function: UnsafeMutablePointer<gsl_function>,
    _ search: BracketedSearch
  ) -> Int32 {
    let status = gsl_root_fsolver_set(solver, function, search.lower, search.upper)
    guard status == GSL_SUCCESS else { return status }
    return search.iterate {
      let status = gsl_root_fsolver_iterate(solver)
      return (status, gsl_root_fsolver_x_lower(solver), gsl_root_fsolver_x_upper(solver))
    }
  }
}
