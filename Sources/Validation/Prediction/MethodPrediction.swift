package import AlcoholKinetics
package import Estimation
package import StudyData

/// The curve that one r-factor method predicts for a series.
package struct MethodPrediction {
  package let parameters: ModelParameters
  package let regimen: Regimen
  package let curve: any BloodCurve
  private let spread: PredictionSpread?

  /// - Parameter spread: How far subjects lie from the parameters; nil for no intervals.
  init(
    _ parameters: ModelParameters, for series: Series, spread: PredictionSpread? = nil
  ) throws(SeriesFailure) {
    self.parameters = parameters
    self.spread = spread
    regimen = try series.regimen()
    do { curve = try parameters.curve(of: regimen) } catch { throw .kinetics(error) }
    guard !curve.hasFailed else { throw .nothingPredicted }
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
    let parameters = try options.parameters.resolved(for: study, options, jobs: jobs)
    return study.series.enumerated().flatMap { index, series in
      zip(options.methods, parameters).map { method, parameters in
        let prediction = Result { () throws(SeriesFailure) in
          try MethodPrediction(
            try parameters[index].get(), for: series,
            spread: PredictionSpread(options, by: method, for: series.subject))
        }
        return transform(series, method, prediction)
      }
    }
  }

  /// The 90 % band of the curve at some times, in g/kg: between which concentrations subjects like this one are; nil
  /// where nothing is known to spread, as for fits.
  func band(at times: [Hours]) -> [Interval]? {
    spread?.band(about: parameters) { person in
      guard let curve = try? person.curve(of: regimen), !curve.hasFailed else { return nil }
      return times.map { curve.concentration(at: $0).value }
    }
  }

  /// The same wherever curves are computed by other means.
  package func band(_ concentrations: (ModelParameters) -> [Double]?) -> [Interval]? {
    spread?.band(about: parameters, concentrations)
  }

  /// Until when such subjects are above a threshold, but for the last 5 %; nil without a spread, or if some of these
  /// stay above it.
  package func lastAbove(_ threshold: GramsPerKilogram) -> Hours? {
    let high = spread?.soberMinutes(about: parameters, of: regimen, threshold: threshold)?.high
    return high.flatMap { $0.isFinite ? (regimen.start ?? 0) + Hours(minutes: $0) : nil }
  }

  /// The predicted time to sobriety since the first drink.
  ///
  /// - Throws: ``SeriesFailure/neverSober(threshold:)`` if the curve never falls to the threshold, as only
  ///   Widmark's does to 0.
  func sobriety(threshold: GramsPerKilogram) throws(SeriesFailure) -> SobrietyPrediction {
    var prediction = try SobrietyPrediction(
      of: curve, parameters, threshold: threshold, start: regimen.start ?? 0)
    prediction.interval = spread?.soberMinutes(
      about: parameters, of: regimen, threshold: threshold)
    return prediction
  }
}
