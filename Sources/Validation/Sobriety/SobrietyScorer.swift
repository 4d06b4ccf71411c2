import AlcoholKinetics
public import Estimation
public import StudyData

/// Predicts times to sobriety and compares them with the readings.
public struct SobrietyScorer: Sendable {
  public let options: PredictionOptions
  private let spreads: PredictionSpreads
  /// What is predicted with, where that does not depend on readings.
  private let kinetics: GivenKinetics?

  /// Prepares to score.
  ///
  /// - Throws: `SeriesFailure.badOptions(_:)` if the threshold is negative.
  public init(options: PredictionOptions = PredictionOptions()) throws(SeriesFailure) {
    if let threshold = options.threshold {
      guard threshold >= 0, threshold.value.isFinite else {
        throw .badOptions("the threshold is \(threshold); it must be 0 or more")
      }
    }
    self.options = options
    spreads = PredictionSpreads(options)
    kinetics =
      if case .given(let values) = options.parameters { GivenKinetics(values, options) } else {
        nil
      }
  }

  /// Scores every given model and every method on every series of a study, series by series.
  ///
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start.
  public func scores(
    of study: Study, jobs: Int = 1
  ) throws(SeriesFailure) -> [SobrietyScore] {
    let parameters = try options.parameters.resolved(for: study, options, jobs: jobs)
    return study.series.enumerated().flatMap { index, series in
      scores(
        of: series, study.instrument,
        MethodPrediction.all(of: series, parameters.map { $0[index] }, spreads))
    }
  }

  private func scores(
    of series: Series, _ instrument: Instrument?,
    _ predictions: [Result<MethodPrediction, SeriesFailure>]
  ) -> [SobrietyScore] {
    let evidence = evidence(of: series, instrument)
    return options.models.map { score(model: $0, for: series, evidence) }
      + zip(options.methods, predictions).map { score($1, by: $0, for: series, evidence) }
  }

  /// Scores every method on every series of a stream as it comes, and hands the scores on, those of
  /// a series together, in order. Only so many series are under way at a time, so that memory does
  /// not grow with the study.
  ///
  /// - `consume`: Takes the scores of a series; called by one thread at a time.
  /// - Returns: What was found in the study as a whole.
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start, or
  ///   are those of other subjects, and what the stream and `consume` throw.
  public func forEach(
    of stream: sending StudyStream, jobs: Int = 1,
    _ consume: @escaping @Sendable (Series, [SobrietyScore]) throws -> Void
  ) throws -> [Diagnostic] {
    let instrument = stream.instrument
    return try predict(stream, jobs: jobs) {
      scores(of: $0, instrument, $1)
    } _: {
      try consume($0, $1)
    }
  }

  /// Predicts every series of a stream as it comes, and hands on what is made of the predictions of all methods.
  func predict<Value: Sendable>(
    _ stream: sending StudyStream, jobs: Int,
    _ transform: @escaping @Sendable (Series, [Result<MethodPrediction, SeriesFailure>]) -> Value,
    _ consume: @escaping @Sendable (Series, Value) throws -> Void
  ) throws -> [Diagnostic] {
    try options.checkForStreams()
    let (name, instrument) = (stream.name, stream.instrument)
    return try ParallelStream.map(stream, jobs: jobs) {
    } _: { (_: Void, series) -> Result<(Series, Value), SeriesFailure> in
      Result { () throws(SeriesFailure) in
        let parameters: [Result<ModelParameters, SeriesFailure>]
        if let kinetics {
          parameters = kinetics.parameters(of: series)
        } else {
          let study = Study(name: name, instrument: instrument, series: [series])
          parameters = try options.parameters.resolved(for: study, options, jobs: 1).map { $0[0] }
        }
        return (series, transform(series, MethodPrediction.all(of: series, parameters, spreads)))
      }
    } consume: {
      let (series, value) = try $0.get()
      try consume(series, value)
    }
  }

  /// Scores a method's prediction.
  func score(
    _ prediction: Result<MethodPrediction, SeriesFailure>, by method: any RFactorMethod,
    for series: Series, _ evidence: SobrietyEvidence
  ) -> SobrietyScore {
    score(method.name, series, evidence) { threshold throws(SeriesFailure) in
      try prediction.get().sobriety(threshold: threshold)
    }
  }

  /// Scores the prediction that a model computed elsewhere gives of the series.
  func score(
    model: String, for series: Series, _ evidence: SobrietyEvidence
  ) -> SobrietyScore {
    var given = score(model, series, evidence) { threshold throws(SeriesFailure) in
      try series.requireUsable()
      return try series.prediction(by: model).sobriety(
        of: series, threshold: threshold, using: options.factors)
    }
    given.isGiven = true
    return given
  }

  private func score(
    _ method: String, _ series: Series, _ evidence: SobrietyEvidence,
    _ predict: (GramsPerKilogram) throws(SeriesFailure) -> SobrietyPrediction
  ) -> SobrietyScore {
    SobrietyScore(
      series: series, method: method,
      prediction: Result { () throws(SeriesFailure) in
        try predict(evidence.threshold.concentration)
      },
      measured: evidence.measured, threshold: evidence.threshold, doubts: evidence.doubts)
  }

  /// What the readings say; those that mouth alcohol spoils say nothing.
  func evidence(of series: Series, _ instrument: Instrument?) -> SobrietyEvidence {
    let uses = options.selection.uses(of: series, instrument)
    let good = zip(series.readings, uses).filter { $0.1 != .mouthAlcohol }
    return SobrietyEvidence(
      good.map(\.0), of: series, instrument, SobrietyThreshold(of: series, instrument, options),
      options.factors)
  }
}
