/// What a profile follows: something with a minimum, one coordinate of which can be held.
protocol ProfiledObjective {
  /// The coordinates at the minimum.
  var center: [Double] { get }
  /// The measure at the minimum.
  var bottom: Double { get }
  /// The largest rise above it that does not rule a value out.
  var threshold: Double { get }
  /// From where to where a coordinate is followed.
  func range(of index: Int) -> ClosedRange<Double>
  /// For each request the measure at the minimum of the other coordinates, and where that minimum is.
  ///
  /// - Parameters:
  ///   - requests: Each with the coordinate that is held.
  ///   - reach: ``Reach/along``, or ``Reach/probing`` if the last digits do not matter.
  func points(
    _ requests: [DescentRequest], _ reach: Reach
  ) throws(SeriesFailure) -> [ProfilePoint]
  /// Whether the measure at a point is what it is because the search for another coordinate stops.
  func isCutShort(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool
}

extension ProfiledObjective {
  /// A descent from a point.
  func request(
    _ start: ProfileCoordinates, holding held: CoordinateSet = []
  ) -> DescentRequest {
    DescentRequest(start: start.array(center.count), held: held)
  }
}

/// A solution whose parameters are moved away from their estimates one at a time.
final class ProfiledSeries: ProfiledObjective {
  let bottom: Double

  private let solver: FitSolver
  private let problem: FitProblem
  private let solution: Solution
  private let noise: Noise
  private let criterion: ProfileCriterion

  /// Prepares the profiles; nil for a perfect fit, which has none, and for want of readings.
  init?(_ solver: FitSolver, _ solution: Solution, level: Double) {
    problem = solver.problem
    guard let noise = solution.noise,
      solution.minimum.objective > solution.objective.roundingError,
      let criterion = ProfileCriterion(problem, solution, level: level)
    else { return nil }
    self.solver = solver
    self.solution = solution
    self.noise = noise
    self.criterion = criterion
    bottom = criterion.value(of: solution.minimum.objective) ?? solution.deviance
  }

  var center: [Double] { solution.minimum.coordinates }

  var threshold: Double { criterion.threshold }

  func range(of index: Int) -> ClosedRange<Double> {
    problem.layout.lowest[index]...problem.layout.highest[index]
  }

  func points(
    _ requests: [DescentRequest], _ reach: Reach
  ) throws(SeriesFailure) -> [ProfilePoint] {
    let minima = try solver.engine.minima(of: solution.objective, requests, reach: reach)
    var points: [ProfilePoint] = []
    points.reserveCapacity(requests.count)
    for (request, minimum) in zip(requests, minima) {
      var end = minimum.coordinates
      var measure = criterion.value(of: minimum.objective)
      if measure == nil { (measure, end) = try settled(from: end, holding: request.held) }
      let isLost = minimum.isFlat && end.count > 1
      points.append(
        ProfilePoint(
          coordinates: ProfileCoordinates(end), value: measure ?? .infinity, isLost: isLost))
    }
    return points
  }

  /// A bound cuts the profile short if the fit would gain by going beyond it: by anything, unless the
  /// parameter stands there in the solution as well, as k_a does where the first reading comes late.
  ///
  /// A descent may also rest on its way to a bound, where little is left to gain: what is near one is tried
  /// there.
  func isCutShort(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool {
    if isStopped(point, holding: index) { return true }
    let layout = problem.layout
    for other in center.indices where other != index {
      let here = point.coordinates[other]
      for bound in [layout.lowest[other], layout.highest[other]]
      where here != bound && abs(here - bound) < Self.nearBound
        && layout.isAtDefaultBound(other, bound)
      {
        let probe = request(
          point.coordinates.moved(other, to: bound), holding: CoordinateSet([index, other]))
        guard let there = try points([probe], .along).first else { continue }
        let slack = FitSolver.negligibleRise * max(1, abs(point.value))
        if there.value <= point.value + slack, isStopped(there, holding: index) { return true }
      }
    }
    return false
  }

  private func isStopped(_ point: ProfilePoint, holding index: Int) -> Bool {
    let layout = problem.layout
    let coordinates = point.coordinates.array(center.count)
    let stopped = coordinates.indices.filter {
      $0 != index && layout.isAtDefaultBound($0, coordinates[$0])
    }
    guard !stopped.isEmpty else { return false }
    guard let gradient = solution.objective.gradient(at: coordinates) else { return true }
    let sumOfSquares = solution.objective.value(at: coordinates)
    return stopped.contains { other in
      let outward: Double = coordinates[other] <= layout.lowest[other] ? -1 : 1
      // The gradient is half that of the sum of squares; one unit is a factor of e.
      let gain = criterion.fall(by: -2 * outward * gradient[other], of: sumOfSquares)
      let isStoppedAnyway = solution.minimum.atBound.contains(other)
      return gain > (isStoppedAnyway ? Self.noticeable : Self.negligible) * threshold
    }
  }

  /// How far from a bound a descent may rest on its way there: a factor of e.
  private static var nearBound: Double { 1 }
  /// The part of the threshold by which a fit has to gain for a bound to be in its way.
  private static var noticeable: Double { 0.1 }
  /// The same for a bound at which the solution does not stand; less is rounding.
  private static var negligible: Double { 1e-6 }

  private func settled(
    from start: [Double], holding held: CoordinateSet
  ) throws(SeriesFailure) -> (deviance: Double?, coordinates: [Double]) {
    let engine = solver.engine
    return try solver.settled(from: start, noise, solution.objective) {
      objective, coordinates throws(SeriesFailure) in
      try engine.minimum(of: objective, from: coordinates, holding: held, reach: .near).coordinates
    }
  }
}

extension FitSolver {
  /// The deviance with the other parameters and the scale at their best, in turns.
  ///
  /// - Parameters:
  ///   - start: The best coordinates for the noise of the solution.
  ///   - noise: That noise.
  ///   - objective: The objective at it.
  ///   - descend: The best coordinates for another noise, from some that are near.
  func settled(
    from start: [Double], _ noise: Noise, _ objective: CurveObjective,
    _ descend: (CurveObjective, [Double]) throws(SeriesFailure) -> [Double]
  ) throws(SeriesFailure) -> (deviance: Double?, coordinates: [Double]) {
    var (noise, objective, coordinates) = (noise, objective, start)
    let (model, lost) = (problem.noiseModel, problem.layout.count)
    for _ in 0..<Self.roundLimit {
      guard let predictions = objective.predictions(at: coordinates) else { break }
      let next = model.rescaled(noise, for: predictions, lost: lost)
      let isSettled = next.relativeChange(from: noise) < problem.settledChange
      noise = next
      if isSettled {
        let deviance = model.deviance(of: predictions, noise, lost: lost)
        return (deviance + objective.priorCost(at: coordinates), coordinates)
      }
      objective = self.objective(noise)
      coordinates = try descend(objective, coordinates)
    }
    return (.infinity, coordinates)
  }
}
