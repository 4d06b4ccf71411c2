/// The derivatives of a blood concentration by the parameters of the model.
///
/// At zero concentration all of them are 0.
public struct Sensitivities: Hashable, Sendable {
  /// By k_a, in (g/kg) per (1/h).
  public let byKa: Double
  /// By beta, in (g/kg) per (g/kg/h).
  public let byBeta: Double
  /// By a factor on all doses, at factor 1, in g/kg.
  public let byDoseScale: Double
  /// By the lag time, in (g/kg) per h. At the instant of a drink, where the derivative jumps, it is
  /// the one from the right.
  public let byLag: Double

  init(_ state: CompartmentState, ka: Double, beta: Double) {
    byKa = state.bloodByKa
    byBeta = state.bloodByBeta
    // c is homogeneous of degree 1 in (doses, beta): c = dc/dscale + beta dc/dbeta (Euler).
    byDoseScale = state.blood - beta * state.bloodByBeta
    // A lag moves the whole curve to the right: dc/dlag = -dc/dt.
    byLag = state.blood != 0 ? beta - ka * state.gut : 0
  }
}
