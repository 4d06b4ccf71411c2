public import AlcoholKinetics
public import Estimation
public import StudyData

/// The complete evaluation of a study: fits, predictions by every method, and their comparison.
public struct StudyEvaluation: Sendable {
  public let study: Study
  public let fitOptions: FitOptions
  public let predictionOptions: PredictionOptions
  public let bootstrap: Bootstrap
  public let series: [SeriesEvaluation]
  public let summary: ComparisonSummary
  /// A k_a of predictions that is far from the fits'; nil if it is not, or if the fits fix k_a.
  package let farAbsorption: AbsorptionMismatch?
  /// The shares of r, elimination and absorption in errors of the time to sobriety; empty if too
  /// few subjects determine them.
  package let errorShares: [TimeErrorShares]
  /// The indices of the series reported in detail, with curves, profiles and derived quantities.
  private let detailed: [Int]

  /// The most series that a report lists; of more, a sample.
  public static let mostListed = 60

  /// The most points of a curve; a longer one has fewer than one a minute.
  private static let mostPoints = 1500

  /// Fits and compares.
  ///
  /// - `requiresAllMethods`: Whether to rank every method, on the series that all of them predict for.
  /// - `most`: The number of series to report in detail; of more, a sample. Summaries are over all.
  public init(
    of study: Study, fitOptions: FitOptions, predictionOptions: PredictionOptions,
    bootstrap: Bootstrap = Bootstrap(), requiresAllMethods: Bool = false,
    detailing most: Int = .max,
    jobs: Int = 1
  ) throws(SeriesFailure) {
    self.study = study
    detailed = Self.sample(Array(study.series.indices), of: most)
    let shown = Set(detailed)
    let fitOptions = try fitOptions.withStudyError(of: study, jobs: jobs)
    self.fitOptions = fitOptions
    self.predictionOptions = predictionOptions
    self.bootstrap = bootstrap
    var options = fitOptions
    options.keepsProfiles = true
    let fits = try StudyFit.fits(of: study, options: options, detailing: shown, jobs: jobs)
    farAbsorption = AbsorptionMismatch(fits, predictionOptions)
    let scores = try Scorer(predictionOptions).scores(of: study, jobs: jobs)
    errorShares = try TimeErrorShares.all(
      of: scores, predictionOptions,
      fits: fitOptions.estimate.isSuperset(of: predictionOptions.model.defaultEstimate.union([.r]))
        ? fits : nil, instrument: study.instrument, bootstrap: bootstrap, jobs: jobs)
    let methods = predictionOptions.names.count
    let factors = predictionOptions.factors
    let level = fitOptions.interval?.level ?? Interval.defaultLevel
    series = try ParallelMap.map(Array(fits.indices), jobs: jobs) {
    } _: { [fits] _, index in
      SeriesEvaluation(
        fits[index], Array(scores[index * methods..<(index + 1) * methods]), level: level,
        factors, withCurves: shown.contains(index))
    }
    summary = ComparisonSummary(
      of: scores,
      naming: try KineticSensitivity(of: study, scores, options: predictionOptions, jobs: jobs),
      bootstrap: bootstrap, requiresAllMethods: requiresAllMethods)
  }

  /// The series reported in detail, or at most so many of them.
  public func sample(_ most: Int = .max) -> [SeriesEvaluation] {
    Self.sample(detailed, of: most).map { series[$0] }
  }

  /// Returns at most so many of the indices, evenly spaced.
  private static func sample(_ indices: [Int], of most: Int) -> [Int] {
    let count = min(indices.count, most)
    return (0..<count).map { indices[$0 * indices.count / count] }
  }

  /// The times at which the curves of a series are drawn: from its first drink or reading to its last
  /// reading or the time when everything is predicted to be over.
  fileprivate static func times(of series: Series, _ scores: [Score]) -> [Hours] {
    let first = min(series.start, series.readings.first?.time ?? series.start)
    let sober = scores.compactMap { (try? $0.prediction.get())?.time }.max() ?? 0
    let last = max(series.start + sober, series.readings.last?.time ?? series.start)
    let span = (last - first).minutes
    guard span > 0, span.isFinite else { return [first] }
    let step = max(1, (span / Double(mostPoints)).rounded(.up))
    return stride(from: 0, through: span + step, by: step).map { first + Hours(minutes: $0) }
  }
}

extension SeriesEvaluation {
  fileprivate init(
    _ fit: StudyFit, _ scores: [Score], level: Double, _ factors: ConversionFactors,
    withCurves: Bool
  ) {
    guard withCurves else {
      self.init(fit: fit, times: [], fitted: [], predicted: [], scores: scores)
      return
    }
    let times = StudyEvaluation.times(of: fit.series, scores)
    self.init(
      fit: fit, times: times,
      fitted: (try? fit.result.get())?.band(at: times, level: level) ?? [],
      predicted: scores.compactMap { score in
        Self.curve(of: score, factors).map { curve in
          PredictedCurve(
            method: score.method, concentrations: times.map { curve.concentration(at: $0) })
        }
      }, scores: scores)
  }

  private static func curve(of score: Score, _ factors: ConversionFactors) -> (any BloodCurve)? {
    guard !score.isGiven else {
      return (try? score.series.prediction(by: score.method).curves(using: factors))?.curve
    }
    guard let parameters = score.parameters else { return nil }
    return try? MethodPrediction(parameters, of: score.series.regimen()).curve
  }
}

/// The evaluation of one series: its fit, its curves, and the prediction of each method.
public struct SeriesEvaluation: Sendable {
  public struct PredictedCurve: Sendable {
    public let method: String
    /// The concentrations at ``SeriesEvaluation/times``; NaN where a given curve has none.
    public let concentrations: [GramsPerKilogram]
  }

  public let fit: StudyFit
  /// The times of the curves, on the clock of the series, from the first drink or reading on.
  public let times: [Hours]
  /// The fitted curve with its band; empty without a fit.
  public let fitted: [CurvePoint]
  /// The curve of each given model and method that has one for the subject.
  public let predicted: [PredictedCurve]
  /// The score of each method's prediction against the readings.
  public let scores: [Score]

  /// Computes the 90 % band of a method's prediction, by the variation of absorption, elimination and r between
  /// subjects. Empty if no variation is known, as for fits.
  ///
  /// Each call computes 64 curves, at no more than about `most` of ``times``.
  public func band(
    of method: String, _ options: PredictionOptions, most: Int = 120
  ) -> [(time: Hours, interval: Interval)] {
    guard let index = options.methods.firstIndex(where: { $0.name == method }),
      let parameters = scores.first(where: { $0.method == method })?.parameters,
      let prediction = try? MethodPrediction(
        parameters, of: series.regimen(),
        spread: PredictionSpreads(options).spread(ofMethod: index, for: series.subject))
    else { return [] }
    let step = max(1, (times.count + most - 1) / most)
    let some = times.indices.filter { $0 % step == 0 || $0 == times.count - 1 }.map { times[$0] }
    return zip(some, prediction.band(at: some) ?? []).map { (time: $0, interval: $1) }
  }

  /// The profiles of the estimated parameters; empty without a fit.
  public var profiles: [ParameterProfile] { (try? fit.result.get())?.profiles ?? [] }

  public var series: Series { fit.series }
}
