internal import CGSL

/// A model seen as numbers only: n residuals of p parameters, and their n × p Jacobian.
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
  /// It answers `false` where the model cannot be evaluated. Residuals that are not finite mean the
  /// same. The parameters are always finite.
  package typealias Residuals =
    @convention(c) (
      _ parameters: UnsafePointer<Double>,
      _ context: UnsafeRawPointer,
      _ residuals: UnsafeMutablePointer<Double>
    ) -> Bool

  /// Writes the Jacobian ∂rᵢ/∂pⱼ at p parameters, row-major n × p without gaps.
  ///
  /// It answers `false` where the derivatives cannot be evaluated. Entries that are not finite mean
  /// the same. All n p entries must be written.
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

  /// What both functions receive; it must stay valid and unchanged during a solve.
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

/// What GSL's callbacks find behind their `params` pointer during one solve.
struct LeastSquaresCall {
  let problem: LeastSquaresProblem

  /// Whether the start could be evaluated, so that GSL is now trying steps away from it.
  var isUnderWay = false

  /// How often the residuals could not be evaluated.
  var failedEvaluations = 0
}

// The two functions below are all that stands between GSL and a model. They never trap: what does
// not fit is an error code, which ends the solve.

/// Evaluates the residuals for GSL, on memory that GSL owns.
///
/// A trial step to where the model cannot be evaluated is answered with huge residuals: GSL rejects
/// it and tries a shorter one. Were it answered with an error, GSL would give up the whole solve,
/// and with NaN it would accept the step, since it rejects by `>=`. Of the 54 NIST StRD solves the
/// huge residuals rescue one with the default options and three with geodesic acceleration. At the
/// start there is nothing to go back to, hence an error.
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
/// GSL asks for it only at points it has already accepted, so here a failure ends the solve.
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

/// Whether no value is infinite or NaN.
///
/// Adding one to an exponent carries into the sign bit exactly if the exponent is all ones. Unlike
/// a sum this cannot overflow, and it has no chain of additions to wait for.
private func areFinite(_ values: UnsafePointer<Double>, count: Int) -> Bool {
  let exponent = Double.infinity.bitPattern
  let one = Double.leastNormalMagnitude.bitPattern
  var carries: UInt64 = 0
  for i in 0..<count {
    carries |= (values[i].bitPattern & exponent) &+ one
  }
  return carries >> 63 == 0
}
