import AlcoholKinetics
import GSL

/// A solution with its covariance and intervals, in coordinates.
struct FitIntervals {
  /// The best solution; one that profiles met, if that is better than the one they began at.
  private(set) var solution: Solution
  /// What the Jacobian says of the parameters that are not at a bound.
  private(set) var covariance: CoordinateCovariance
  /// Intervals of the coordinates of all free parameters.
  private(set) var intervals: [ParameterInterval]
  /// Profiles for figures; none unless they were asked for.
  private(set) var profiles: [ParameterProfile] = []
  /// Derived quantities; none unless they were asked for.
  private(set) var derived: [DerivedEstimate] = []

  /// How often a profile may find a better fit and send the search back.
  private static let mostReturns = 3

  /// Computes them as the options ask for.
  ///
  /// - Parameter seed: Tells the random numbers of one series from those of another.
  init(
    _ solver: FitSolver, _ start: Solution, _ options: FitOptions,
    seed: @autoclosure () -> UInt64
  ) throws(SeriesFailure) {
    let problem = solver.problem
    solution = start
    covariance = CoordinateCovariance(problem, solution, options.standardErrors)
    intervals = problem.layout.free.map { _ in ParameterInterval() }
    let level = options.interval?.level ?? IntervalOptions.defaultLevel
    var pass: ProfilePass?
    var source = DerivedIntervals.Source.none
    switch options.interval?.kind {
    case nil: break
    case .wald:
      intervals = covariance.waldIntervals(problem, solution, level: level)
      source = .wald
    case .profile:
      var last = try ProfilePass(solver, solution, covariance, level: level)
      for _ in 0..<Self.mostReturns {
        guard let next = try last.improved() else { break }
        solution = try solver.finished(next)
        covariance = CoordinateCovariance(problem, solution)
        last = try ProfilePass(solver, solution, covariance, level: level)
      }
      intervals = last.intervals
      pass = last
      source = .profile(last)
    case .residualBootstrap, .parametricBootstrap:
      guard let interval = options.interval, let noise = solution.noise,
        let analysis = covariance.analysis
      else {
        // Where all stand at bounds there is nothing that replicates could show.
        let isUndetermined = covariance.parameters.isEmpty
        intervals = intervals.map { _ in
          ParameterInterval(low: nil, high: nil, isIdentifiable: isUndetermined ? false : nil)
        }
        break
      }
      let bootstrap = FitBootstrap(
        solver: solver, solution: solution, noise: noise, leverages: analysis.leverages,
        options: interval)
      let replicates = try bootstrap.replicates(seed: interval.seed ^ seed())
      intervals = bootstrap.intervals(of: replicates)
      source = .bootstrap(bootstrap, replicates)
    }
    intervals = zip(problem.layout.free, intervals).map { $1.closed(for: $0) }
    if !options.derived.quantities.isEmpty {
      derived = try DerivedIntervals(
        solver: solver, solution: solution, covariance: covariance, parameters: intervals,
        level: level, source: source
      ).estimates(options.derived)
    }
    guard options.keepsProfiles else { return }
    if pass == nil {
      pass = try ProfilePass(
        solver, solution, CoordinateCovariance(problem, solution), level: level)
    }
    profiles = try pass?.drawn(intervals) ?? []
  }
}

extension ParameterInterval {
  /// A lag cannot be below zero: where nothing rules zero out, zero is the low end.
  fileprivate func closed(for parameter: FitParameter) -> Self {
    guard parameter == .lag, let high, low.map({ $0 < 0 }) ?? true else { return self }
    return ParameterInterval(low: 0, high: high, isIdentifiable: isIdentifiable.map { _ in true })
  }
}
