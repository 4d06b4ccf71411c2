import AlcoholKinetics

/// The confidence band of a fitted curve, computed point by point in order of time.
///
/// Above zero, a curve that stops at zero differs from the curve without the stop by a constant that changes with each
/// stop. The constants are stored, so that every line that the curve left at zero can be continued for the upper edge.
struct CurveBand {
  private let layout: ParameterLayout
  private let columns: JacobianColumns
  /// The covariance of the coordinates, row-major.
  private let covariance: [Double]
  private let quantile: Double
  private let gain: Double

  /// The differences of the curve without the stop from the lines that the curve was on, oldest first.
  private var offsets: [Line] = []
  /// True if the curve was zero at the last point.
  private var isEmpty = true

  /// Prepares the band; nil if the fit has no covariance.
  init?(_ fit: SeriesFit, level: Double) {
    guard let estimates = fit.covariance, let noise = fit.noise,
      let quantile = ConfidenceQuantile(
        degreesOfFreedom: noise.degreesOfFreedom.map(Double.init), level: level)
    else { return nil }
    let parameters = estimates.parameters
    layout = ParameterLayout(fit.model, free: Set(parameters), held: fit.values, bounds: [:])
    columns = JacobianColumns(
      layout, fit.values, at: parameters.map { $0.coordinate(of: fit.values[known: $0]) })
    covariance = estimates.values
    self.quantile = quantile.value
    gain = fit.values[known: .gain]
  }

  /// Returns the edges of the band at a point of the curve, in g/kg; points must be in order of time.
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

/// A predicted reading, in g/kg, and its derivatives by the coordinates.
private struct Line {
  let value: Double
  let slopes: [Double]

  static func - (left: Line, right: Line) -> Line {
    Line(
      value: left.value - right.value, slopes: zip(left.slopes, right.slopes).map { $0 - $1 })
  }
}
