/// Ethanol in the blood and what a fit needs of it: c, dc/dk, dc/dV_max and dc/dK_m.
struct MichaelisMentenState: Hashable, Sendable {
  /// The four in the order above.
  var values = SIMD4<Double>.zero

  /// Blood concentration c.
  var blood: Double { values[0] }
  /// dc/dk.
  var byKa: Double { values[1] }
  /// dc/dV_max.
  var byVmax: Double { values[2] }
  /// dc/dK_m.
  var byKm: Double { values[3] }

  /// No answer, which cannot be mistaken for one.
  static let failed = MichaelisMentenState(values: SIMD4(repeating: .nan))
}
