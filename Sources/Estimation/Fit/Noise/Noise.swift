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
  /// How errors go together; nil if they are independent.
  var correlation: NoiseCorrelation?

  var standardDeviations: [Double] { shape.map { $0 * scale } }

  /// The same with errors that go together.
  func with(_ correlation: NoiseCorrelation) -> Noise {
    var noise = self
    noise.correlation = correlation
    return noise
  }

  /// The largest relative difference between the standard deviations here and there, or between the
  /// time constants of their correlation.
  func relativeChange(from other: Noise) -> Double {
    let (time, before) = (correlation?.time ?? 0, other.correlation?.time ?? 0)
    let start = time == before ? 0 : abs(time - before) / max(time, before)
    return zip(standardDeviations, other.standardDeviations).reduce(start) { largest, pair in
      max(largest, abs(pair.0 / pair.1 - 1))
    }
  }
}
