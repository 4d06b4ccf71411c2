import AlcoholKinetics
import GSL

/// The profiles of all free parameters at one solution.
struct ProfilePass {
  /// Intervals of the coordinates.
  private(set) var intervals: [ParameterInterval]
  /// The profiles, with all points that were met; none where there is nothing to profile.
  private(set) var profiles: [ProfileLikelihood<ProfiledSeries>] = []
  /// Better fits that profiles met, in coordinates.
  private var better: [[Double]] = []
  /// Parameters with a bound up to which the fit gets no worse, and the points there.
  private var flat: [(index: Int, coordinates: [Double])] = []

  init(
    _ problem: SeriesProblem, _ solution: Solution, _ covariance: CoordinateCovariance,
    level: Double
  ) throws(SeriesFailure) {
    // A perfect fit has no profile; next to it the covariance says all.
    intervals = covariance.waldIntervals(problem, solution, level: level).map { interval in
      ParameterInterval(
        low: interval.low, high: interval.high, isIdentifiable: interval.low.map { _ in true })
    }
    guard let profiled = ProfiledSeries(problem, solution, level: level) else { return }
    profiles = intervals.indices.map { ProfileLikelihood(profiled, index: $0) }
    for index in profiles.indices {
      intervals[index] = try profiles[index]
        .interval(standardError: covariance.standardErrors[index])
    }
    for _ in profiles.indices {
      guard try widen(covariance) else { break }
    }
    better = profiles.compactMap(\.better)
    for (index, profile) in profiles.enumerated() {
      let isAtBound = solution.minimum.atBound.contains(problem.layout.free[index])
      if let limit = profile.flatLimit, !isAtBound {
        flat.append((index, limit))
      }
    }
  }

  /// Looks for ends again beyond those that another profile has gone past, or leads past.
  ///
  /// One profile may meet a branch that another has missed, and what it met there is allowed.
  ///
  /// - Returns: Whether there was any such end; others may then be farther out, too.
  private mutating func widen(_ covariance: CoordinateCovariance) throws(SeriesFailure) -> Bool {
    var isWider = false
    for index in profiles.indices {
      let met = profiles.indices.filter { $0 != index }.map { other in
        profiles[other].allowed.map { $0.moved(from: other, to: index) }
      }
      var news = met.joined().filter { !intervals[index].contains($0.coordinate) }
      for end in [intervals[index].low, intervals[index].high].compactMap(\.self) {
        let starts = met.compactMap { $0.nearest(to: end)?.others }
        if let point = try profiles[index].allowed(at: end, from: starts) { news.append(point) }
      }
      guard !news.isEmpty else { continue }
      profiles[index].learn(news)
      intervals[index] = try profiles[index]
        .interval(standardError: covariance.standardErrors[index])
      isWider = true
    }
    return isWider
  }

  /// A better fit than the solution, if a descent from next to an end of a profile leads to one.
  ///
  /// The ends are where the readings are still followed and the parameters are most different, so
  /// that they are good starts.
  private func descend(
    _ problem: SeriesProblem, _ solution: Solution
  ) throws(SeriesFailure) -> [Double]? {
    for (index, profile) in profiles.enumerated() {
      for point in [profile.allowed.first, profile.allowed.last].compactMap(\.self) {
        let minimum = try problem.solver.minimum(
          of: problem.objective, from: point.coordinates(holding: index))
        if Search.isBetter(minimum, than: solution.minimum) { return minimum.coordinates }
      }
    }
    return nil
  }

  /// The solution that the profiles point to; nil if they point to none that is as good.
  ///
  /// Its deviance is never above that of the solution, rounding apart: a solution moves to where the
  /// fit is better, or to a bound up to which it is as good.
  func improved(
    _ problem: SeriesProblem, _ solution: Solution
  ) throws(SeriesFailure) -> Solution? {
    var starts = better
    if starts.isEmpty, let start = try descend(problem, solution) { starts = [start] }
    for start in starts {
      if let improved = try descended(problem, solution, from: start) { return improved }
    }
    for (index, coordinates) in flat {
      if let atBound = try atBound(problem, solution, index, coordinates) { return atBound }
    }
    return nil
  }

  /// The solution below a better fit; nil if it is not better once its noise is in line.
  private func descended(
    _ problem: SeriesProblem, _ solution: Solution, from start: [Double]
  ) throws(SeriesFailure) -> Solution? {
    let minimum = try problem.solver.minimum(of: problem.objective, from: start)
    var improved = try problem.solution(from: minimum)
    improved.minimum.iterations += solution.minimum.iterations
    if improved.deviance < solution.deviance, improved.predictsAlcohol { return improved }
    if let noise = solution.noise { problem.use(noise) }
    return nil
  }

  /// The solution with a parameter at a bound: where the fit gets no worse up to there, any value is
  /// as good, and the bound says so. Nil if the fit does get worse when it is solved there.
  private func atBound(
    _ problem: SeriesProblem, _ solution: Solution, _ index: Int, _ coordinates: [Double]
  ) throws(SeriesFailure) -> Solution? {
    var minimum = try problem.solver.minimum(
      of: problem.objective, from: coordinates, holding: index)
    if !minimum.exit.isConverged {
      // From a bound beyond which it would like to go a descent cannot move. As good as the solution, it
      // is a minimum if that is one, between the same bounds.
      minimum.exit = solution.minimum.exit
      for other in coordinates.indices
      where minimum.coordinates[other] == solution.minimum.coordinates[other] {
        let parameter = problem.layout.free[other]
        if solution.minimum.atBound.contains(parameter) { minimum.atBound.insert(parameter) }
      }
    }
    let bar = solution.minimum.objective * (1 + BoundedSolver.negligibleRise)
    guard minimum.objective <= bar,
      let predictions = problem.objective.predictions(at: minimum.coordinates)
    else { return nil }
    var atBound = solution
    atBound.minimum = minimum
    atBound.minimum.iterations += solution.minimum.iterations
    atBound.predictions = predictions
    return atBound
  }
}

extension [ProfilePoint] {
  /// The point whose coordinate is nearest; nil if there is none.
  fileprivate func nearest(to coordinate: Double) -> ProfilePoint? {
    self.min { abs($0.coordinate - coordinate) < abs($1.coordinate - coordinate) }
  }
}
