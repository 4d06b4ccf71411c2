package import AlcoholKinetics
package import Estimation
package import StudyData

/// The curve that one r-factor method predicts for a series.
package struct MethodPrediction {
  package let parameters: KineticParameters
  package let regimen: Regimen
  package let curve: Trajectory

  init(_ parameters: KineticParameters, for series: Series) throws(SeriesFailure) {
    self.parameters = parameters
    regimen = try series.regimen()
    curve = Trajectory(regimen, parameters)
  }

  /// Predicts every series of a study by every method and hands each prediction on; the results
  /// come series by series, and within a series in the order of the methods. They do not depend on
  /// how many jobs, threads that fit, there are.
  package static func map<Value>(
    _ study: Study,
    _ options: PredictionOptions,
    jobs: Int = 1,
    _ transform: (Series, any RFactorMethod, Result<MethodPrediction, SeriesFailure>) -> Value
  ) throws(SeriesFailure) -> [Value] {
    var byMethod: [[Value]] = []
    for method in options.methods {
      // A method at a time, so that one fitter serves all series.
      let parameters = try options.parameters.resolved(
        for: study, by: method, options, jobs: jobs)
      byMethod.append(
        zip(study.series, parameters).map { series, parameters in
          let prediction = Result { () throws(SeriesFailure) in
            try MethodPrediction(try parameters.get(), for: series)
          }
          return transform(series, method, prediction)
        })
    }
    return study.series.indices.flatMap { series in byMethod.map { $0[series] } }
  }

  /// The predicted time to sobriety since the first drink.
  func sobriety(threshold: GramsPerKilogram) -> SobrietyPrediction {
    let start = regimen.start ?? 0
    return SobrietyPrediction(
      parameters: parameters, time: curve.timeToThreshold(threshold).map { $0 - start })
  }
}
