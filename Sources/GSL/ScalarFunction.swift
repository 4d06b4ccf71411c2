internal import CGSL

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
