import AlcoholKinetics

/// The confidence band of a fitted curve, from point to point.
///
/// A curve that stops at zero is, wherever it is not zero, the curve without the stop and a constant
/// that changes with each stop. The constants are kept, so that every line that the curve has left at
/// zero can be followed on.
struct CurveBand {
  private let layout: ParameterLayout
  private let columns: JacobianColumns
  /// The covariance of the coordinates, row-major.
  private let covariance: [Double]
  private let quantile: Double
  private let gain: Double

  /// By how much the curve without the stop is above the lines that the curve was on, oldest first.
  private var offsets: [Line] = []
  /// Whether the curve was zero at the last point.
  private var isEmpty = true

  /// Nil where the fit has no covariance.
  init?(_ fit: SeriesFit, level: Double) {
    guard let known = fit.covariance, let noise = fit.noise,
      let quantile = ConfidenceQuantile(
        degreesOfFreedom: noise.degreesOfFreedom.map(Double.init), level: level)
    else { return nil }
    let parameters = known.parameters
    layout = ParameterLayout(fit.model, free: Set(parameters), held: fit.values, bounds: [:])
    columns = JacobianColumns(
      layout, fit.values, at: parameters.map { $0.coordinate(of: fit.values[known: $0]) })
    covariance = known.values
    self.quantile = quantile.value
    gain = fit.values[known: .gain]
  }

  /// The ends of the band at a point of the curve, in g/kg; points must come in order of time.
  mutating func edges(at sample: CurveSample, unstopped: CurveSample) -> (low: Double, high: Double)
  {
    let curve = line(sample)
    let unstopped = line(unstopped)
    if sample.concentration > 0 {
      if !isEmpty { offsets.removeLast() }
      offsets.append(unstopped - curve)
    }
    isEmpty = sample.concentration <= 0
    let low = isEmpty ? 0 : max(0, curve.value - halfWidth(curve))
    let high = offsets.map { offset in
      let line = unstopped - offset
      return line.value + halfWidth(line)
    }.max()
    return (low, max(low, high ?? 0))
  }

  private func line(_ sample: CurveSample) -> Line {
    let value = gain * sample.concentration
    var slopes = [Double](repeating: 0, count: layout.count)
    slopes.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      columns.write(sample, prediction: value, times: 1, into: base)
    }
    return Line(value: value, slopes: slopes)
  }

  private func halfWidth(_ line: Line) -> Double {
    var variance = 0.0
    for (index, element) in covariance.enumerated() {
      variance += line.slopes[index / layout.count] * element * line.slopes[index % layout.count]
    }
    return quantile * max(0, variance).squareRoot()
  }
}

/// What the instrument would show, in g/kg, and its derivatives by the coordinates.
private struct Line {
  let value: Double
  let slopes: [Double]

  static func - (left: Line, right: Line) -> Line {
    Line(
      value: left.value - right.value, slopes: zip(left.slopes, right.slopes).map { $0 - $1 })
  }
}
