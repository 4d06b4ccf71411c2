/// The standard deviations of the readings that are fitted: scale x shape.
struct Noise {
  /// The standard deviation of each reading, up to the scale.
  let shape: [Double]
  /// The common factor; 1 if nothing about it is estimated.
  let scale: Double
  /// Whether the scale was estimated from residuals.
  let isScaleEstimated: Bool
  /// The standard deviation at zero, in g/kg; nil if the error model has none.
  let sd: Double?
  /// The coefficient of variation; nil if the error model has none.
  let cv: Double?

  var standardDeviations: [Double] { shape.map { $0 * scale } }

  /// The largest relative difference between the standard deviations here and there.
  func relativeChange(from other: Noise) -> Double {
    zip(standardDeviations, other.standardDeviations).reduce(0) { largest, pair in
      max(largest, abs(pair.0 / pair.1 - 1))
    }
  }
}
