import GSL

/// A model of a NIST problem and its analytic Jacobian, as the least-squares solver calls them.
///
/// Both find the observations behind their context pointer; see ``NISTObservations``.
struct NISTModel: Sendable {
  /// Whether it is a model of the logarithm of the response.
  var isOfLogarithm = false

  /// Writes model minus response at each observation.
  let residuals: LeastSquaresProblem.Residuals

  /// Writes the derivatives of the model by each parameter, row-major.
  let jacobian: LeastSquaresProblem.Jacobian
}
