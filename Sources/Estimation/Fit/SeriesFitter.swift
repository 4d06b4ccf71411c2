package import AlcoholKinetics
import GSL
import RealModule
public import StudyData

/// The checked options and starts that a fitter uses for every series.
final class FitPlan: Sendable {
  let options: FitOptions
  /// The starts, in coordinates of the parameters that are estimated.
  let starts: [[Double]]
  /// The source of r: `estimated`, `fixed` or the name of the method.
  let rFactor: String

  init(_ options: FitOptions) throws(SeriesFailure) {
    try options.check()
    self.options = options
    rFactor =
      options.estimate.contains(.r)
      ? "estimated" : options.fixed[.r] == nil ? options.rFactor.name : "fixed"
    do {
      starts = try StartingPoints.coordinates(
        of: options.estimate.sorted(), in: options.bounds, options.starts)
    } catch {
      throw .solver(error.description)
    }
  }
}

/// Fits one series at a time.
///
/// A fitter reuses its workspaces: use one fitter for many series, and one for each thread.
public final class SeriesFitter {
  /// The options of the fits.
  public var options: FitOptions { plan.options }

  let plan: FitPlan
  private let engine: LeastSquaresEngine
  private let cache: OptionsCache

  /// Creates a fitter.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the options ask for something impossible,
  ///   ``SeriesFailure/solver(_:)`` if the starts cannot be laid out.
  public convenience init(options: FitOptions = FitOptions()) throws(SeriesFailure) {
    self.init(try FitPlan(options))
  }

  init(_ plan: FitPlan) {
    self.plan = plan
    engine = LeastSquaresEngine(plan.options.engine)
    cache = OptionsCache(plan.options)
  }

  /// Estimates the parameters of a series.
  ///
  /// The best minimum of several starts is reported, with intervals and identifiability of each parameter.
  /// If the calling task is cancelled, it ends within one iteration of the solver.
  ///
  /// - Parameters:
  ///   - series: The drinks and readings.
  ///   - instrument: The instrument that the study states; nil for none.
  /// - Throws: ``SeriesFailure`` if the data have an error, something needed is missing, no minimum was
  ///   found, or the task was cancelled.
  public func fit(
    _ series: Series, instrument: Instrument? = nil
  ) throws(SeriesFailure) -> SeriesFit {
    let series = series.inOrderOfTime
    let problem = try FitProblem(series, checked: options, instrument, cache)
    let (solver, search, solution) = try solved(problem)
    return FitSummary(
      series: series, plan: plan, instrument: instrument, problem: problem, search: search,
      intervals: try solver.intervals(of: solution, options, series, search)
    ).fit
  }

  /// Returns the contribution of a series to the error model of its study; nil if its fit does not converge, or leaves no
  /// degree of freedom.
  ///
  /// - Parameter isTested: Whether to add the sums for the test of correlated errors.
  func errorPart(
    of series: Series, instrument: Instrument?, _ isTested: Bool
  ) throws(SeriesFailure) -> StudyErrorPart? {
    let series = isTested ? series.inOrderOfTime : series
    let problem = try FitProblem(series, checked: options, instrument, cache)
    let (solver, search, solution) = try solved(problem)
    guard solution.minimum.exit.isConverged else { return nil }
    let sums =
      isTested
      ? FitSummary(
        series: series, plan: plan, instrument: instrument, problem: problem, search: search,
        intervals: try solver.intervals(of: solution, options, series, search)
      ).residualSums : nil
    return StudyErrorPart(solution, problem, sums)
  }

  private func solved(
    _ problem: FitProblem
  ) throws(SeriesFailure) -> (solver: FitSolver, search: Search, solution: Solution) {
    let solver = FitSolver(problem, engine)
    let objective = solver.preliminaryObjective
    let starts = starts(of: problem).map { problem.risingStart($0, objective) }
    let search = try Search.search(objective, from: starts, using: engine)
    return (solver, search, try solver.best(of: search, from: starts))
  }

  /// Returns the starts in coordinates. The first is a typical subject unless the problem has a prior or a start.
  private func starts(of problem: FitProblem) -> [[Double]] {
    let starts = starts(of: problem.layout.free).map(problem.balancedStart)
    guard problem.prior != nil || !problem.start.isEmpty else { return starts }
    let given = (problem.prior?.center ?? [:]).merging(problem.start) { $1 }
    guard !given.isEmpty, var first = starts.first else { return starts }
    for (index, parameter) in problem.layout.free.enumerated() {
      if let value = given[parameter] { first[index] = parameter.coordinate(of: value) }
    }
    return [first] + starts.dropFirst()
  }

  /// Returns the starts in the coordinates of the free parameters.
  private func starts(of free: [FitParameter]) -> [[Double]] {
    guard options.estimate.count != free.count else { return plan.starts }
    let all = options.estimate.sorted()
    let kept = all.indices.filter { free.contains(all[$0]) }
    return plan.starts.map { start in kept.map { start[$0] } }
  }
}

extension FitProblem {
  /// Returns a start whose curve is above zero at some reading, by changing one that is not.
  ///
  /// If the initial rate of absorption, k_a dose / (r weight), is hardly above beta, the curve stays at zero, the gradient
  /// vanishes and the descent cannot move. A smaller r, or a smaller beta if r is not estimated, lets the curve rise.
  fileprivate func risingStart(_ start: [Double], _ objective: CurveObjective) -> [Double] {
    guard model == .widmark, !regimen.hasIntravenous else { return start }
    let values = layout.values(at: start)
    let rise =
      values[known: .ka] * regimen.total.value / (values[known: .r] * values[known: .beta])
    // The curve is computed only where it may be at zero.
    guard rise > 0, rise < Self.safeRise,
      let index = layout.free.firstIndex(of: .r) ?? layout.free.firstIndex(of: .beta),
      objective.predictions(at: start)?.allSatisfy({ $0 <= 0 }) ?? true
    else { return start }
    var moved = start
    moved[index] = max(layout.lowest[index], start[index] + .log(rise / Self.safeRise))
    return moved
  }

  /// Returns a start with the V_max that balances the amounts absorbed and left at the last reading, given the measured
  /// concentrations. It is next to the valley along which V_max and K_m compensate for each other.
  fileprivate func balancedStart(_ start: [Double]) -> [Double] {
    guard model == .michaelisMenten, !needsPredictions,
      let index = layout.free.firstIndex(of: .vmax),
      let last = observations.all.last
    else { return start }
    let values = layout.values(at: start)
    let gain = values[known: .gain]
    let km = values[known: .km]
    var time = elapsedRegimen.start?.value ?? last.elapsed
    var share = 0.0
    var eliminated = 0.0
    for reading in observations.all where reading.elapsed > time {
      let next = reading.level / (gain * km + reading.level)
      eliminated += 0.5 * (share + next) * (reading.elapsed - time)
      time = reading.elapsed
      share = next
    }
    let dose = regimen.total.value / values[known: .r]
    let vmax = max(dose - last.level / gain, 0.1 * dose) / eliminated
    guard vmax > 0, vmax.isFinite else { return start }
    var moved = start
    moved[index] = min(max(.log(vmax), layout.lowest[index]), layout.highest[index])
    return moved
  }

  /// The initial rate of absorption, relative to beta, of a start that was changed.
  private static let safeRise = 4.0
}

extension FitOptions {
  /// Returns the values of the parameters that are not estimated; those of the others are arbitrary.
  ///
  /// - Throws: ``SeriesFailure/rFactor(_:)`` if the method of r cannot be used for the subject.
  package func heldValues(for subject: Subject) throws(SeriesFailure) -> ParameterValues {
    try heldValues(for: subject, typicalValues(for: subject))
  }

  /// Returns these values except r, which depend on sex and food state alone.
  func typicalValues(for subject: Subject) -> ParameterValues {
    let typical = typical ?? TypicalKinetics(of: subject.food)
    let held = typical.values(of: model, for: subject.sex, given: fixed, estimated: estimate)
    var values = ParameterValues()
    // Includes a k_a that the options estimate, for series with intravenous doses only.
    let usual = typical.values(of: model, for: subject.sex, given: [.lag: 0])
    for parameter in model.traits.lazy.map(\.parameter) {
      values[known: parameter] = held[parameter] ?? usual[parameter] ?? 1
    }
    return values
  }

  func heldValues(
    for subject: Subject, _ typical: ParameterValues
  ) throws(SeriesFailure) -> ParameterValues {
    var values = typical
    if !estimate.contains(.r), fixed[.r] == nil {
      do {
        values[known: .r] = try rFactor.rFactor(for: subject).value
      } catch {
        throw .problem(error)
      }
    }
    return values
  }
}
