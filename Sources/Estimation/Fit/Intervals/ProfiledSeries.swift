import AlcoholKinetics

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
  /// Looks for the minimum of the other coordinates for each request, and for each that is added meanwhile.
  ///
  /// - Parameters:
  ///   - requests: Each with the coordinate that is held.
  ///   - startKind: ``StartKind/profile``, or ``StartKind/probe`` if the last digits do not matter.
  ///   - take: Takes in the minimum and the measure there, by the place of the request among all; it may add further
  ///     ones.
  func follow(
    _ requests: inout [DescentRequest], _ startKind: StartKind,
    take: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure)
  /// Whether one descent to a point is enough on the way: where profiles of other parameters challenge the ends.
  var isOneDescentEnough: Bool { get }
  /// Whether an end is where the parabola through the last points leads, or has to be a point that was met.
  var hasEndsBetweenPoints: Bool { get }
  /// Whether the measure at a point is what it is because the search for another coordinate stops.
  func isCutShort(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool
}

extension ProfiledObjective {
  var isOneDescentEnough: Bool { true }
  var hasEndsBetweenPoints: Bool { true }

  /// The points that requests lead to, in their order.
  func points(
    _ requests: [DescentRequest], _ startKind: StartKind
  ) throws(SeriesFailure) -> [ProfilePoint] {
    var requests = requests
    var points = requests.map { ProfilePoint(coordinates: $0.start, value: .infinity) }
    try follow(&requests, startKind) { place, point, _ in points[place] = point }
    return points
  }

  /// A descent from a point.
  func request(
    _ start: Coordinates, holding held: CoordinateSet = []
  ) -> DescentRequest {
    DescentRequest(start: start, held: held)
  }
}

/// A solution from which something is moved away while the fit stays as good as it can: the profiles of its parameters,
/// one at a time, or of a quantity.
final class ProfiledSeries: ProfiledObjective {
  let solver: FitSolver
  let solution: Solution
  let criterion: ProfileCriterion
  /// The measure at the solution.
  let bottom: Double
  private let noise: Noise

  /// Nil for a perfect fit, which has no profile, and for want of readings.
  init?(_ solver: FitSolver, _ solution: Solution, level: Double) {
    guard let noise = solution.noise,
      solution.minimum.objective > solution.objective.roundingError,
      let criterion = ProfileCriterion(solver.problem, solution, level: level)
    else { return nil }
    self.solver = solver
    self.solution = solution
    self.noise = noise
    self.criterion = criterion
    bottom = criterion.value(of: solution.minimum.objective) ?? solution.deviance
  }

  var layout: ParameterLayout { solver.problem.layout }
  var objective: CurveObjective { solution.objective }
  var center: [Double] { solution.minimum.coordinates }
  var threshold: Double { criterion.threshold }
  /// Along the valley of V_max and K_m a single descent may rest on its way.
  var isOneDescentEnough: Bool { layout.model != .michaelisMenten }

  /// The measure next to a minimum, and where: where it has a scale to solve for, the deviance with the other
  /// parameters and the scale at their best, in turns.
  func measure(
    of sumOfSquares: Double, at start: [Double],
    _ descend: (CurveObjective, [Double]) throws(SeriesFailure) -> [Double]
  ) throws(SeriesFailure) -> (value: Double, coordinates: [Double]) {
    if let value = criterion.value(of: sumOfSquares) { return (value, start) }
    var (noise, objective, coordinates) = (noise, objective, start)
    let (model, lost) = (solver.problem.noiseModel, layout.count)
    for _ in 0..<FitSolver.roundLimit {
      guard let predictions = objective.predictions(at: coordinates) else { break }
      let next = model.rescaled(noise, for: predictions, lost: lost)
      let isSettled = next.relativeChange(from: noise) < solver.problem.settledChange
      noise = next
      if isSettled {
        let deviance = model.deviance(of: predictions, noise, lost: lost)
        return (deviance + objective.priorCost(at: coordinates), coordinates)
      }
      objective = solver.objective(noise)
      coordinates = try descend(objective, coordinates)
    }
    return (.infinity, coordinates)
  }

  /// Whether the fit would gain by going beyond a bound of the search at which some coordinates stand.
  ///
  /// - Parameters:
  ///   - gradient: That of what was minimised; nil where it cannot be evaluated.
  ///   - least: The part of the threshold by which it has to gain beyond the bound of a coordinate.
  func isStopped(
    at coordinates: [Double], by stopped: [Int], _ gradient: [Double]?, least: (Int) -> Double
  ) -> Bool {
    guard let gradient else { return true }
    let sumOfSquares = objective.value(at: coordinates)
    return stopped.contains { index in
      let outward: Double = coordinates[index] <= layout.lowest[index] ? -1 : 1
      // The gradient is half that of the sum of squares; one unit is a factor of e.
      let gain = criterion.fall(by: -2 * outward * gradient[index], of: sumOfSquares)
      return gain > least(index) * threshold
    }
  }

  /// The part of the threshold by which a fit has to gain for a bound to be in its way.
  static let noticeable = 0.1
}

// MARK: - The profiles of parameters

extension ProfiledSeries {
  func range(of index: Int) -> ClosedRange<Double> {
    layout.lowest[index]...layout.highest[index]
  }

  func follow(
    _ requests: inout [DescentRequest], _ startKind: StartKind,
    take: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    let engine = solver.engine
    try engine.descend(on: objective, &requests, startKind) {
      place, end, requests throws(SeriesFailure) in
      try take(place, try point(at: end, holding: requests[place].held), &requests)
    }
  }

  /// The point of a profile to which a descent on the objective of the solution led.
  func point(
    at end: DescentEnd, holding held: CoordinateSet
  ) throws(SeriesFailure) -> ProfilePoint {
    let count = layout.count
    let isLost = end.isStationary && count > 1
    if let value = criterion.value(of: end.objective) {
      return ProfilePoint(coordinates: end.coordinates, value: value, isLost: isLost)
    }
    let engine = solver.engine
    let (value, coordinates) = try measure(
      of: end.objective, at: end.coordinates.array(count)
    ) { objective, coordinates throws(SeriesFailure) in
      let next = DescentRequest(start: Coordinates(coordinates), held: held)
      return try engine.ends(of: objective, [next], startKind: .warm)[0].coordinates.array(count)
    }
    return ProfilePoint(coordinates: Coordinates(coordinates), value: value, isLost: isLost)
  }

  /// A bound cuts the profile short if the fit would gain by going beyond it: by anything, unless the
  /// parameter stands there in the solution as well, as k_a does where the first reading comes late.
  ///
  /// A descent may also rest on its way to a bound, where little is left to gain: what is near one is tried
  /// there.
  func isCutShort(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool {
    if try isStopped(point, holding: index) { return true }
    for other in 0..<layout.count where other != index {
      let here = point.coordinates[other]
      let (lowest, highest) = (layout.lowest[other], layout.highest[other])
      let bound = here - lowest < highest - here ? lowest : highest
      guard here != bound, abs(here - bound) < Self.nearBound,
        layout.isAtDefaultBound(other, bound)
      else { continue }
      let probe = request(
        point.coordinates.moved(other, to: bound),
        holding: CoordinateSet(index).union(CoordinateSet(other)))
      guard let there = try points([probe], .profile).first else { continue }
      guard there.value <= point.value + ProfileCriterion.rounding else { continue }
      if try isStopped(there, holding: index) { return true }
    }
    return false
  }

  /// Whether a bound is in the way, once the coordinates that stand at none are settled: the descent along the profile
  /// may have left them where more is to be gained by moving them than beyond the bound.
  private func isStopped(
    _ point: ProfilePoint, holding index: Int
  ) throws(SeriesFailure) -> Bool {
    let stopped = layout.free.indices.filter {
      $0 != index && layout.isAtDefaultBound($0, point.coordinates[$0])
    }
    guard !stopped.isEmpty else { return false }
    let settling = request(
      point.coordinates, holding: CoordinateSet(index).union(CoordinateSet(stopped)))
    let settled = try solver.engine.ends(
      of: objective, [settling], startKind: .reweighting)
    let coordinates = settled[0].coordinates.array(layout.count)
    let atBound = solution.minimum.atBound
    return isStopped(
      at: coordinates, by: stopped, objective.gradient(at: coordinates)
    ) { atBound.contains($0) ? Self.noticeable : Self.negligible }
  }

  /// How far from a bound a descent may rest on its way there: a factor of e.
  private static let nearBound = 1.0
  /// The part of the threshold to be gained beyond a bound at which the solution does not stand; less is rounding.
  private static let negligible = 1e-6
}
