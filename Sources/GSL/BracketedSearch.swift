internal import CGSL

/// The interval of a one-dimensional search, and when the search ends.
struct BracketedSearch {
  let lower: Double
  let upper: Double
  private let absoluteTolerance: Double
  private let relativeTolerance: Double
  private let iterationLimit: Int

  /// Throws unless the interval, the tolerances and the limit can be used.
  init(
    from lower: Double,
    to upper: Double,
    absoluteTolerance: Double,
    relativeTolerance: Double,
    smallestTolerance: Double = 0,
    iterationLimit: Int
  ) throws(GSLError) {
    ErrorHandler.disable()
    guard lower < upper, (upper - lower).isFinite else {
      throw .invalid("no interval from \(lower) to \(upper)")
    }
    guard absoluteTolerance >= 0, absoluteTolerance.isFinite else {
      throw GSLError(
        code: Int32(GSL_EBADTOL), reason: "absolute tolerance \(absoluteTolerance) is not in [0, ∞)"
      )
    }
    guard relativeTolerance >= 0, relativeTolerance < 1 else {
      throw GSLError(
        code: Int32(GSL_EBADTOL), reason: "relative tolerance \(relativeTolerance) is not in [0, 1)"
      )
    }
    guard iterationLimit >= 1 else {
      throw .invalid("iteration limit \(iterationLimit) is below 1")
    }
    self.lower = lower
    self.upper = upper
    self.absoluteTolerance = absoluteTolerance
    self.relativeTolerance = max(relativeTolerance, smallestTolerance)
    self.iterationLimit = iterationLimit
  }

  /// Iterates until the interval is narrow enough; GSL's status.
  func iterate(_ step: () -> (status: Int32, lower: Double, upper: Double)) -> Int32 {
    for _ in 0..<iterationLimit {
      let (status, lower, upper) = step()
      guard status == GSL_SUCCESS else { return status }
      if isNarrow(lower, upper) { return Int32(GSL_SUCCESS) }
    }
    return Int32(GSL_EMAXITER)
  }

  /// Whether the ends agree within the tolerances, or are next to each other.
  private func isNarrow(_ lower: Double, _ upper: Double) -> Bool {
    let size = lower <= 0 && upper >= 0 ? 0 : min(abs(lower), abs(upper))
    return upper - lower <= absoluteTolerance + relativeTolerance * size || lower.nextUp >= upper
  }

  /// Throws for a status other than success.
  static func check(_ status: Int32) throws(GSLError) {
    guard status != GSL_EBADFUNC else {
      throw GSLError(code: status, reason: "the function is not a number inside the interval")
    }
    guard status == GSL_SUCCESS else { throw GSLError(code: status) }
  }
}

/// A Swift function of one number as GSL's one-dimensional solvers call it.
///
/// They give up at a value that is not finite, so infinities reach them as the largest number of
/// their sign: a function may answer infinity where it has no value but is known to be large.
struct ScalarFunction {
  private let body: (Double) -> Double

  /// What to answer for NaN.
  private let substitute: Double

  /// Wraps a function for the length of a call, as `withoutActuallyEscaping` allows it.
  init(_ body: @escaping (Double) -> Double, notANumber substitute: Double = .nan) {
    self.body = body
    self.substitute = substitute
  }

  /// The value at x, finite unless it is NaN and NaN has no substitute.
  func callAsFunction(_ x: Double) -> Double {
    let value = body(x)
    if value.isNaN { return substitute }
    return min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// Calls a GSL routine with this function in GSL's form, which lives no longer than the call.
  func withGSLFunction<Result>(
    _ body: (UnsafeMutablePointer<gsl_function>) -> Result
  ) -> Result {
    withUnsafePointer(to: self) { context in
      var function = gsl_function(
        function: { x, context in
          context?.assumingMemoryBound(to: ScalarFunction.self).pointee(x) ?? .nan
        },
        params: UnsafeMutableRawPointer(mutating: context))
      return body(&function)
    }
  }
}
