import AlcoholKinetics
import GSL
import StudyData

/// A solution with its covariance and intervals, in coordinates.
struct FitIntervals {
  /// The best solution; profiles may have found a better one than the search.
  var solution: Solution
  /// The covariance of the parameters that are not at a bound.
  var covariance: CoordinateCovariance
  /// Intervals of the coordinates of all free parameters.
  var intervals: [ParameterInterval]
  /// Profiles for figures; empty unless requested.
  var profiles: [ParameterProfile] = []
  /// Derived quantities; empty unless requested.
  var derived: [DerivedEstimate] = []
  /// The coordinates of equally good solutions, which the intervals span as well.
  var others: [[Double]] = []
}

extension FitSolver {
  /// The largest number of restarts from a better fit that profiles found.
  private static let mostRestarts = 3

  /// Computes the covariance, intervals, profiles and derived quantities that options ask for.
  func intervals(
    of solution: Solution, _ options: FitOptions, _ series: Series, _ search: Search
  ) throws(SeriesFailure) -> FitIntervals {
    var result = FitIntervals(
      solution: solution,
      covariance: CoordinateCovariance(problem, solution, options.standardErrors),
      intervals: problem.layout.free.map { _ in ParameterInterval() })
    let level = options.interval?.level ?? Interval.defaultLevel
    var source = DerivedIntervals.Source.none
    switch options.interval?.kind {
    case nil: break
    case .wald:
      result.intervals = result.covariance.waldIntervals(problem, solution, level: level)
      source = .wald
    case .profile:
      var pass = try ProfilePass.search(self, result, level: level)
      for _ in 0..<Self.mostRestarts {
        guard let next = try pass.improved() else { break }
        result.solution = try finished(next)
        result.covariance = CoordinateCovariance(problem, result.solution)
        pass = try ProfilePass.search(self, result, level: level)
      }
      result.intervals = pass.intervals
      source = .profile(pass)
    case .residualBootstrap, .parametricBootstrap:
      guard let interval = options.interval, let noise = solution.noise,
        let analysis = result.covariance.analysis
      else {
        // With all parameters at bounds, replicates would carry no information.
        let isUndetermined = result.covariance.parameters.isEmpty
        result.intervals = result.intervals.map { _ in
          ParameterInterval(isIdentifiable: isUndetermined ? false : nil)
        }
        break
      }
      let bootstrap = FitBootstrap(
        solver: self, solution: solution, noise: noise, leverages: analysis.leverages,
        options: interval)
      let replicates = try bootstrap.replicates(seed: interval.seed ^ series.seed())
      result.intervals = bootstrap.intervals(of: replicates)
      source = .bootstrap(bootstrap, replicates)
    }
    try extendToEquivalents(&result, with: search, options, level: level)
    result.intervals = zip(problem.layout.free, result.intervals).map { $1.closed(for: $0) }
    if !options.derived.quantities.isEmpty {
      result.derived = try DerivedIntervals(
        solver: self, result: result, level: level, source: source
      ).estimates(options.derived)
    }
    guard options.keepsProfiles else { return result }
    if case .profile(let pass) = source {
      result.profiles = try pass.drawn(result.intervals)
    } else {
      // Profiles use the error model, also where standard errors are robust.
      var ofModel = result
      ofModel.covariance = CoordinateCovariance(problem, result.solution)
      result.profiles = try ProfilePass.search(self, ofModel, level: level).drawn(result.intervals)
    }
    return result
  }
}

extension FitSolver {
  /// Extends intervals to those of equally good solutions. Values between two solutions may be rejected, but neither
  /// solution is.
  private func extendToEquivalents(
    _ result: inout FitIntervals, with search: Search, _ options: FitOptions, level: Double
  ) throws(SeriesFailure) {
    let kind = options.interval?.kind
    guard kind == .profile || kind == .wald else { return }
    for other in try equivalents(of: result, search) {
      var equivalent = FitIntervals(
        solution: other,
        covariance: CoordinateCovariance(problem, other, options.standardErrors),
        intervals: problem.layout.free.map { _ in ParameterInterval() })
      equivalent.intervals =
        kind == .wald
        ? equivalent.covariance.waldIntervals(problem, other, level: level)
        : try ProfilePass.search(self, equivalent, level: level).intervals
      result.intervals = zip(result.intervals, equivalent.intervals).map { $0.union(with: $1) }
      result.others.append(other.minimum.coordinates)
    }
  }
}

extension ParameterInterval {
  /// Returns the smallest interval that contains both; open where either is.
  fileprivate func union(with other: Self) -> Self {
    func end(_ first: Double?, _ second: Double?, _ outer: (Double, Double) -> Double) -> Double? {
      first.flatMap { first in second.map { outer(first, $0) } }
    }
    return ParameterInterval(
      low: end(low, other.low, min), high: end(high, other.high, max),
      isIdentifiable: isIdentifiable.flatMap { first in other.isIdentifiable.map { first && $0 } })
  }

  /// Closes the interval of a lag at zero, which is its lowest possible value.
  fileprivate func closed(for parameter: FitParameter) -> Self {
    guard parameter == .lag, let high, low.map({ $0 < 0 }) ?? true else { return self }
    return ParameterInterval(low: 0, high: high, isIdentifiable: isIdentifiable.map { _ in true })
  }
}
