public import AlcoholKinetics
import RealModule
public import StudyData

/// The candidates for a model of one series, best first.
public struct ModelSelection: Codable, Hashable, Sendable {
  /// The series.
  public let series: Series
  /// The candidates by rising AICc; those without one come last.
  public let candidates: [CandidateFit]

  /// Fits all candidates to every series of a study, in order.
  ///
  /// - Parameters:
  ///   - study: The study.
  ///   - options: The options of the fits. Model and estimate are those of the candidates, except that r and the gain are
  ///     estimated if they are here.
  ///   - known: The study's fits with these options, if available: their candidate is not fitted again.
  ///   - jobs: The number of threads. Results are identical for any number.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible or leave
  ///   no likelihood to compare models by, ``SeriesFailure/solver(_:)`` if starts cannot be laid out.
  public static func selections(
    of study: Study, options: FitOptions, known: [StudyFit] = [], jobs: Int = 1
  ) throws(SeriesFailure) -> [ModelSelection] {
    let plans = try candidatePlans(options)
    let isKnown = plans.map { plan in
      known.count == study.series.count && plan.options.hasSameModel(as: options)
    }
    return try ParallelMap.map(Array(study.series.indices), jobs: jobs) {
      plans.map(SeriesFitter.init)
    } _: { fitters, index in
      let series = study.series[index]
      return ModelSelection(
        series,
        zip(fitters, isKnown).map { fitter, isKnown in
          isKnown ? known[index].result : fitter.result(of: series, study.instrument)
        })
    }
  }

  /// Fits all candidates to every series of a stream, and passes the results on in order. The number of fits in progress is
  /// limited, so that memory does not grow with the study.
  ///
  /// - Parameters:
  ///   - stream: The study.
  ///   - options: The options of the fits, as for a study.
  ///   - jobs: The number of threads. Results are identical for any number.
  ///   - consume: Receives the results, in the order of the series; called by one thread at a time.
  /// - Returns: The diagnostics of the study as a whole.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` and ``SeriesFailure/solver(_:)`` as for a study, and
  ///   what the stream and `consume` throw.
  package static func forEach(
    of stream: sending StudyStream, options: FitOptions, jobs: Int = 1,
    _ consume: @escaping @Sendable (ModelSelection) throws -> Void
  ) throws -> [Diagnostic] {
    let plans = try candidatePlans(options)
    let instrument = stream.instrument
    return try ParallelStream.map(stream, jobs: jobs) {
      plans.map(SeriesFitter.init)
    } _: { fitters, series in
      ModelSelection(series, fitters.map { $0.result(of: series, instrument) })
    } consume: {
      try consume($0)
    }
  }

  /// Returns the fit plan of each candidate.
  private static func candidatePlans(_ options: FitOptions) throws(SeriesFailure) -> [FitPlan] {
    try check(options)
    var plans: [FitPlan] = []
    for candidate in ModelCandidate.all {
      plans.append(try FitPlan(candidate.options(from: options)))
    }
    return plans
  }

  /// Checks that models can be compared with these options.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)``.
  public static func check(_ options: FitOptions) throws(SeriesFailure) {
    guard options.loss == .linear else {
      throw .badOptions(
        "models are compared by likelihood, but the \(options.loss.rawValue) loss has none; choose linear"
      )
    }
    guard options.selection.censoring != .oneSided else {
      throw .badOptions(
        "models are compared by likelihood, but one-sided censoring has none; choose m3")
    }
    guard options.fixed[.lag] == nil else {
      throw .badOptions("the lag cannot be fixed when models with and without a lag are compared")
    }
    let all = ModelCandidate.all.map { $0.options(from: options) }
    for parameter in options.bounds.keys.sorted()
    where !all.contains(where: { $0.estimate.contains(parameter) }) {
      throw .badOptions("\(parameter.rawValue) has bounds but is not estimated")
    }
    for candidate in all { try candidate.check() }
  }

  /// Ranks the results of ``ModelCandidate/all``.
  init(_ series: Series, _ results: [Result<SeriesFit, SeriesFailure>]) {
    self.series = series
    let evidence = AkaikeWeights(results.map(\.criterion))
    let fits = results.indices.map { index in
      CandidateFit(
        candidate: ModelCandidate.all[index], result: results[index],
        difference: evidence.differences[index], weight: evidence.weights[index])
    }
    candidates = fits.indices.sorted { left, right in
      (fits[left].difference ?? .infinity, left) < (fits[right].difference ?? .infinity, right)
    }.map { fits[$0] }
  }
}

extension FitOptions {
  /// Returns true if the options of a candidate differ from those that it was derived from in intervals at most.
  fileprivate func hasSameModel(as base: FitOptions) -> Bool {
    model == base.model && estimate == base.estimate && fixed == base.fixed
      && bounds.count == base.bounds.count
  }
}

extension Result<SeriesFit, SeriesFailure> {
  /// AICc; nil unless the fit converged.
  fileprivate var criterion: Double? {
    guard case .success(let fit) = self, fit.isConverged else { return nil }
    return fit.criteria?.aicc
  }
}

/// The fit of a candidate model to a series, with its weight.
public struct CandidateFit: Codable, Hashable, Sendable {
  /// The model.
  public let candidate: ModelCandidate
  /// Its fit, without intervals, or the reason why there is none.
  @CodedResult package private(set) var result: Result<SeriesFit, SeriesFailure>
  /// AICc minus the lowest of all candidates; nil without AICc or convergence.
  public let difference: Double?
  /// The Akaike weight (Burnham & Anderson 2002); nil without AICc or convergence.
  public let weight: Double?

  /// True if the series could not be fitted.
  public var hasFailed: Bool {
    if case .failure = result { true } else { false }
  }

  /// Number k of estimated parameters, deviance, AICc and BIC; nil where there is no likelihood.
  public var criteria: InformationCriteria? { (try? result.get())?.criteria }
}

/// Akaike weights of models that were fitted to the same readings.
///
/// With Delta the difference of a model's AICc from the lowest, its weight is exp(-Delta/2) over the
/// sum of that for all models. Source: Burnham & Anderson (2002), section 2.9.
struct AkaikeWeights {
  /// AICc minus the lowest; nil where there is none.
  let differences: [Double?]
  /// The weights, which add up to 1; nil where there is no AICc.
  let weights: [Double?]

  /// Computes the weights from AICc; nil for a model without one.
  init(_ criteria: [Double?]) {
    let lowest = criteria.compactMap(\.self).min() ?? 0
    let differences = criteria.map { criterion in criterion.map { $0 - lowest } }
    let likelihoods = differences.map { difference in difference.map { Double.exp(-$0 / 2) } }
    let sum = likelihoods.reduce(0) { $0 + ($1 ?? 0) }
    self.differences = differences
    weights = likelihoods.map { likelihood in likelihood.map { $0 / sum } }
  }
}

/// A candidate model: a model of elimination, with or without a lag of absorption.
public struct ModelCandidate: Codable, Hashable, Sendable {
  /// The model of elimination.
  public let model: EliminationModel
  /// True if a lag is estimated.
  public let hasLag: Bool

  package init(model: EliminationModel, hasLag: Bool) {
    self.model = model
    self.hasLag = hasLag
  }

  /// All candidates: every model, without and with a lag.
  public static let all = EliminationModel.allCases.flatMap { model in
    [false, true].map { ModelCandidate(model: model, hasLag: $0) }
  }

  /// The name in results.
  public var name: String { hasLag ? model.rawValue + "-lag" : model.rawValue }

  /// The name at the beginning of a sentence.
  public var title: String { hasLag ? model.title + " with a lag" : model.title }

  /// Derives the options of this candidate from those of another fit: the model's default parameters are estimated, as are
  /// r and the gain if they were; fixed parameters stay fixed. Intervals are not needed.
  func options(from base: FitOptions) -> FitOptions {
    let free = model.defaultEstimate.union(hasLag ? [.lag] : []).subtracting(base.fixed.keys)
    var options = base
    options.model = model
    options.estimate = free.union(base.estimate.intersection([.r, .gain]))
    options.fixed = base.fixed.filter { model.parameters.contains($0.key) }
    options.bounds = base.bounds.filter { options.estimate.contains($0.key) }
    options.interval = nil
    return options
  }
}
