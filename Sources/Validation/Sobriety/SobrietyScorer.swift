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

  /// Scores every method on every series of a study, series by series.
  ///
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start.
  public func scores(
    of study: Study, jobs: Int = 1
  ) throws(SeriesFailure) -> [SobrietyScore] {
    try MethodPrediction.map(study, options, jobs: jobs) { series, method, prediction in
      score(prediction, by: method, for: series, study.instrument)
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
      series: series, rFactor: method,
      prediction: Result { () throws(SeriesFailure) in try predict(threshold) },
      measured: evidence.measured, threshold: threshold, doubts: evidence.doubts)
  }

  /// Scores predicted curves that came from outside on every series of a study, in order.
  ///
  /// - Parameter curves: The study with the predicted curves in the place of its readings, as
  ///   `StudyReader.readCurves(_:of:)` gives it.
  public func scores(of curves: Study, against study: Study) -> [SobrietyScore] {
    let predicted = Dictionary(
      curves.series.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    return study.series.map { score(predicted[$0.key], for: $0, study.instrument) }
  }

  /// Scores predicted curves that came from outside on every series of a stream as it comes. Memory
  /// does not grow with the studies if the subjects come in the same order in both.
  ///
  /// - Parameter consume: Takes a score, and the curve if there is one.
  /// - Returns: What was found in curves of no series.
  public func forEach(
    of stream: consuming StudyStream, curves: StudyStream,
    _ consume: (SobrietyScore, Series?) throws -> Void
  ) throws -> [Diagnostic] {
    let instrument = stream.instrument
    var pairing = SeriesPairing(in: curves)
    while let series = try stream.next() {
      let curve = try pairing.partner(of: series)
      try consume(score(curve, for: series, instrument), curve)
    }
    return try pairing.rest()
  }

  private func score(
    _ curve: Series?, for series: Series, _ instrument: Instrument?
  ) -> SobrietyScore {
    score(SobrietyScore.givenCurve, series, instrument) { threshold throws(SeriesFailure) in
      try series.requireUsable()
      return try prediction(of: curve, threshold)
    }
  }

  private func prediction(
    of curve: Series?, _ threshold: SobrietyThreshold
  ) throws(SeriesFailure) -> SobrietyPrediction {
    guard let curve else { throw .curveMissing }
    try curve.requireUsable()
    let outcome: SobrietyPrediction.Outcome =
      switch MeasuredSobriety(
        readings: curve.readings, threshold: threshold.concentration, start: curve.start,
        end: curve.drinks.map(\.end).max(), factors: options.factors)
      {
      case .noReadings: throw .curveMissing
      case .notReached(let lastAbove): .laterThan(lastAbove)
      case .neverAbove: .neverAbove
      case .reached(_, let first): .at(first)
      }
    return SobrietyPrediction(parameters: nil, outcome: outcome)
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
