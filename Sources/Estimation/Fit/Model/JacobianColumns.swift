import AlcoholKinetics

/// Turns derivatives by a model's parameters into derivatives by the coordinates that a solver
/// moves.
///
/// What is the same for all rows of a Jacobian is worked out once for each point.
struct JacobianColumns {
  private let count: Int
  /// Where the parameter of a column stands among those of the model.
  private let places: SIMD8<Int>
  /// The derivative of what the instrument shows by the coordinate over that by the parameter, in the
  /// order of the model's parameters; 0 beyond a bound, where the model stays at the bound.
  private var factors = SIMD8<Double>()

  /// Prepares the columns at a point.
  init(
    _ layout: ParameterLayout, _ values: ParameterValues, at coordinates: UnsafePointer<Double>
  ) {
    count = layout.count
    places = layout.places
    let gain = values[known: .gain]
    for index in 0..<count where !layout.isOutside(index, coordinates[index]) {
      let place = places[index]
      factors[place] =
        switch place {
        // Every dose is divided by r.
        case ParameterLayout.placeOfR: -gain
        case ParameterLayout.placeOfGain: 1
        default: layout.areLogarithmic[index] ? gain * values[slot: layout.slots[index]] : gain
        }
    }
  }

  /// Writes one row: derivatives of what the instrument shows by the coordinates.
  ///
  /// - Parameters:
  ///   - sample: The blood concentration and its derivatives by the parameters.
  ///   - prediction: What the instrument shows, gain x concentration.
  ///   - factor: A factor on the row.
  func write(
    _ sample: CurveSample, prediction: Double, times factor: Double,
    into row: UnsafeMutablePointer<Double>
  ) {
    var derivatives = sample.derivatives
    derivatives[ParameterLayout.placeOfGain] = prediction
    let products = derivatives * factors * factor
    for column in 0..<count { row[column] = products[places[column]] }
  }
}
