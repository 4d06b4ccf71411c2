/// The profiles of all free parameters at one solution.
final class ProfilePass {
  /// Intervals of the coordinates.
  private(set) var intervals: [ParameterInterval]
  /// The profiles, with all points that were met; none where there is nothing to profile.
  private(set) var profiles: [ProfileLikelihood<ProfiledSeries>] = []

  let solver: FitSolver
  let solution: Solution
  let profiled: ProfiledSeries?

  /// Follows the profiles to the ends of their intervals.
  static func search(
    _ solver: FitSolver, _ found: FitIntervals, level: Double
  ) throws(SeriesFailure) -> ProfilePass {
    let pass = ProfilePass(solver, found, level: level)
    guard let profiled = pass.profiled else { return pass }
    let covariance = found.covariance
    pass.profiles = pass.intervals.indices.map {
      ProfileLikelihood(profiled, index: $0, tangent: covariance.tangent(of: $0))
    }
    try pass.findEnds(Array(pass.profiles.indices), covariance)
    for _ in pass.profiles.indices {
      guard try pass.widen(covariance) else { break }
    }
    return pass
  }

  private init(_ solver: FitSolver, _ found: borrowing FitIntervals, level: Double) {
    self.solver = solver
    solution = found.solution
    profiled = ProfiledSeries(solver, solution, level: level)
    // A perfect fit has no profile; next to it the covariance says all, as far as the search goes.
    let wald = found.covariance.waldIntervals(solver.problem, solution, level: level)
    intervals = wald.enumerated().map { [layout = solver.problem.layout] index, interval in
      let low = interval.low.flatMap { $0 > layout.lowest[index] ? $0 : nil }
      let high = interval.high.flatMap { $0 < layout.highest[index] ? $0 : nil }
      return ParameterInterval(
        low: low, high: high,
        isIdentifiable: interval.isIdentifiable ?? (low != nil && high != nil))
    }
  }

  /// Looks for ends again beyond those that another branch goes past: one that another profile has met, or
  /// that is reached from there or from next to the end.
  ///
  /// - Returns: Whether there was any such end; others may then be farther out, too.
  private func widen(_ covariance: CoordinateCovariance) throws(SeriesFailure) -> Bool {
    guard let profiled else { return false }
    var news: [[ProfilePoint]] = profiles.map { _ in [] }
    var requests: [DescentRequest] = []
    for (index, profile) in profiles.enumerated() {
      let interval = intervals[index]
      profile.challenge(&requests)
      for (position, other) in profiles.enumerated() where position != index {
        news[index] += other.allowed { !interval.contains($0[index]) }
        profile.challenge(from: other.points, &requests)
      }
    }
    for (request, point) in zip(requests, try profiled.points(requests, .probing)) {
      for index in profiles.indices where request.held.contains(index) {
        if profiles[index].isAllowed(point) { news[index].append(point) }
      }
    }
    let wider = profiles.indices.filter { !news[$0].isEmpty }
    for index in wider { profiles[index].learn(news[index]) }
    try findEnds(wider, covariance)
    return !wider.isEmpty
  }

  private func findEnds(
    _ indices: [Int], _ covariance: CoordinateCovariance
  ) throws(SeriesFailure) {
    try ProfileLikelihood.findEnds(
      of: &profiles, in: indices, standardErrors: covariance.standardErrors)
    for index in indices { intervals[index] = profiles[index].interval }
  }

  /// A better fit than the solution, if a descent from next to an end of a profile leads to one.
  ///
  /// The ends are where the readings are still followed and the parameters are most different, so
  /// that they are good starts.
  private func descend() throws(SeriesFailure) -> [Double]? {
    guard let profiled else { return nil }
    let starts = profiles.flatMap { $0.landmarks.map { profiled.request($0) } }
    let ends = try solver.engine.ends(of: solution.objective, starts, reach: .probing)
    for end in ends where Search.isBetter(end.objective, than: solution.minimum) {
      let start = end.coordinates.array(profiles.count)
      let value = solution.objective.value(at: start)
      if Search.isBetter(value, than: solution.minimum) { return start }
    }
    return nil
  }

  /// The solution that the profiles point to; nil if they point to none that is as good.
  ///
  /// Its deviance is never above that of the solution, rounding apart: a solution moves to where the
  /// fit is better, or to a bound up to which it is as good.
  func improved() throws(SeriesFailure) -> Solution? {
    var starts = profiles.compactMap { $0.better?.coordinates.array(profiles.count) }
    if starts.isEmpty, let start = try descend() { starts = [start] }
    for start in starts {
      if let improved = try descended(from: start) { return improved }
    }
    for (index, profile) in profiles.enumerated()
    where !solution.minimum.atBound.contains(index) {
      if let limit = profile.flatLimit?.array(profiles.count),
        let atBound = try atBound(index, limit)
      {
        return atBound
      }
    }
    return nil
  }

  /// The solution below a better fit; nil if it is not better once its noise is in line.
  private func descended(from start: [Double]) throws(SeriesFailure) -> Solution? {
    let minimum = try solver.engine.minimum(of: solution.objective, from: start, reach: .near)
    var improved = try solver.solution(
      from: minimum, of: solution.objective, held: solution.noise)
    improved.minimum.iterations += solution.minimum.iterations
    return improved.deviance < solution.deviance && improved.predictsAlcohol ? improved : nil
  }

  /// The solution with a parameter at a bound: where the fit gets no worse up to there, any value is
  /// as good, and the bound says so. Nil if the fit does get worse when it is solved there.
  private func atBound(
    _ index: Int, _ coordinates: [Double]
  ) throws(SeriesFailure) -> Solution? {
    var minimum = try solver.engine.minimum(
      of: solution.objective, from: coordinates, holding: CoordinateSet(index), reach: .near)
    minimum.atBound.insert(CoordinateSet(index))
    if !minimum.exit.isConverged {
      // From a bound beyond which it would like to go a descent cannot move. As good as the solution, it
      // is a minimum if that is one, between the same bounds.
      minimum.exit = solution.minimum.exit
      for other in coordinates.indices
      where minimum.coordinates[other] == solution.minimum.coordinates[other] {
        if solution.minimum.atBound.contains(other) {
          minimum.atBound.insert(CoordinateSet(other))
        }
      }
    }
    let bar = solution.minimum.objective * (1 + FitSolver.negligibleRise)
    guard minimum.objective <= bar,
      let predictions = solution.objective.predictions(at: minimum.coordinates)
    else { return nil }
    var atBound = solution
    atBound.minimum = minimum
    atBound.minimum.iterations += solution.minimum.iterations
    atBound.predictions = predictions
    return atBound
  }
}
