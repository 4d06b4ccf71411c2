import AlcoholKinetics
import StudyData

/// Predicts times to sobriety by one r-factor method.
struct Predictor {
  /// Where k_a and beta come from.
  private enum Source {
    case given(ka: PerHour, beta: GramsPerKilogramHour)
    case fit(SeriesFitter)
  }

  let method: any RFactorMethod
  private let source: Source

  init(_ method: any RFactorMethod, _ options: SobrietyOptions) throws(SeriesFailure) {
    self.method = method
    switch options.parameters {
    case .given(let ka, let beta):
      source = .given(ka: ka, beta: beta)
    case .fitted(let starts):
      source = .fit(
        try SeriesFitter(
          options: FitOptions(
            estimate: [.ka, .beta], rFactor: method, factors: options.factors, starts: starts)))
    }
  }

  func prediction(
    for series: Series, threshold: GramsPerKilogram
  ) throws(SeriesFailure) -> SobrietyPrediction {
    if let error = series.firstError {
      throw .badData(error)
    }
    let parameters = try parameters(for: series)
    let regimen = try series.regimen()
    let sober = Trajectory(regimen, parameters).timeToThreshold(threshold)
    return SobrietyPrediction(parameters: parameters, time: sober.map { $0 - series.start })
  }

  private func parameters(for series: Series) throws(SeriesFailure) -> KineticParameters {
    switch source {
    case .given(let ka, let beta):
      try method.parameters(for: series.subject, ka: ka, beta: beta)
    case .fit(let fitter):
      try fitter.fit(series).parameters
    }
  }
}
