public import AlcoholKinetics
public import Estimation
public import StudyData

/// What one r-factor method, or one given model, predicts for a series, against its readings.
public struct Comparison: Codable, Hashable, Sendable {
  public enum Status: String, CaseIterable, Sendable {
    /// The curve can be compared with the readings.
    case ok
    case noReadings = "no-readings"
    /// A given model has a time to sobriety and no curve, or none that covers a reading.
    case noCurve = "no-curve"
    /// The method has no formula for the subject.
    case notApplicable = "not-applicable"
    case failed
  }

  public let series: Series
  public let method: String
  /// The agreement of curve and readings (nil without either), or the reason why there is none.
  @CodedResult public private(set) var result: Result<CurveAgreement?, SeriesFailure>
  /// What was predicted with; nil if nothing was.
  public let parameters: ModelParameters?
  /// What is done with each reading of the series: those that a fit would not use are not compared.
  public let uses: [ReadingUse]
  /// Predicted and measured time to sobriety.
  public let sobriety: SobrietyScore
  /// What its reader should know.
  public let warnings: [FitWarning]

  /// The agreement of curve and readings, if both are there.
  public var agreement: CurveAgreement? { try? result.get() }

  /// Why there is no prediction; nil if there is one.
  var failure: SeriesFailure? { result.failure }

  public var status: Status {
    switch result {
    case .success(let agreement):
      agreement != nil ? .ok : uses.contains(where: \.isUsed) ? .noCurve : .noReadings
    case .failure(.rFactor(.notDefined)): .notApplicable
    case .failure: .failed
    }
  }

  /// Compares every given model and every method on every series of a study, series by series.
  ///
  /// - `options`: The methods, and what they predict with.
  public static func comparisons(
    of study: Study, options: PredictionOptions, jobs: Int = 1
  ) throws(SeriesFailure) -> [Comparison] {
    let parameters = try options.parameters.resolved(for: study, options, jobs: jobs)
    return try map(study, options, [parameters], withIntervals: true, jobs: jobs) {
      $0.first ?? []
    }.flatMap(\.self)
  }

  /// Compares every given model and every method on every series of a stream as it comes, and hands the comparisons
  /// on, those of a series together, in order. Memory does not grow with the study.
  ///
  /// - `consume`: Takes the comparisons of a series; called by one thread at a time.
  /// - Returns: What was found in the study as a whole.
  /// - Throws: `SeriesFailure.badOptions(_:)` if parameters are to be fitted without a start, or are those of other
  ///   subjects, and what the stream and `consume` throw.
  public static func forEach(
    of stream: sending StudyStream, options: PredictionOptions, jobs: Int = 1,
    _ consume: @escaping @Sendable (Series, [Comparison]) throws -> Void
  ) throws -> [Diagnostic] {
    let (scorer, instrument) = (try SobrietyScorer(options: options), stream.instrument)
    return try scorer.predict(stream, jobs: jobs) { series, predictions in
      all(of: series, predictions, ComparedReadings(series, instrument, scorer), scorer)
    } _: {
      try consume($0, $1)
    }
  }

  /// Compares every method on every series of a study, with several choices of kinetic parameters.
  ///
  /// - Parameters:
  ///   - options: The methods, and how to compare; not where kinetic parameters come from.
  ///   - choices: For each choice and method the parameters for every series.
  ///   - withIntervals: Whether times to sobriety get intervals, which cost 64 curves each.
  ///   - transform: Gets the comparisons of a series: for each choice one for each given model and each method.
  static func map<Value: Sendable>(
    _ study: Study, _ options: PredictionOptions,
    _ choices: [[[Result<ModelParameters, SeriesFailure>]]], withIntervals: Bool = false, jobs: Int,
    _ transform: @Sendable ([[Comparison]]) -> Value
  ) throws(SeriesFailure) -> [Value] {
    let scorer = try SobrietyScorer(options: options)
    let spreads = withIntervals ? PredictionSpreads(options) : nil
    return try ParallelMap.map(Array(study.series.indices), jobs: jobs) {
    } _: { (_: Void, index) -> Value in
      let series = study.series[index]
      let readings = ComparedReadings(series, study.instrument, scorer)
      return transform(
        choices.map { choice in
          all(
            of: series, MethodPrediction.all(of: series, choice.map { $0[index] }, spreads),
            readings, scorer)
        })
    }
  }

  /// Compares what every given model and every method predicts for a series.
  private static func all(
    of series: Series, _ predictions: [Result<MethodPrediction, SeriesFailure>],
    _ readings: ComparedReadings, _ scorer: SobrietyScorer
  ) -> [Comparison] {
    scorer.options.models.map { Comparison(model: $0, for: series, readings, scorer) }
      + zip(scorer.options.methods, predictions).map {
        Comparison($1, by: $0, for: series, readings, scorer)
      }
  }

  /// What is done with each reading of the series that some method predicts for; of a series that
  /// several are compared on once.
  public static func uses(in comparisons: [Comparison]) -> [ReadingUse] {
    comparisons.filter { (try? $0.result.get()) != nil }.grouped(by: \.series.key)
      .flatMap { $0.values[0].uses }
  }

  private init(
    _ prediction: Result<MethodPrediction, SeriesFailure>, by method: any RFactorMethod,
    for series: Series, _ readings: ComparedReadings, _ scorer: SobrietyScorer
  ) {
    self.series = series
    self.method = method.name
    let agreement = prediction.map {
      CurveAgreement($0, series, readings.observations, factors: scorer.options.factors)
    }
    result = agreement
    parameters = try? prediction.get().parameters
    uses = readings.uses
    sobriety = scorer.score(prediction, by: method, for: series, readings.evidence)
    var warnings: [FitWarning] = []
    if case .success(let prediction) = prediction {
      if (try? agreement.get())?.readingsAboveDose ?? 0 > 0 { warnings.append(.aboveDose) }
      if method.isOutsidePublishedRange(prediction.parameters.r, for: series.subject) {
        warnings.append(.rPublishedRange)
      }
    }
    self.warnings = warnings
  }

  /// Compares what a model that was computed elsewhere gives of the series.
  private init(
    model: String, for series: Series, _ readings: ComparedReadings, _ scorer: SobrietyScorer
  ) {
    self.series = series
    method = model
    result = Result { () throws(SeriesFailure) in
      try series.requireUsable()
      let factors = scorer.options.factors
      return try series.prediction(by: model).curves(using: factors).flatMap {
        CurveAgreement($0.curve, series, readings.observations, factors: factors)
      }
    }
    parameters = nil
    uses = readings.uses
    sobriety = scorer.score(model: model, for: series, readings.evidence)
    warnings = []
  }
}

/// What the readings of a series say, with which predictions are compared: the same for every method.
private struct ComparedReadings {
  let uses: [ReadingUse]
  let observations: Observations
  let evidence: SobrietyEvidence

  init(_ series: Series, _ instrument: Instrument?, _ scorer: SobrietyScorer) {
    let options = scorer.options
    uses = options.selection.uses(of: series, instrument)
    observations = Observations(
      series, uses: uses, options.selection, instrument, options.factors)
    evidence = scorer.evidence(of: series, instrument)
  }
}
