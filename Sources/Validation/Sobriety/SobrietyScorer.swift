import AlcoholKinetics
public import Estimation
public import StudyData

/// Predicts times to sobriety and compares them with the readings.
public struct SobrietyScorer: Sendable {
  public let options: PredictionOptions

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
  }

  /// Scores every given model and every method on every series of a study, series by series.
  ///
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start.
  public func scores(
    of study: Study, jobs: Int = 1
  ) throws(SeriesFailure) -> [SobrietyScore] {
    let byMethods = try MethodPrediction.map(study, options, jobs: jobs) {
      series, method, prediction in
      score(prediction, by: method, for: series, study.instrument)
    }
    guard !options.models.isEmpty else { return byMethods }
    let count = options.methods.count
    return study.series.enumerated().flatMap { index, series in
      options.models.map { score(model: $0, for: series, study.instrument) }
        + byMethods[index * count..<(index + 1) * count]
    }
  }

  /// Scores every method on every series of a stream as it comes, and hands the scores on, those of
  /// a series together, in order. Only so many series are under way at a time, so that memory does
  /// not grow with the study.
  ///
  /// - Parameter consume: Takes the scores of a series; called by one thread at a time.
  /// - Returns: What was found in the study as a whole.
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start, or
  ///   are those of other subjects, and what the stream and `consume` throw.
  public func forEach(
    of stream: sending StudyStream, jobs: Int = 1,
    _ consume: @escaping @Sendable ([SobrietyScore]) throws -> Void
  ) throws -> [Diagnostic] {
    try options.checkForStreams()
    let (name, instrument) = (stream.name, stream.instrument)
    return try ParallelStream.map(stream, jobs: jobs) {
    } _: { (_: Void, series) -> Result<[SobrietyScore], SeriesFailure> in
      let study = Study(name: name, instrument: instrument, series: [series])
      return Result { () throws(SeriesFailure) in try scores(of: study) }
    } consume: {
      try consume($0.get())
    }
  }

  /// Scores a method's prediction.
  ///
  /// - Parameter evidence: What its readings say, where that is known already.
  func score(
    _ prediction: Result<MethodPrediction, SeriesFailure>, by method: any RFactorMethod,
    for series: Series, _ instrument: Instrument?, evidence: SobrietyEvidence? = nil
  ) -> SobrietyScore {
    score(method.name, series, instrument, evidence) { threshold throws(SeriesFailure) in
      try prediction.get().sobriety(threshold: threshold.concentration)
    }
  }

  private func score(
    _ method: String, _ series: Series, _ instrument: Instrument?,
    _ evidence: SobrietyEvidence? = nil,
    _ predict: (SobrietyThreshold) throws(SeriesFailure) -> SobrietyPrediction
  ) -> SobrietyScore {
    let threshold = SobrietyThreshold(of: series, instrument, options)
    let evidence = evidence ?? self.evidence(of: series, instrument, threshold)
    return SobrietyScore(
      series: series, method: method,
      prediction: Result { () throws(SeriesFailure) in try predict(threshold) },
      measured: evidence.measured, threshold: threshold, doubts: evidence.doubts)
  }

  /// Scores the prediction that a model computed elsewhere gives of a series.
  ///
  /// - Parameter evidence: What its readings say, where that is known already.
  func score(
    model: String, for series: Series, _ instrument: Instrument?,
    evidence: SobrietyEvidence? = nil
  ) -> SobrietyScore {
    var given = score(model, series, instrument, evidence) { threshold throws(SeriesFailure) in
      try series.requireUsable()
      return try series.prediction(by: model).sobriety(
        of: series, threshold: threshold.concentration, using: options.factors)
    }
    given.isGiven = true
    return given
  }

  /// What the readings say; those that mouth alcohol spoils say nothing.
  func evidence(
    of series: Series, _ instrument: Instrument?, _ threshold: SobrietyThreshold
  ) -> SobrietyEvidence {
    let uses = options.selection.uses(of: series, instrument)
    let good = zip(series.readings, uses).filter { $0.1 != .mouthAlcohol }
    return SobrietyEvidence(good.map(\.0), of: series, instrument, threshold, options.factors)
  }
}
