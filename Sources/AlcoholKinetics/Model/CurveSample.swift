/// What a walk finds at one time.
public struct CurveSample: Hashable, Sendable {
  /// Blood concentration, in g/kg.
  public let concentration: Double
  /// Its sensitivities.
  public let sensitivities: Sensitivities
}

extension CurveWalk {
  /// Walks on through many times, which is faster than one call for each.
  ///
  /// - Parameters:
  ///   - times: `count` times in h, none before the one ahead of it or before where the walk is.
  ///   - count: How many.
  ///   - samples: Memory for as many samples, which need not be initialised.
  public mutating func samples(
    atHours times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) {
    for index in 0..<count {
      advance(toHours: times[index])
      (samples + index).initialize(
        to: CurveSample(concentration: concentration, sensitivities: sensitivities))
    }
  }
}
