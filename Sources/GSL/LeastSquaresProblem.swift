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
public struct LeastSquaresProblem {
  /// Writes the n residuals, model minus reading, at p parameters.
  ///
  /// It answers `false` where the model cannot be evaluated. Residuals that are not finite mean the
  /// same. The parameters are always finite.
  public typealias Residuals =
    @convention(c) (
      _ parameters: UnsafePointer<Double>,
      _ context: UnsafeRawPointer,
      _ residuals: UnsafeMutablePointer<Double>
    ) -> Bool

  /// Writes the Jacobian ∂rᵢ/∂pⱼ at p parameters, row-major n × p without gaps.
  ///
  /// It answers `false` where the derivatives cannot be evaluated. Entries that are not finite mean
  /// the same. All n p entries must be written.
  public typealias Jacobian =
    @convention(c) (
      _ parameters: UnsafePointer<Double>,
      _ context: UnsafeRawPointer,
      _ jacobian: UnsafeMutablePointer<Double>
    ) -> Bool

  /// The number n of residuals.
  public let residualCount: Int

  /// The number p of parameters.
  public let parameterCount: Int

  /// What both functions receive; it must stay valid and unchanged during a solve.
  public let context: UnsafeRawPointer

  /// The function that writes the residuals.
  public let residuals: Residuals

  /// The function that writes the Jacobian.
  public let jacobian: Jacobian

  /// Creates a problem; its size is checked when it is solved.
  ///
  /// - Parameters:
  ///   - residualCount: the number n of residuals.
  ///   - parameterCount: the number p of parameters.
  ///   - context: passed to both functions; it must stay valid and unchanged during a solve.
  ///   - residuals: writes n residuals.
  ///   - jacobian: writes n × p derivatives, row-major.
  public init(
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
