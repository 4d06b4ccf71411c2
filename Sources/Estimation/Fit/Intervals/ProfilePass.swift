/// The profiles of all free parameters at one solution.
final class ProfilePass {
  /// Intervals of the coordinates.
  private(set) var intervals: [ParameterInterval]
  /// The profiles with all visited points; empty if there is nothing to profile.
  private(set) var profiles: [ProfileLikelihood<ProfiledSeries>] = []

  let solver: FitSolver
  let solution: Solution
  let profiled: ProfiledSeries?
  /// The lowest end of the descents from points of the profiles; nil if none is below the solution.
  private var lower: DescentEnd?

  /// Follows the profiles to the confidence limits.
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
      guard try pass.recheckEnds(covariance) else { break }
    }
    return pass
  }

  private init(_ solver: FitSolver, _ found: borrowing FitIntervals, level: Double) {
    self.solver = solver
    solution = found.solution
    profiled = ProfiledSeries(solver, solution, level: level)
    // A perfect fit has no profile; its Wald intervals are used, within the bounds of the search.
    let wald = found.covariance.waldIntervals(solver.problem, solution, level: level)
    intervals = wald.enumerated().map { [layout = solver.problem.layout] index, interval in
      let low = interval.low.flatMap { $0 > layout.lowest[index] ? $0 : nil }
      let high = interval.high.flatMap { $0 < layout.highest[index] ? $0 : nil }
      return ParameterInterval(
        low: low, high: high,
        isIdentifiable: interval.isIdentifiable ?? (low != nil && high != nil))
    }
  }

  /// Re-optimises each limit from neighbouring points, in case another branch is lower, and repeats the search for those
  /// limits that turn out to lie inside the interval.
  ///
  /// In the same batch are descents in which all coordinates are free: points of the profiles fit well and are far apart,
  /// which makes them good starts for a fit better than the solution.
  ///
  /// - Returns: True if a limit moved; others may then move, too.
  private func recheckEnds(_ covariance: CoordinateCovariance) throws(SeriesFailure) -> Bool {
    guard let profiled else { return false }
    var news: [(index: Int, point: ProfilePoint)] = []
    var requests: [DescentRequest] = []
    requests.reserveCapacity(96)
    for (index, profile) in profiles.enumerated() {
      for (position, other) in profiles.enumerated() where position != index {
        for point in other.points
        where other.isBelowThreshold(point) && !intervals[index].contains(point.coordinates[index])
        {
          news.append((index, point))
        }
      }
      profile.recheckEnds(besides: profiles, &requests)
      profile.forEachDistinctPoint { requests.append(profiled.request($0)) }
    }
    try solver.engine.descend(on: solution.objective, &requests, .probe) {
      number, end, requests throws(SeriesFailure) in
      let held = requests[number].held
      guard !held.isEmpty else {
        let bar = lower?.objective ?? solution.minimum.objective
        if end.objective < bar { lower = end }
        return
      }
      let point = try profiled.point(at: end, holding: held)
      for index in profiles.indices where held.contains(index) {
        if profiles[index].isBelowThreshold(point) { news.append((index, point)) }
      }
    }
    guard !news.isEmpty else { return false }
    for (index, point) in news { profiles[index].insert(point) }
    try findEnds(
      profiles.indices.filter { index in news.contains { $0.index == index } }, covariance)
    return true
  }

  private func findEnds(
    _ indices: [Int], _ covariance: CoordinateCovariance
  ) throws(SeriesFailure) {
    try ProfileLikelihood.findEnds(
      of: &profiles, in: indices, standardErrors: covariance.standardErrors)
    for index in indices { intervals[index] = profiles[index].interval }
  }

  /// Returns a better solution found along the profiles; nil if there is none.
  ///
  /// Its deviance is never above that of the solution, rounding apart: it is a lower minimum, or an equal one at a bound
  /// up to which the profile is flat.
  func improved() throws(SeriesFailure) -> Solution? {
    var starts = profiles.compactMap { $0.better?.coordinates.array(profiles.count) }
    if starts.isEmpty, let lower, Search.isBetter(lower.objective, than: solution.minimum) {
      // Searches integrate curves with a larger tolerance, so the objective is evaluated again.
      let start = lower.coordinates.array(profiles.count)
      let value = solution.objective.value(at: start)
      if Search.isBetter(value, than: solution.minimum) { starts = [start] }
    }
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

  /// Returns the minimum below a start; nil if its deviance is not lower once noise and curve agree.
  private func descended(from start: [Double]) throws(SeriesFailure) -> Solution? {
    let minimum = try solver.engine.minimum(of: solution.objective, from: start, startKind: .warm)
    var improved = try solver.solution(
      from: minimum, of: solution.objective, held: solution.noise)
    improved.minimum.iterations += solution.minimum.iterations
    return improved.deviance < solution.deviance && improved.predictsAlcohol ? improved : nil
  }

  /// Returns the solution with a parameter at a bound up to which the profile is flat, to mark it as undetermined; nil if
  /// the fit proves worse there.
  private func atBound(
    _ index: Int, _ coordinates: [Double]
  ) throws(SeriesFailure) -> Solution? {
    var minimum = try solver.engine.minimum(
      of: solution.objective, from: coordinates, holding: CoordinateSet(index), startKind: .warm)
    minimum.atBound.insert(CoordinateSet(index))
    if !minimum.exit.isConverged {
      // A descent cannot move from a bound beyond which the objective falls. With the objective of the solution it
      // counts as converged if the solution does, with the same active bounds.
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
