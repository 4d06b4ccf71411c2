package import AlcoholKinetics
import GSL
import RealModule

/// The expected Fisher information of planned readings on the parameters of a curve.
///
/// A reading adds w g g^T / sigma^2 to the Fisher information, with g the derivatives of the predicted reading by the
/// coordinates of a fit and sigma its standard deviation. As in fits, sigma itself carries no information on the curve.
/// If readings below a limit L are censored, the expected fraction of the information of a full reading is
///
///     w = Phi(-z) + z phi(z) + phi(z)^2 / Phi(z),    z = (L - f) / sigma
///
/// (the information of Tobin's model: Amemiya 1973, Econometrica 41, 997).
package struct ExpectedReadings: Sendable {
  /// The estimated parameters, in the order of the coordinates.
  package let parameters: [FitParameter]
  /// The predicted reading at each time, gain included, in g/kg.
  package let predictions: [Double]
  /// The standard deviations of these, in g/kg.
  package let deviations: [Double]
  /// The vector sqrt(w) g / sigma of each time.
  package let rows: [[Double]]
  private let layout: ParameterLayout
  private let coordinates: [Double]
  private let regimen: Regimen

  /// Predicts readings; nil if the curve cannot be computed.
  ///
  /// - Parameters:
  ///   - hours: The times in h, ascending, on the clock of the regimen.
  ///   - regimen: The doses.
  ///   - parameters: The true parameters.
  ///   - estimate: The parameters that a fit is to estimate.
  ///   - error: The error model.
  ///   - limit: The limit of detection, in g/kg; nil for none.
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
