import AlcoholKinetics

/// A solution whose parameters are moved away from their estimates one at a time.
struct ProfiledSeries: ProfiledObjective {
  let bottom: Double

  private let problem: SeriesProblem
  private let solution: Solution
  private let noise: Noise
  private let criterion: ProfileCriterion

  /// Prepares the profiles; nil for a perfect fit, which has none, and for want of readings.
  init?(_ problem: SeriesProblem, _ solution: Solution, level: Double) {
    guard let noise = solution.noise,
      solution.minimum.objective > problem.objective.roundingError,
      let criterion = ProfileCriterion(problem, solution, level: level)
    else { return nil }
    self.problem = problem
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

  func minimum(
    holding index: Int, at coordinate: Double, from others: [Double]
  ) throws(SeriesFailure) -> ProfilePoint {
    let layout = problem.layout
    let parameter = layout.free[index]
    problem.objective.layout = layout.holding([parameter: parameter.value(at: coordinate)])
    defer { problem.objective.layout = layout }
    let minimum = try problem.solver.minimum(of: problem.objective, from: others)
    guard let value = criterion.value(of: minimum.objective) else {
      let settled = try settled(from: minimum.coordinates)
      return ProfilePoint(
        coordinate: coordinate, others: settled.coordinates, value: settled.deviance,
        isLost: settled.coordinates == others && problem.objective.isFlat(at: others))
    }
    return ProfilePoint(
      coordinate: coordinate, others: minimum.coordinates, value: value,
      isLost: minimum.coordinates == others && problem.objective.isFlat(at: others))
  }

  /// A bound cuts the profile short if the fit would gain by going beyond it: by anything, unless the
  /// parameter stands there in the solution as well, as k_a does where the first reading comes late.
  func isCutShort(_ point: ProfilePoint, holding index: Int) -> Bool {
    let layout = problem.layout
    let coordinates = point.coordinates(holding: index)
    let stopped = coordinates.indices.filter {
      $0 != index && layout.isAtDefaultBound($0, coordinates[$0])
    }
    guard !stopped.isEmpty else { return false }
    guard let gradient = problem.objective.gradient(at: coordinates) else { return true }
    let sumOfSquares = problem.objective.value(at: coordinates)
    return stopped.contains { other in
      let outward: Double = coordinates[other] <= layout.lowest[other] ? -1 : 1
      // The gradient is half that of the sum of squares; one unit is a factor of e.
      let gain = criterion.fall(by: -2 * outward * gradient[other], of: sumOfSquares)
      let isStoppedAnyway = solution.minimum.atBound.contains(layout.free[other])
      return gain > (isStoppedAnyway ? Self.noticeable : Self.negligible) * threshold
    }
  }

  /// The part of the threshold by which a fit has to gain for a bound to be in its way.
  private static var noticeable: Double { 0.1 }
  /// The same for a bound at which the solution does not stand; less is rounding.
  private static var negligible: Double { 1e-6 }

  /// The deviance with the other parameters and the scale at their best, in turns.
  ///
  /// - Parameter start: The best other parameters for the noise of the solution.
  private func settled(
    from start: [Double]
  ) throws(SeriesFailure) -> (deviance: Double, coordinates: [Double]) {
    defer { problem.use(noise) }
    var noise = noise
    var coordinates = start
    let lost = problem.layout.count
    for _ in 0..<SeriesProblem.roundLimit {
      guard let predictions = problem.objective.predictions(at: coordinates) else { break }
      let next = problem.noiseModel.rescaled(noise, for: predictions, lost: lost)
      let isSettled = next.relativeChange(from: noise) < problem.settledChange
      noise = next
      if isSettled {
        return (problem.noiseModel.deviance(of: predictions, noise, lost: lost), coordinates)
      }
      problem.use(noise)
      coordinates = try problem.solver.minimum(of: problem.objective, from: coordinates).coordinates
    }
    return (.infinity, coordinates)
  }
}
