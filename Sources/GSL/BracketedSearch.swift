internal import CGSL

/// The interval of a one-dimensional search, with its tolerances and iteration limit.
struct BracketedSearch {
  let lower: Double
  let upper: Double
  private let absoluteTolerance: Double
  private let relativeTolerance: Double
  private let iterationLimit: Int

  /// Creates a search; throws unless interval, tolerances and limit are valid.
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

  /// Iterates until the interval is narrow enough, and returns GSL's status.
  func iterate(_ step: () -> (status: Int32, lower: Double, upper: Double)) -> Int32 {
    for _ in 0..<iterationLimit {
      let (status, lower, upper) = step()
      guard status == GSL_SUCCESS else { return status }
      if isNarrow(lower, upper) { return Int32(GSL_SUCCESS) }
    }
    return Int32(GSL_EMAXITER)
  }

  /// Returns true if the ends agree within the tolerances, or are adjacent numbers.
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

/// Adapts a Swift function of one number to GSL's one-dimensional solvers.
///
/// These stop at a value that is not finite, so infinities are passed on as the largest number of their sign: a function
/// may return infinity where it has no value but is known to be large.
struct ScalarFunction {
  private let body: (Double) -> Double

  /// The value that replaces NaN.
  private let substitute: Double

  /// Wraps a function for the duration of a call, as `withoutActuallyEscaping` allows it.
  init(_ body: @escaping (Double) -> Double, notANumber substitute: Double = .nan) {
    self.body = body
    self.substitute = substitute
  }

  /// Returns the value at x, finite unless it is NaN and NaN has no substitute.
  func callAsFunction(_ x: Double) -> Double {
    let value = body(x)
    if value.isNaN { return substitute }
    return min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }

  /// Calls a GSL routine with this function in GSL's form, which is valid only during the call.
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
