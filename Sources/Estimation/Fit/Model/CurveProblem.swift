import AlcoholKinetics

// The curve as an objective follows it from reading to reading, by model. Nothing here allocates: it runs
// thousands of times per fit.

extension CurveObjective {
  /// Writes what the instrument would show at each time, in g/kg; false if the curve cannot be
  /// followed.
  func write(
    predictions: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let values = layout.values(at: coordinates)
    let gain = values[known: .gain]
    switch model {
    case .widmark:
      guard let samples = samples(of: values) else { return false }
      for index in 0..<count { predictions[index] = gain * samples[index].concentration }
      return true
    case .michaelisMenten:
      guard let samples = saturableSamples(of: values) else { return false }
      for index in 0..<count { predictions[index] = gain * samples[index].concentration }
      return true
    }
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
    let gain = values[known: .gain]
    let columns = JacobianColumns(layout, values, at: coordinates)
    let width = layout.count
    func write(_ index: Int, _ concentration: Double, _ derivatives: ParameterDerivatives) {
      let prediction = gain * concentration
      columns.write(
        derivatives, prediction: prediction,
        times: rule.slope(slope, of: prediction, at: index), into: jacobian + index * width)
    }
    switch model {
    case .widmark:
      guard let samples = samples(of: values) else { return false }
      for index in 0..<count {
        write(
          index, samples[index].concentration, ParameterDerivatives(samples[index].sensitivities))
      }
    case .michaelisMenten:
      guard let samples = saturableSamples(of: values) else { return false }
      for index in 0..<count {
        write(index, samples[index].concentration, samples[index].derivatives)
      }
    }
    if slope != .prediction { weights.whitening?.whiten(jacobian, columns: width) }
    return true
  }

  /// The curve of Widmark's model at the times; nil where there is none for these values.
  private func samples(of values: ParameterValues) -> UnsafeMutablePointer<CurveSample>? {
    guard let parameters = values.kinetics else { return nil }
    memory.scratch.follow(regimen, parameters, at: memory.times, count: count)
    return memory.scratch.samples
  }

  /// The same with Michaelis-Menten elimination.
  private func saturableSamples(
    of values: ParameterValues
  ) -> UnsafeMutablePointer<CurveScratch.SaturableSample>? {
    guard let parameters = values.michaelisMenten,
      memory.scratch.follow(regimen, parameters, at: memory.times, count: count)
    else { return nil }
    return memory.scratch.saturable
  }
}
