package import AlcoholKinetics
import GSL
public import StudyData

/// Fits one series at a time.
///
/// A fitter keeps the solver's workspaces and uses them again for every series of the same size, so
/// use one fitter for many series, and one for each thread.
public final class SeriesFitter {
  /// What is estimated and how.
  public let options: FitOptions

  /// Where absorption is slow or was not sampled, the minimum lies at the end of a long, narrow and
  /// curved valley, in which plain Levenberg-Marquardt and dogleg steps are cut short. On the worst
  /// of the Wilkinson (1977) series, geodesic acceleration (Transtrum & Sethna 2012) converges in
  /// half the iterations that the others spend without converging, and on simulated cohorts it ends
  /// in a wrong minimum eight times less often. QR keeps the digits that the normal equations would
  /// lose there. Should it not converge, the usual method is tried.
  private static let farRungs = [accelerated, LeastSquaresOptions()]

  /// Next to a minimum, as along a profile, all methods arrive, and the usual one costs half.
  private static let nearRungs = [LeastSquaresOptions(), accelerated]

  private static let accelerated = LeastSquaresOptions(
    method: .geodesicAcceleration, scaling: .more, linearSolver: .qr)

  private let farSolver = BoundedSolver(SeriesFitter.farRungs)
  private let nearSolver = BoundedSolver(SeriesFitter.nearRungs)
  private let starts: [[Double]]

  /// Prepares to fit.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible,
  ///   ``SeriesFailure/solver(_:)`` if the starts cannot be laid out.
  public init(options: FitOptions = FitOptions()) throws(SeriesFailure) {
    try options.check()
    self.options = options
    do {
      starts = try StartingPoints.coordinates(
        of: options.estimate.sorted(), in: options.bounds, options.starts)
    } catch {
      throw .solver(error)
    }
  }

  /// Estimates the parameters of a series.
  ///
  /// The best minimum of several starts is reported, with intervals and a verdict for each parameter.
  ///
  /// - Parameters:
  ///   - series: Whose drinks and readings.
  ///   - instrument: What the study says of the instrument.
  /// - Throws: ``SeriesFailure`` if the data have an error, something needed is missing, or no
  ///   minimum was found.
  public func fit(
    _ series: Series, instrument: Instrument? = nil
  ) throws(SeriesFailure) -> SeriesFit {
    try series.requireUsable()
    let uses = options.uses(of: series, instrument)
    let problem = try problem(series, uses, instrument)
    let starts = starts(of: problem.layout.free)
    let search = try Search(problem.objective, from: starts, using: farSolver)
    var solution = try best(of: search, problem, starts)
    let intervals = try FitIntervals(
      problem, &solution, options.interval, options.standardErrors, seed: series.seed)
    return FitSummary(
      series: series, uses: uses, options: options, instrument: instrument, problem: problem,
      search: search, solution: solution, intervals: intervals
    ).fit
  }

  package func problem(
    _ series: Series, _ uses: [ReadingUse], _ instrument: Instrument?
  ) throws(SeriesFailure) -> SeriesProblem {
    let observations = Observations(
      series, uses: uses, options.selection, instrument, options.factors)
    guard observations.count > 0 || !uses.contains(.beforeDrinking) else { throw .nothingPredicted }
    let held = try options.heldValues(for: series.subject)
    let regimen = try series.regimen()
    let estimated = try options.estimated(of: regimen)
    // Zeros count once, so that where there is nothing else there are too few readings, too.
    guard observations.count == 0 || observations.largest > 0 else { throw .nothingMeasured }
    guard observations.count >= estimated.count else {
      throw .tooFewReadings(found: observations.count, needed: estimated.count)
    }
    let unit = series.readings.first?.unit ?? .bloodGramsPerKilogram
    let error = InstrumentError(instrument, unit: unit, options.factors)
    if case .instrument = options.error, !error.isStated { throw .instrumentErrorMissing }
    let layout = ParameterLayout(
      options.model, free: estimated, held: held,
      bounds: options.bounds)
    return SeriesProblem(
      regimen, layout,
      NoiseModel(
        error: options.error, loss: options.loss, instrument: error,
        censoring: options.selection.censoring, observations: observations,
        chain: CorrelationChain(observations, options.correlation)),
      tuning: options.lossTuning ?? options.loss.defaultTuning, nearSolver, options.correlation)
  }

  /// The starts of those parameters of the options that are free.
  private func starts(of free: [FitParameter]) -> [[Double]] {
    let all = options.estimate.sorted()
    guard all != free else { return starts }
    let kept = all.indices.filter { free.contains(all[$0]) }
    return starts.map { start in kept.map { start[$0] } }
  }

  /// The best solution that any of the different minima leads to. A curve that is zero at every
  /// reading is none: nothing was learnt.
  ///
  /// All minima are followed, so that those of more starts are others besides the same.
  private func best(
    of search: Search, _ problem: SeriesProblem, _ starts: [[Double]]
  ) throws(SeriesFailure) -> Solution {
    guard problem.loss == .linear else {
      return try problem.robustSolution(
        from: starts + search.minima.map(\.coordinates), using: farSolver)
    }
    guard let lowest = search.minima.first,
      lowest.objective < problem.objective.valueOfNothing
    else { throw .nothingPredicted }
    // Where noise and parameters do not depend on each other, the order of the minima is final.
    let count = problem.noiseModel.needsPredictions ? search.minima.count : 1
    var best: Solution?
    var failure: SeriesFailure?
    for minimum in search.minima.prefix(count) {
      let start = try farSolver.atBoundIfRunaway(minimum, of: problem.objective)
      do throws(SeriesFailure) {
        let solution = try problem.solution(from: start)
        let isBetter = best.map { solution.deviance < $0.deviance } ?? true
        if isBetter, solution.predictsAlcohol { best = solution }
      } catch {
        if case .solver = error { throw error }
        failure = failure ?? error
      }
      problem.usePreliminaryNoise()
    }
    guard let best else { throw failure ?? .nothingPredicted }
    if let noise = best.noise { problem.use(noise) }
    return best
  }
}

extension FitOptions {
  /// Says for each reading of a series what a fit does with it. A lag that is estimated may be none.
  package func uses(of series: Series, _ instrument: Instrument?) -> [ReadingUse] {
    let lag =
      estimate.contains(.lag) || series.drinks.contains { $0.route == .intravenous }
      ? 0 : fixed[.lag] ?? 0
    return selection.uses(of: series, instrument, lag: Hours(lag))
  }

  /// What is estimated from a regimen: nothing about absorption where nothing is absorbed.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if nothing is left, or a lag is to be estimated that some
  ///   doses have and others have not: its derivative is not carried along.
  package func estimated(of regimen: Regimen) throws(SeriesFailure) -> Set<FitParameter> {
    guard regimen.hasIntravenous else { return estimate }
    let estimated = regimen.isIntravenous ? estimate.subtracting([.ka, .lag]) : estimate
    guard !estimated.isEmpty else {
      throw .badOptions(
        "all doses are intravenous, so that nothing can be learnt about absorption; estimate beta or "
          + "another parameter of elimination")
    }
    guard !estimated.contains(.lag) else {
      throw .badOptions(
        "some doses are intravenous and others are drunk, and the lag of the latter cannot be "
          + "estimated; fix it with --fix lag=MIN")
    }
    return estimated
  }

  /// The values of the parameters that are not estimated; any value for the others.
  fileprivate func heldValues(for subject: Subject) throws(SeriesFailure) -> ParameterValues {
    var values = ParameterValues()
    for parameter in model.parameters {
      values[known: parameter] = fixed[parameter] ?? parameter.traits.usualValue ?? 1
    }
    if !estimate.contains(.r), fixed[.r] == nil {
      do {
        values[known: .r] = try rFactor.rFactor(for: subject).value
      } catch {
        throw .rFactor(error)
      }
    }
    return values
  }
}
