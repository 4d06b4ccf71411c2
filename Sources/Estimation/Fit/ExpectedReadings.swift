package import AlcoholKinetics
import GSL
import RealModule

/// The information on a curve's parameters in readings that nobody has taken yet, from the derivatives that fits use.
///
/// A reading adds w g g^T / sigma^2 to Fisher's information, with g the derivatives of what the instrument shows by the
/// coordinates of a fit and sigma its standard deviation there. As in fits, the size of sigma says nothing of the curve.
/// Where readings below a limit L say only that they are, the expected share of a whole reading is
///
///     w = Phi(-z) + z phi(z) + phi(z)^2 / Phi(z),    z = (L - f) / sigma
///
/// (the information of Tobin's model: Amemiya 1973, Econometrica 41, 997).
package struct ExpectedReadings: Sendable {
  /// What is estimated, in the order of the coordinates.
  package let parameters: [FitParameter]
  /// What the instrument would show at each time, in g/kg.
  package let predictions: [Double]
  /// The standard deviations of these, in g/kg.
  package let deviations: [Double]
  /// Of each time sqrt(w) g / sigma.
  package let rows: [[Double]]
  private let layout: ParameterLayout
  private let coordinates: [Double]
  private let regimen: Regimen

  /// Predicts readings; nil if the curve cannot be followed.
  ///
  /// - Parameters:
  ///   - hours: When, ascending, on the clock of the regimen.
  ///   - parameters: The truth.
  ///   - estimate: What a fit is to find out of it.
  ///   - limit: Of detection, in g/kg.
  package init?(
    at hours: [Double], of regimen: Regimen, _ parameters: ModelParameters,
    estimate: Set<FitParameter>, error: ObservationModel, limit: Double?
  ) {
    let layout = ParameterLayout(
      parameters.model, free: estimate, held: parameters.values, bounds: [:])
    let coordinates = layout.free.map { $0.coordinate(of: parameters.values[known: $0]) }
    guard let samples = parameters.samples(of: regimen, at: hours) else { return nil }
    let columns = JacobianColumns(layout, parameters.values, at: coordinates)
    let gain = parameters.values[known: .gain]
    let predictions = samples.map { gain * $0.concentration }
    let deviations = predictions.map(error.deviation)
    rows = samples.indices.map { index in
      let prediction = predictions[index]
      let deviation = deviations[index]
      let share = limit.map { Self.share(z: ($0 - prediction) / deviation) } ?? 1
      return [Double](unsafeUninitializedCapacity: layout.count) { buffer, count in
        guard let row = buffer.baseAddress else { return }
        columns.write(
          samples[index], prediction: prediction, times: share.squareRoot() / deviation, into: row)
        count = layout.count
      }
    }
    self.parameters = layout.free
    self.predictions = predictions
    self.deviations = deviations
    self.layout = layout
    self.coordinates = coordinates
    self.regimen = regimen
  }

  /// The expected information of a reading that is censored below z, over that of one which is not.
  package static func share(z: Double) -> Double {
    let density = Double.exp(-0.5 * z * z) / (2 * Double.pi).squareRoot()
    let above = Double.exp(StandardNormal.logLowerTail(-z))
    return max(0, above + density * (z + BelowLimit.hazard(z)))
  }

  /// A derived quantity at the truth, in its unit, and its derivatives by the coordinates on the scale on which its
  /// intervals are made: logarithms, or h for times; nil if the curve has none.
  package func gradient(
    of quantity: DerivedQuantity, threshold: GramsPerKilogram
  ) -> (value: Double, gradient: [Double])? {
    let function = QuantityFunction(
      quantity: quantity, threshold: threshold, layout: layout, regimen: regimen)
    guard let value = function.value(layout.values(at: coordinates)),
      let gradient = function.gradient(at: coordinates)
    else { return nil }
    return (function.reported(value), gradient)
  }
}
