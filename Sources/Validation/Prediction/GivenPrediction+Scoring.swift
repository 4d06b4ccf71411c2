import AlcoholKinetics
import Estimation
import StudyData

extension GivenPrediction {
  /// The predicted curve in blood, with its limits; nil if the model gives times alone.
  ///
  /// - Throws: `SeriesFailure` if the model has no usable prediction for the series.
  func curves(
    using factors: ConversionFactors
  ) throws(SeriesFailure) -> (curve: SampledCurve, low: SampledCurve?, high: SampledCurve?)? {
    switch content {
    case .missing: throw .curveMissing
    case .unusable(let finding): throw .badData(finding)
    case .times: return nil
    case .curve(let given):
      let inBlood = { (values: [Double]) in
        SampledCurve(
          times: given.times,
          concentrations: values.map { given.unit.bloodConcentration(of: $0, using: factors) })
      }
      let curve = inBlood(given.values)
      guard !curve.hasFailed else { throw .curveMissing }
      let limits = [given.low, given.high].map {
        $0.map(inBlood).flatMap { $0.hasFailed ? nil : $0 }
      }
      return (curve, limits[0], limits[1])
    }
  }

  /// The predicted time to sobriety of a series.
  ///
  /// - Throws: `SeriesFailure` if the model has none for the series, or none to this threshold.
  func sobriety(
    of series: Series, threshold: GramsPerKilogram, using factors: ConversionFactors
  ) throws(SeriesFailure) -> SobrietyPrediction {
    if let (curve, low, high) = try curves(using: factors) {
      return Self.sobriety(by: curve, low, high, level, threshold: threshold, start: series.start)
    }
    guard case .times(let times) = content else { throw .curveMissing }
    let fitting = times.first { time in
      guard let stated = time.threshold else { return true }
      let difference = stated.bloodConcentration(using: factors) - threshold
      return abs(difference.value) <= Self.sameThreshold
    }
    guard let time = fitting else { throw .otherThreshold(threshold: threshold) }
    var prediction = SobrietyPrediction(outcome: time.time > 0 ? .at(time.time) : .neverAbove)
    if let low = time.low, let high = time.high {
      prediction.interval = Interval(low: low.minutes, high: high.minutes)
      prediction.level = level
    }
    return prediction
  }

  /// Thresholds nearer to each other than this, in g/kg, count as equal: at usual rates half a minute apart.
  private static let sameThreshold = 0.001

  private static func sobriety(
    by curve: SampledCurve, _ low: SampledCurve?, _ high: SampledCurve?, _ level: Double,
    threshold: GramsPerKilogram, start: Hours
  ) -> SobrietyPrediction {
    let outcome: SobrietyPrediction.Outcome
    var step: SobrietyPrediction.Step?
    switch curve.crossing(of: threshold) {
    case .neverAbove: outcome = .neverAbove
    case .laterThan(let time): outcome = .laterThan(time - start)
    case .at(let time, let after, let before):
      outcome = time > start ? .at(time - start) : .neverAbove
      step = SobrietyPrediction.Step(
        width: before - after, largestError: max(time - after, before - time))
    }
    var prediction = SobrietyPrediction(outcome: outcome)
    prediction.step = step
    if let low, let high {
      prediction.interval = Interval(
        low: minutes(low.crossing(of: threshold), start).low,
        high: minutes(high.crossing(of: threshold), start).high)
      prediction.level = level
    }
    return prediction
  }

  /// The limits of a crossing, in min since the first drink.
  private static func minutes(_ crossing: SampledCurve.Crossing, _ start: Hours) -> Interval {
    switch crossing {
    case .neverAbove: Interval(low: 0, high: 0)
    case .at(let time, _, _):
      Interval(low: max(0, (time - start).minutes), high: max(0, (time - start).minutes))
    case .laterThan(let time): Interval(low: max(0, (time - start).minutes), high: .infinity)
    }
  }
}
