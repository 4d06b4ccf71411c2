internal import CGSL

/// A least-squares problem: n residuals of p parameters, and their n × p Jacobian.
///
/// The two functions are plain C function pointers on raw memory. Between the solver and the model
/// there is no closure, no protocol and no allocation, because they are called thousands of times
/// per fit, on problems so small that any of these would cost more than the model itself.
///
/// ```swift
/// // y = a e^(-b x), with the readings behind the context pointer
/// let problem = LeastSquaresProblem(
///   residualCount: 25, parameterCount: 2, context: readings,
///   residuals: { parameters, context, residuals in ...; return true },
///   jacobian: { parameters, context, jacobian in ...; return true })
/// ```
package struct LeastSquaresProblem {
  /// Writes the n residuals, model minus reading, at p parameters.
  ///
  /// It returns `false` where the model cannot be evaluated; residuals that are not finite have the same meaning. The
  /// parameters are always finite.
  package typealias Residuals =
    @convention(c) (
      _ parameters: UnsafePointer<Double>,
      _ context: UnsafeRawPointer,
      _ residuals: UnsafeMutablePointer<Double>
    ) -> Bool

  /// Writes the Jacobian ∂rᵢ/∂pⱼ at p parameters, row-major n × p without gaps.
  ///
  /// It returns `false` where the derivatives cannot be evaluated; entries that are not finite have the same meaning. All
  /// n p entries must be written.
  package typealias Jacobian =
    @convention(c) (
      _ parameters: UnsafePointer<Double>,
      _ context: UnsafeRawPointer,
      _ jacobian: UnsafeMutablePointer<Double>
    ) -> Bool

  /// The number n of residuals.
  package let residualCount: Int

  /// The number p of parameters.
  package let parameterCount: Int

  /// The context that both functions receive; it must stay valid and unchanged during a solve.
  package let context: UnsafeRawPointer

  /// The function that writes the residuals.
  package let residuals: Residuals

  /// The function that writes the Jacobian.
  package let jacobian: Jacobian

  /// Creates a problem; its size is checked when it is solved.
  package init(
    residualCount: Int,
    parameterCount: Int,
    context: UnsafeRawPointer,
    residuals: Residuals,
    jacobian: Jacobian
  ) {
    self.residualCount = residualCount
    self.parameterCount = parameterCount
    self.context = context
    self.residuals = residuals
    self.jacobian = jacobian
  }
}

/// The state of one solve that GSL passes to the callbacks as `params`.
struct LeastSquaresCall {
  let problem: LeastSquaresProblem

  /// True once the start was evaluated, so that a failed trial step can be rejected.
  var isUnderWay = false

  /// The number of failed evaluations of the residuals.
  var failedEvaluations = 0
}

// The two callbacks below connect GSL and a model. They never trap: arguments that do not fit give an error code, which
// ends the solve.

/// Evaluates the residuals for GSL, on memory that GSL owns.
///
/// At a trial point where the model cannot be evaluated the residuals are set to huge values: GSL rejects the step and
/// tries a shorter one. An error would end the whole solve, and NaN would be accepted, since GSL rejects by `>=`. Of the 54
/// NIST StRD solves the huge residuals rescue one with the default options and three with geodesic acceleration. At the
/// start there is no earlier point to return to, hence an error.
func evaluateResiduals(
  at parameters: UnsafePointer<gsl_vector>?,
  call: UnsafeMutableRawPointer?,
  into residuals: UnsafeMutablePointer<gsl_vector>?
) -> Int32 {
  guard
    let call = call?.assumingMemoryBound(to: LeastSquaresCall.self),
    let p = parameters?.pointee, p.stride == 1, let input = p.data,
    let r = residuals?.pointee, r.stride == 1, let output = r.data
  else { return Int32(GSL_EBADLEN) }
  let problem = call.pointee.problem
  if areFinite(input, count: p.size),
    problem.residuals(input, problem.context, output),
    areFinite(output, count: r.size)
  {
    return Int32(GSL_SUCCESS)
  }
  call.pointee.failedEvaluations += 1
  guard call.pointee.isUnderWay else { return Int32(GSL_EBADFUNC) }
  output.update(repeating: .greatestFiniteMagnitude, count: r.size)
  return Int32(GSL_SUCCESS)
}

/// Evaluates the Jacobian for GSL, on memory that GSL owns.
///
/// GSL evaluates it only at points that it has already accepted, so a failure ends the solve.
func evaluateJacobian(
  at parameters: UnsafePointer<gsl_vector>?,
  call: UnsafeMutableRawPointer?,
  into jacobian: UnsafeMutablePointer<gsl_matrix>?
) -> Int32 {
  guard
    let call = call?.assumingMemoryBound(to: LeastSquaresCall.self),
    let p = parameters?.pointee, p.stride == 1, let input = p.data,
    let j = jacobian?.pointee, j.tda == j.size2, let output = j.data
  else { return Int32(GSL_EBADLEN) }
  let problem = call.pointee.problem
  guard
    problem.jacobian(input, problem.context, output),
    areFinite(output, count: j.size1 * j.size2)
  else { return Int32(GSL_EBADFUNC) }
  return Int32(GSL_SUCCESS)
}

/// Returns true if no value is infinite or NaN.
///
/// Adding one to an exponent carries into the sign bit exactly if the exponent is all ones. Unlike
/// a sum this cannot overflow, and it has no chain of dependent additions.
private func areFinite(_ values: UnsafePointer<Double>, count: Int) -> Bool {
  let exponent = Double.infinity.bitPattern
  let unit = Double.leastNormalMagnitude.bitPattern
  var carries: UInt64 = 0
  for i in 0..<count {
    carries |= (values[i].bitPattern & exponent) &+ unit
  }
  return carries >> 63 == 0
}
