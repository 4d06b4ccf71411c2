import AlcoholKinetics
import GSL
import StudyData

/// A solution with its covariance and intervals, in coordinates.
struct FitIntervals {
  /// The best solution; one that profiles met, if that is better than the one they began at.
  var solution: Solution
  /// What the Jacobian says of the parameters that are not at a bound.
  var covariance: CoordinateCovariance
  /// Intervals of the coordinates of all free parameters.
  var intervals: [ParameterInterval]
  /// Profiles for figures; none unless they were asked for.
  var profiles: [ParameterProfile] = []
  /// Derived quantities; none unless they were asked for.
  var derived: [DerivedEstimate] = []
  /// The coordinates of other fits that are as good, which the intervals span, too.
  var others: [[Double]] = []
}

extension FitSolver {
  /// How often a profile may find a better fit and send the search back.
  private static let mostReturns = 3

  /// Intervals of a solution as options ask for.
  func intervals(
    of solution: Solution, _ options: FitOptions, _ series: Series, _ search: Search
  ) throws(SeriesFailure) -> FitIntervals {
    var found = FitIntervals(
      solution: solution,
      covariance: CoordinateCovariance(problem, solution, options.standardErrors),
      intervals: problem.layout.free.map { _ in ParameterInterval() })
    let level = options.interval?.level ?? Interval.defaultLevel
    var source = DerivedIntervals.Source.none
    switch options.interval?.kind {
    case nil: break
    case .wald:
      found.intervals = found.covariance.waldIntervals(problem, solution, level: level)
      source = .wald
    case .profile:
      var pass = try ProfilePass.search(self, found, level: level)
      for _ in 0..<Self.mostReturns {
        guard let next = try pass.improved() else { break }
        found.solution = try finished(next)
        found.covariance = CoordinateCovariance(problem, found.solution)
        pass = try ProfilePass.search(self, found, level: level)
      }
      found.intervals = pass.intervals
      source = .profile(pass)
    case .residualBootstrap, .parametricBootstrap:
      guard let interval = options.interval, let noise = solution.noise,
        let analysis = found.covariance.analysis
      else {
        // Where all stand at bounds there is nothing that replicates could show.
        let isUndetermined = found.covariance.parameters.isEmpty
        found.intervals = found.intervals.map { _ in
          ParameterInterval(isIdentifiable: isUndetermined ? false : nil)
        }
        break
      }
      let bootstrap = FitBootstrap(
        solver: self, solution: solution, noise: noise, leverages: analysis.leverages,
        options: interval)
      let replicates = try bootstrap.replicates(seed: interval.seed ^ series.seed())
      found.intervals = bootstrap.intervals(of: replicates)
      source = .bootstrap(bootstrap, replicates)
    }
    try unite(&found, with: search, options, level: level)
    found.intervals = zip(problem.layout.free, found.intervals).map { $1.closed(for: $0) }
    if !options.derived.quantities.isEmpty {
      found.derived = try DerivedIntervals(
        solver: self, found: found, level: level, source: source
      ).estimates(options.derived)
    }
    guard options.keepsProfiles else { return found }
    if case .profile(let pass) = source {
      found.profiles = try pass.drawn(found.intervals)
    } else {
      // Profiles are of the model, whatever standard errors are from.
      var ofModel = found
      ofModel.covariance = CoordinateCovariance(problem, found.solution)
      found.profiles = try ProfilePass.search(self, ofModel, level: level).drawn(found.intervals)
    }
    return found
  }
}

extension FitSolver {
  /// Makes intervals span those of other fits that are as good: values between two may be ruled out, but neither is.
  private func unite(
    _ found: inout FitIntervals, with search: Search, _ options: FitOptions, level: Double
  ) throws(SeriesFailure) {
    let kind = options.interval?.kind
    guard kind == .profile || kind == .wald else { return }
    for other in try others(besides: found, search) {
      var own = FitIntervals(
        solution: other,
        covariance: CoordinateCovariance(problem, other, options.standardErrors),
        intervals: problem.layout.free.map { _ in ParameterInterval() })
      own.intervals =
        kind == .wald
        ? own.covariance.waldIntervals(problem, other, level: level)
        : try ProfilePass.search(self, own, level: level).intervals
      found.intervals = zip(found.intervals, own.intervals).map { $0.united(with: $1) }
      found.others.append(other.minimum.coordinates)
    }
  }
}

extension ParameterInterval {
  /// From the lowest end to the highest; open where one of the two is.
  fileprivate func united(with other: Self) -> Self {
    func end(_ one: Double?, _ another: Double?, _ outer: (Double, Double) -> Double) -> Double? {
      one.flatMap { one in another.map { outer(one, $0) } }
    }
    return ParameterInterval(
      low: end(low, other.low, min), high: end(high, other.high, max),
      isIdentifiable: isIdentifiable.flatMap { one in other.isIdentifiable.map { one && $0 } })
  }

  /// A lag cannot be below zero: where nothing rules zero out, zero is the low end.
  fileprivate func closed(for parameter: FitParameter) -> Self {
    guard parameter == .lag, let high, low.map({ $0 < 0 }) ?? true else { return self }
    return ParameterInterval(low: 0, high: high, isIdentifiable: isIdentifiable.map { _ in true })
  }
}
