/// The derivatives of a blood concentration by the parameters of the model with Michaelis-Menten
/// elimination.
public struct MichaelisMentenSensitivities: Hashable, Sendable {
  /// By k_a, in (g/kg) per (1/h).
  public let byKa: Double
  /// By V_max, in (g/kg) per (g/kg/h); never positive.
  public let byVmax: Double
  /// By K_m, in (g/kg) per (g/kg); never negative.
  public let byKm: Double
  /// By a factor on all doses, at factor 1, in g/kg.
  public let byDoseScale: Double
  /// By the lag time, in (g/kg) per h. At the instant of a drink, where the derivative jumps, it is
  /// the one from the right.
  public let byLag: Double

  init(_ solution: MichaelisMentenSolution) {
    let state = solution.hasFailed ? .failed : solution.state
    let elimination = solution.elimination
    byKa = state.byKa
    byVmax = state.byVmax
    byKm = state.byKm
    // c is homogeneous of degree 1 in (doses, V_max, K_m): c is the sum of each of them times the
    // derivative by it (Euler).
    byDoseScale =
      state.blood - elimination.vmax * state.byVmax - elimination.km * state.byKm
    // A lag moves the whole curve to the right: dc/dlag = -dc/dt.
    byLag = elimination.rate(at: state.blood) - solution.ka * solution.gut.content
  }
}
