public import AlcoholKinetics
import GSL
public import StudyData

extension SeriesFit {
  /// The fitted curve with a pointwise confidence band.
  ///
  /// The band is f +- t sqrt(d^T C d), d being the derivatives of the curve by the estimated
  /// parameters and C their covariance (delta method; Bates & Watts 1988, section 2.3), cut off at
  /// zero. It is the uncertainty of the curve, not that of a reading, and where a parameter stands
  /// at a bound it holds for that value.
  ///
  /// - Parameters:
  ///   - series: The series that was fitted.
  ///   - times: On the clock of the series, ascending.
  ///   - level: Of the band, between 0 and 1.
  /// - Returns: One point for each time; none if the drinks cannot be used or the curve cannot be
  ///   followed.
  public func curve(of series: Series, at times: [Hours], level: Double) -> [CurvePoint] {
    guard let regimen = try? series.regimen() else { return [] }
    let band = CurveBand(self, level: level)
    switch model {
    case .widmark:
      return values.kinetics.map { points(CurveWalk(regimen, $0), at: times, band) } ?? []
    case .michaelisMenten:
      return values.michaelisMenten
        .map { points(MichaelisMentenWalk(regimen, $0), at: times, band) } ?? []
    }
  }

  private func points(
    _ start: some ModelWalk, at times: [Hours], _ band: CurveBand?
  ) -> [CurvePoint] {
    var walk = start
    let gain = values[known: .gain]
    let points = times.map { time in
      walk.advance(toHours: time.value)
      let concentration = gain * walk.concentration
      let half = band?.halfWidth(walk.derivatives, prediction: concentration)
      return CurvePoint(
        time: time, concentration: GramsPerKilogram(concentration),
        low: half.map { GramsPerKilogram(max(0, concentration - $0)) },
        high: half.map { GramsPerKilogram(concentration + $0) })
    }
    return walk.hasFailed ? [] : points
  }
}

/// How wide the confidence band of a fitted curve is.
private struct CurveBand {
  private let layout: ParameterLayout
  private let columns: JacobianColumns
  /// The covariance of the coordinates, row-major.
  private let covariance: [Double]
  private let quantile: Double

  /// Nil where the fit has no covariance.
  init?(_ fit: SeriesFit, level: Double) {
    guard let diagnostics = fit.diagnostics, let correlation = diagnostics.correlation,
      let quantile = fit.quantile(level: level)
    else { return nil }
    let parameters = diagnostics.parameters
    var errors: [Double] = []
    for parameter in parameters {
      guard let error = fit.estimates[parameter]?.standardError else { return nil }
      let value = fit.values[known: parameter]
      errors.append(parameter.isLogarithmic ? error / value : error)
    }
    layout = ParameterLayout(free: Set(parameters), held: fit.values, bounds: [:])
    columns = JacobianColumns(
      layout, fit.values, at: parameters.map { $0.coordinate(of: fit.values[known: $0]) })
    let count = parameters.count
    covariance = correlation.indices.map {
      correlation[$0] * errors[$0 / count] * errors[$0 % count]
    }
    self.quantile = quantile
  }

  func halfWidth(_ derivatives: ParameterDerivatives, prediction: Double) -> Double {
    var row = [Double](repeating: 0, count: layout.count)
    row.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      columns.write(derivatives, prediction: prediction, times: 1, into: base)
    }
    var variance = 0.0
    for (index, element) in covariance.enumerated() {
      variance += row[index / layout.count] * element * row[index % layout.count]
    }
    return quantile * max(0, variance).squareRoot()
  }
}

extension SeriesFit {
  /// Student's quantile, two-sided, or the normal one where the error was known.
  fileprivate func quantile(level: Double) -> Double? {
    let upper = (1 + level) / 2
    guard let noise, noise.isEstimated else { return try? StandardNormal.quantile(upper) }
    let degrees = Double(usedCount - estimates.count)
    return degrees > 0 ? try? StudentT(degreesOfFreedom: degrees).quantile(upper) : nil
  }
}
