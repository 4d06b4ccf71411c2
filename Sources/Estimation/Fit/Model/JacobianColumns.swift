import AlcoholKinetics

/// Turns derivatives by a model's parameters into derivatives by the coordinates that a solver
/// moves.
///
/// What is the same for all rows of a Jacobian is worked out once for each point.
struct JacobianColumns {
  private let count: Int
  /// Which parameter a column belongs to.
  private var positions = SIMD8<Int>()
  /// The derivative of what the instrument shows by the coordinate over that by the parameter, by
  /// position of the parameter; 0 beyond a bound, where the model stays at the bound.
  private var factors = SIMD8<Double>()

  /// Prepares the columns at a point.
  init(
    _ layout: ParameterLayout, _ values: ParameterValues, at coordinates: UnsafePointer<Double>
  ) {
    count = layout.count
    let gain = values[known: .gain]
    for index in layout.free.indices {
      let parameter = layout.free[index]
      positions[index] = parameter.position
      guard !layout.isOutside(index, coordinates[index]) else { continue }
      factors[parameter.position] =
        switch parameter {
        case .ka, .beta, .vmax, .km: gain * values[known: parameter]
        // Every dose is divided by r.
        case .r: -gain
        case .lag: gain
        case .gain: 1
        }
    }
  }

  /// Writes one row: derivatives of what the instrument shows by the coordinates.
  ///
  /// - Parameters:
  ///   - derivatives: Those of the blood concentration by the parameters.
  ///   - prediction: What the instrument shows, gain x concentration.
  ///   - factor: A factor on the row.
  func write(
    _ derivatives: ParameterDerivatives, prediction: Double, times factor: Double,
    into row: UnsafeMutablePointer<Double>
  ) {
    let byPosition =
      SIMD8(
        derivatives.byKa, derivatives.byBeta, derivatives.byDoseScale, derivatives.byLag,
        prediction, derivatives.byVmax, derivatives.byKm, 0) * factors * factor
    for column in 0..<count { row[column] = byPosition[positions[column]] }
  }
}
