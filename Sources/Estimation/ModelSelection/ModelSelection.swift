import AlcoholKinetics
public import StudyData

/// The candidates for a model of one series, best first.
public struct ModelSelection: Sendable {
  /// The series.
  public let series: Series
  /// The candidates by rising AICc; those without one come last.
  public let candidates: [CandidateFit]

  /// Fits all candidates to every series of a study, in order.
  ///
  /// - Parameters:
  ///   - study: Whose series.
  ///   - options: How to fit. Model and estimate are those of the candidates, except that r and the
  ///     gain are estimated if they are here.
  ///   - jobs: How many threads work at it. The results do not depend on it.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible or leave
  ///   no likelihood to compare models by, ``SeriesFailure/solver(_:)`` if starts cannot be laid out.
  public static func selections(
    of study: Study, options: FitOptions, jobs: Int = 1
  ) throws(SeriesFailure) -> [ModelSelection] {
    let candidates = try candidateOptions(options)
    return ParallelMap.map(study.series, jobs: jobs) {
      candidates.map(SeriesFitter.made)
    } _: { fitters, series in
      ModelSelection(series, by: fitters, instrument: study.instrument)
    }
  }

  /// Fits all candidates to every series of a stream as it comes, and hands the results on in order.
  /// Only so many are under way at a time, so that memory does not grow with the study.
  ///
  /// - Parameters:
  ///   - stream: Whose series.
  ///   - options: How to fit, as for a study.
  ///   - jobs: How many threads work at it. The results do not depend on it.
  ///   - consume: Takes the results, in the order of the series; called by one thread at a time.
  /// - Returns: What was found in the study as a whole.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` and ``SeriesFailure/solver(_:)`` as for a study, and
  ///   what the stream and `consume` throw.
  public static func forEach(
    of stream: sending StudyStream, options: FitOptions, jobs: Int = 1,
    _ consume: @escaping @Sendable (ModelSelection) throws -> Void
  ) throws -> [Diagnostic] {
    let candidates = try candidateOptions(options)
    let instrument = stream.instrument
    return try ParallelStream.map(stream, jobs: jobs) {
      candidates.map(SeriesFitter.made)
    } _: { fitters, series in
      ModelSelection(series, by: fitters, instrument: instrument)
    } consume: {
      try consume($0)
    }
  }

  /// The options of the candidates, checked; what is wrong with them is said once, not for every
  /// series.
  private static func candidateOptions(_ options: FitOptions) throws(SeriesFailure) -> [FitOptions]
  {
    try check(options)
    let all = ModelCandidate.all.map { $0.options(from: options) }
    for candidate in all { _ = try SeriesFitter(options: candidate) }
    return all
  }

  /// Refuses options by which models cannot be compared.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)``.
  public static func check(_ options: FitOptions) throws(SeriesFailure) {
    guard options.loss == .linear else {
      throw .badOptions(
        "models are compared by their likelihood, and the \(options.loss.rawValue) loss has none")
    }
    guard options.selection.censoring != .oneSided else {
      throw .badOptions(
        "models are compared by their likelihood, and one-sided censoring has none; choose m3")
    }
    guard options.fixed[.lag] == nil else {
      throw .badOptions("the lag cannot be fixed where models with and without one are compared")
    }
    let all = ModelCandidate.all.map { $0.options(from: options) }
    for parameter in options.bounds.keys.sorted()
    where !all.contains(where: { $0.estimate.contains(parameter) }) {
      throw .badOptions("\(parameter.rawValue) has bounds but is not estimated")
    }
    for candidate in all { try candidate.check() }
  }

  private init(
    _ series: Series, by fitters: [Result<SeriesFitter, SeriesFailure>], instrument: Instrument?
  ) {
    self.init(
      series,
      fitters.map { fitter in
        Result { () throws(SeriesFailure) in
          try fitter.get().fit(series, instrument: instrument)
        }
      })
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

extension Result<SeriesFit, SeriesFailure> {
  /// AICc; nil unless the search ended in a minimum: before that a model is not at its best.
  fileprivate var criterion: Double? {
    guard case .success(let fit) = self, fit.isConverged else { return nil }
    return fit.criteria?.aicc
  }
}
