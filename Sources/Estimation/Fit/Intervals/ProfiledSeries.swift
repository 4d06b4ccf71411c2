import AlcoholKinetics

/// An objective with a known minimum, of which one coordinate can be fixed and the others re-optimised.
protocol ProfiledObjective {
  /// The coordinates at the minimum.
  var center: [Double] { get }
  /// The value of the profiled objective at the minimum: a sum of squares or deviance (``ProfileCriterion``).
  var minimumValue: Double { get }
  /// The rise above the minimum at the ends of the interval.
  var threshold: Double { get }
  /// Returns the search range of a coordinate.
  func range(of index: Int) -> ClosedRange<Double>
  /// Minimises over the other coordinates for each request, including those added while it runs.
  ///
  /// - Parameters:
  ///   - requests: The starts, each with the coordinate that is held.
  ///   - startKind: ``StartKind/profile``, or ``StartKind/probe`` if the last digits do not matter.
  ///   - receive: Receives the index of a request and its minimum; it may add further requests.
  func follow(
    _ requests: inout [DescentRequest], _ startKind: StartKind,
    receive: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure)
  /// True if one descent for each point is enough, because the limits are rechecked from other profiles.
  var oneDescentSuffices: Bool { get }
  /// True if a limit may be interpolated between points; else it has to be a visited point.
  var interpolatesLimits: Bool { get }
  /// Returns true if the objective at a point would be lower but for a search bound of another coordinate.
  func isLimitedByBound(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool
}

extension ProfiledObjective {
  var oneDescentSuffices: Bool { true }
  var interpolatesLimits: Bool { true }

  /// Returns the minimum for each request, in order.
  func points(
    _ requests: [DescentRequest], _ startKind: StartKind
  ) throws(SeriesFailure) -> [ProfilePoint] {
    var requests = requests
    var points = requests.map { ProfilePoint(coordinates: $0.start, value: .infinity) }
    try follow(&requests, startKind) { index, point, _ in points[index] = point }
    return points
  }

  /// Returns a request to descend from a point with some coordinates held.
  func request(
    _ start: Coordinates, holding held: CoordinateSet = []
  ) -> DescentRequest {
    DescentRequest(start: start, held: held)
  }
}

/// The profiled objective of a fitted series, for the profiles of its parameters and of derived quantities.
final class ProfiledSeries: ProfiledObjective {
  let solver: FitSolver
  let solution: Solution
  let criterion: ProfileCriterion
  /// The profiled objective at the solution.
  let minimumValue: Double
  private let noise: Noise

  /// Returns nil for a perfect fit, which has no profile, and with too few readings.
  init?(_ solver: FitSolver, _ solution: Solution, level: Double) {
    guard let noise = solution.noise,
      solution.minimum.objective > solution.objective.roundingError,
      let criterion = ProfileCriterion(solver.problem, solution, level: level)
    else { return nil }
    self.solver = solver
    self.solution = solution
    self.noise = noise
    self.criterion = criterion
    minimumValue = criterion.value(of: solution.minimum.objective) ?? solution.deviance
  }

  var layout: ParameterLayout { solver.problem.layout }
  var objective: CurveObjective { solution.objective }
  var center: [Double] { solution.minimum.coordinates }
  var threshold: Double { criterion.threshold }
  /// Along the valley of V_max and K_m a single descent may stop before the minimum.
  var oneDescentSuffices: Bool { layout.model != .michaelisMenten }

  /// Returns the profiled objective next to a minimum, and the coordinates it belongs to. If the objective is a deviance
  /// with an estimated scale, parameters and scale are optimised in turns until they agree.
  func measure(
    of sumOfSquares: Double, at start: [Double],
    _ descend: (CurveObjective, [Double]) throws(SeriesFailure) -> [Double]
  ) throws(SeriesFailure) -> (value: Double, coordinates: [Double]) {
    if let value = criterion.value(of: sumOfSquares) { return (value, start) }
    var noise = self.noise
    var objective = self.objective
    var coordinates = start
    let model = solver.problem.noiseModel
    let parameterCount = layout.count
    for _ in 0..<FitSolver.roundLimit {
      guard let predictions = objective.predictions(at: coordinates) else { break }
      let next = model.rescaled(noise, for: predictions, parameterCount: parameterCount)
      let isSettled = next.relativeChange(from: noise) < solver.problem.settledChange
      noise = next
      if isSettled {
        let deviance = model.deviance(of: predictions, noise, parameterCount: parameterCount)
        return (deviance + objective.priorCost(at: coordinates), coordinates)
      }
      objective = solver.objective(noise)
      coordinates = try descend(objective, coordinates)
    }
    return (.infinity, coordinates)
  }

  /// Returns true if the objective would fall noticeably beyond a search bound at which coordinates are.
  ///
  /// - Parameters:
  ///   - stopped: The indices of the coordinates at a bound.
  ///   - gradient: Half the gradient of the sum of squares; nil where it cannot be evaluated.
  ///   - least: Returns the smallest noticeable fall for a coordinate, as a fraction of the threshold.
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

  /// The fall beyond a bound that is noticeable, as a fraction of the threshold.
  static let noticeable = 0.1
}

// MARK: - The profiles of parameters

extension ProfiledSeries {
  func range(of index: Int) -> ClosedRange<Double> {
    layout.lowest[index]...layout.highest[index]
  }

  func follow(
    _ requests: inout [DescentRequest], _ startKind: StartKind,
    receive: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    let engine = solver.engine
    try engine.descend(on: objective, &requests, startKind) {
      index, end, requests throws(SeriesFailure) in
      try receive(index, try point(at: end, holding: requests[index].held), &requests)
    }
  }

  /// Returns the profile point at the end of a descent on the objective of the solution.
  func point(
    at end: DescentEnd, holding held: CoordinateSet
  ) throws(SeriesFailure) -> ProfilePoint {
    let count = layout.count
    let isStuck = end.isStationary && count > 1
    if let value = criterion.value(of: end.objective) {
      return ProfilePoint(coordinates: end.coordinates, value: value, isStuck: isStuck)
    }
    let engine = solver.engine
    let (value, coordinates) = try measure(
      of: end.objective, at: end.coordinates.array(count)
    ) { objective, coordinates throws(SeriesFailure) in
      let next = DescentRequest(start: Coordinates(coordinates), held: held)
      return try engine.ends(of: objective, [next], startKind: .warm)[0].coordinates.array(count)
    }
    return ProfilePoint(coordinates: Coordinates(coordinates), value: value, isStuck: isStuck)
  }

  /// Returns true if the objective would fall beyond a search bound of another parameter: by any amount, or by
  /// ``noticeable`` if that parameter is at the bound in the solution too, as k_a is where the first reading comes late.
  ///
  /// A descent may stop just before a bound, where the objective is nearly flat: coordinates near one are tried there.
  func isLimitedByBound(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool {
    if try isStopped(point, holding: index) { return true }
    for other in 0..<layout.count where other != index {
      let coordinate = point.coordinates[other]
      let lowest = layout.lowest[other]
      let highest = layout.highest[other]
      let bound = coordinate - lowest < highest - coordinate ? lowest : highest
      guard coordinate != bound, abs(coordinate - bound) < Self.nearBound,
        layout.isAtDefaultBound(other, bound)
      else { continue }
      let probe = request(
        point.coordinates.moved(other, to: bound),
        holding: CoordinateSet(index).union(CoordinateSet(other)))
      guard let atBound = try points([probe], .profile).first else { continue }
      guard atBound.value <= point.value + ProfileCriterion.rounding else { continue }
      if try isStopped(atBound, holding: index) { return true }
    }
    return false
  }

  /// Returns true if the objective would fall beyond a bound. The coordinates that are at none are re-optimised first:
  /// the descent along the profile may have left them where moving them gains more than passing the bound.
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

  /// Distance from a bound within which a descent may have stopped on its way there: a factor of e.
  private static let nearBound = 1.0
  /// The noticeable fall beyond a bound that the solution does not touch, as a fraction of the threshold; less is
  /// rounding.
  private static let negligible = 1e-6
}
