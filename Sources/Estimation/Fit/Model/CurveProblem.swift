import AlcoholKinetics

// The curve as an objective follows it from reading to reading. Nothing here allocates: it runs
// thousands of times per fit.

extension CurveObjective {
  /// Writes what the instrument would show at each time, in g/kg; false if the curve cannot be
  /// followed.
  func write(
    predictions: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let values = layout.values(at: coordinates)
    guard let samples = samples(of: values) else { return false }
    let gain = values[known: .gain]
    for index in 0..<count { predictions[index] = gain * samples[index].concentration }
    return true
  }

  /// Writes the rows of the Jacobian that belong to readings, row-major; false if the curve cannot be
  /// followed.
  ///
  /// - Parameter slope: What to multiply the derivatives of a prediction with.
  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>,
    slope: ResidualRule.Slope
  ) -> Bool {
    let values = layout.values(at: coordinates)
    guard let samples = samples(of: values) else { return false }
    let gain = values[known: .gain]
    let columns = JacobianColumns(layout, values, at: coordinates)
    let width = layout.count
    for index in 0..<count {
      let prediction = gain * samples[index].concentration
      columns.write(
        samples[index], prediction: prediction,
        times: rule.slope(slope, of: prediction, at: index), into: jacobian + index * width)
    }
    if slope != .prediction { weights.whitening?.whiten(jacobian, columns: width) }
    return true
  }

  /// The curve at the times; nil where there is none for these values.
  private func samples(of values: ParameterValues) -> UnsafeMutablePointer<CurveSample>? {
    let isFollowed = memory.scratch.follow(
      kinetics, regimen, values, at: memory.times, count: count)
    return isFollowed ? memory.scratch.samples : nil
  }
}
