import AlcoholKinetics
public import Estimation
public import StudyData

/// Predicts series by every given model and every r-factor method, and scores the predictions
/// against the readings.
public struct Scorer: Sendable {
  public let options: PredictionOptions
  private let scoresCurves: Bool
  /// The variation between subjects; nil for times without intervals.
  private let spreads: PredictionSpreads?

  /// Prepares to score.
  ///
  /// - `scoresCurves`: Whether curves are compared with the readings, and not only times to sobriety.
  /// - `withIntervals`: Whether times to sobriety get intervals, which cost 64 curves each.
  /// - Throws: `SeriesFailure.badOptions(_:)` if the threshold is negative.
  public init(
    _ options: PredictionOptions = PredictionOptions(), scoresCurves: Bool = true,
    withIntervals: Bool = true
  ) throws(SeriesFailure) {
    if let threshold = options.threshold {
      guard threshold >= 0, threshold.value.isFinite else {
        throw .badOptions("the threshold is \(threshold); it must be 0 or more")
      }
    }
    self.options = options
    self.scoresCurves = scoresCurves
    spreads = withIntervals ? PredictionSpreads(options) : nil
  }

  /// Scores a study: a row for each given model and each method on every series, series by series.
  ///
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start.
  public func scores(of study: Study, jobs: Int = 1) throws(SeriesFailure) -> [Score] {
    let kinetics = try Kinetics(options, of: study, jobs: jobs)
    return try ParallelMap.map(study.series, jobs: jobs) {
      kinetics.fitters()
    } _: { fitters, series in
      scores(
        of: series, study.instrument, [kinetics.parameters(of: series, study.instrument, fitters)])
    }.flatMap(\.self)
  }

  /// Scores every series of a stream as it arrives, and passes its rows on in order, in constant
  /// memory.
  ///
  /// - `consume`: Takes the scores of a series; called by one thread at a time.
  /// - Returns: The diagnostics of the study as a whole.
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start, or
  ///   are those of other subjects, and what the stream and `consume` throw.
  package func forEach(
    of stream: sending StudyStream, jobs: Int = 1,
    _ consume: @escaping @Sendable (Series, [Score]) throws -> Void
  ) throws -> [Diagnostic] {
    let kinetics = try Kinetics(options)
    let instrument = stream.instrument
    return try ParallelStream.map(stream, jobs: jobs) {
      kinetics.fitters()
    } _: { fitters, series in
      let parameters = kinetics.parameters(of: series, instrument, fitters)
      return (series, scores(of: series, instrument, [parameters]))
    } consume: {
      try consume($0.0, $0.1)
    }
  }

  /// The scores of a series with several choices of kinetic parameters, choice by choice.
  ///
  /// - Parameter choices: The parameters by each method.
  func scores(
    of series: Series, _ instrument: Instrument?,
    _ choices: [[Result<ModelParameters, SeriesFailure>]]
  ) -> [Score] {
    let evidence = SobrietyEvidence(series, instrument, options)
    let observations =
      scoresCurves
      ? Observations(series, uses: evidence.uses, options.selection, instrument, options.factors)
      : nil
    return choices.flatMap { parameters in
      options.models.map { score(model: $0, series, evidence, observations) }
        + zip(
          options.methods, MethodPrediction.all(of: series, parameters, spreads)
        ).map { score($1, by: $0, series, evidence, observations) }
    }
  }

  private func score(
    _ prediction: Result<MethodPrediction, SeriesFailure>, by method: any RFactorMethod,
    _ series: Series, _ evidence: SobrietyEvidence, _ observations: Observations?
  ) -> Score {
    let curve = prediction.map { prediction in
      observations.flatMap {
        CurveAgreement(
          prediction.curve, of: (prediction.parameters, prediction.regimen), series, $0,
          options.factors)
      }
    }
    var warnings: [FitWarning] = []
    if observations != nil, case .success(let prediction) = prediction {
      if (try? curve.get())?.readingsAboveDose ?? 0 > 0 { warnings.append(.aboveDose) }
      if method.isOutsidePublishedRange(prediction.parameters.r, for: series.subject) {
        warnings.append(.rPublishedRange)
      }
    }
    return Score(
      series, by: method.name, parameters: try? prediction.get().parameters,
      time: Result { () throws(SeriesFailure) in
        try prediction.get().sobriety(threshold: evidence.threshold.concentration)
      }, evidence, curve: curve, warnings: warnings)
  }

  /// Scores the prediction of a model computed elsewhere.
  private func score(
    model: String, _ series: Series, _ evidence: SobrietyEvidence, _ observations: Observations?
  ) -> Score {
    let given = Result { () throws(SeriesFailure) in
      try series.requireUsable()
      return series.prediction(by: model)
    }
    return Score(
      series, by: model, isGiven: true,
      time: Result { () throws(SeriesFailure) in
        try given.get().sobriety(
          of: series, threshold: evidence.threshold.concentration, using: options.factors)
      }, evidence,
      curve: Result { () throws(SeriesFailure) in
        guard let observations,
          let curve = try given.get().curves(using: options.factors)?.curve
        else { return nil }
        return CurveAgreement(curve, series, observations, options.factors)
      })
  }
}
