import AlcoholKinetics
import StudyData

/// The curve that one r-factor method predicts for a series.
struct MethodPrediction {
  let parameters: KineticParameters
  let regimen: Regimen
  let curve: Trajectory

  init(_ parameters: KineticParameters, for series: Series) throws(SeriesFailure) {
    self.parameters = parameters
    regimen = try series.regimen()
    curve = Trajectory(regimen, parameters)
  }

  /// One prediction per series of a study, in order.
  static func predictions(
    for study: Study, by method: any RFactorMethod, with source: PredictionParameters,
    factors: ConversionFactors
  ) throws(SeriesFailure) -> [Result<MethodPrediction, SeriesFailure>] {
    let parameters = try source.resolved(for: study, by: method, factors: factors)
    return zip(study.series, parameters).map { series, parameters in
      Result { () throws(SeriesFailure) in
        try MethodPrediction(try parameters.get(), for: series)
      }
    }
  }

  /// The predicted time to sobriety since the first drink.
  func sobriety(threshold: GramsPerKilogram) -> SobrietyPrediction {
    let start = regimen.start ?? 0
    return SobrietyPrediction(
      parameters: parameters, time: curve.timeToThreshold(threshold).map { $0 - start })
  }
}
