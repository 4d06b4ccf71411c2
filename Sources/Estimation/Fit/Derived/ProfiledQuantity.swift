import AlcoholKinetics

/// The profiled objective of a derived quantity, a function of the parameters.
///
/// The profile of a quantity q is the best fit with q at a given value. The values whose rise is at most the threshold are
/// its interval, which are the values that q takes anywhere in the likelihood region of all
/// parameters (Venzon & Moolgavkar 1988, Pawitan 2001, section 3.5). Here q is constrained by a penalty: one more
/// residual, w (q - target). At the minimum of the penalised sum of squares no other point with the same q fits better, so
/// every such minimum is on the profile at its value of q, whatever the weight. The target is the coordinate that is
/// stepped outwards, after those of the parameters.
final class ProfiledQuantity: ProfiledObjective {
  let center: [Double]

  private let profiled: ProfiledSeries
  private let function: QuantityFunction
  /// The quantity at the solution, on its scale.
  private let origin: Double
  /// The change of the quantity for a change of its coordinate by 1.
  private let unit: Double
  /// The weight of the penalty residual, per unit of the coordinate.
  private let weight: Double

  /// The number of descents so far.
  private var descents = 0

  /// The number of descents after which the search for limits is given up.
  ///
  /// Smooth profiles take about 40. With parameters at bounds, a few thousand descents found no limits either, in minutes.
  private static let mostDescents = 150
  /// The weight of the penalty residual in residual standard deviations.
  private static let firmness = 10.0
  /// The farthest targets, in logarithms, or in h before the first drink and after the estimate.
  private static let farthest = (logarithm: 5.0, before: 1.0, after: 72.0)

  /// Prepares the profile; nil if parameters have no profile either.
  ///
  /// - Parameters:
  ///   - origin: The quantity at the solution, on its scale.
  ///   - standardError: The standard error of the quantity on that scale; nil if unknown.
  init?(
    _ solver: FitSolver, _ solution: Solution, _ function: QuantityFunction, origin: Double,
    standardError: Double?, level: Double
  ) {
    guard let profiled = ProfiledSeries(solver, solution, level: level),
      let variance = ResidualVariance(solver.problem, solution)
    else { return nil }
    self.profiled = profiled
    self.function = function
    self.origin = origin
    let (shortest, longest) = function.quantity.isLogarithmic ? (1e-5, 0.3) : (1e-5, 0.5)
    unit = min(max(standardError ?? longest, shortest), longest)
    weight = Self.firmness * variance.forProfile.squareRoot()
    center = profiled.center + [0]
  }

  var oneDescentSuffices: Bool { false }
  /// False: the quantity at a limit is read from a visited point.
  var interpolatesLimits: Bool { false }

  var minimumValue: Double { profiled.minimumValue }
  var threshold: Double { profiled.threshold }

  /// True if the search was given up.
  var isExhausted: Bool { descents > Self.mostDescents }

  /// The index of the target among the coordinates.
  var index: Int { center.count - 1 }

  /// The coordinate of a value on the scale of the quantity.
  func coordinate(of scaled: Double) -> Double { (scaled - origin) / unit }

  func range(of index: Int) -> ClosedRange<Double> {
    let farthest = Self.farthest
    let (low, high) =
      function.quantity.isLogarithmic
      ? (origin - farthest.logarithm, origin + farthest.logarithm)
      : (min(origin, 0) - farthest.before, origin + farthest.after)
    return coordinate(of: low)...coordinate(of: high)
  }

  func follow(
    _ requests: inout [DescentRequest], _ startKind: StartKind,
    receive: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    try requests.answerEach(
      { request throws(SeriesFailure) in
        descents += 1
        return isExhausted
          ? ProfilePoint(coordinates: request.start, value: .infinity)
          : try point(request, startKind)
      }, receive: receive)
  }

  private func point(
    _ request: DescentRequest, _ startKind: StartKind
  ) throws(SeriesFailure) -> ProfilePoint {
    let start = request.start.array(index)
    let target = request.start[index]
    let engine = profiled.solver.engine
    let minimum = try engine.minimum(
      of: held(profiled.objective, at: target), from: start, startKind: startKind)
    let (value, end) = try profiled.measure(
      of: profiled.objective.value(at: minimum.coordinates), at: minimum.coordinates
    ) { objective, coordinates throws(SeriesFailure) in
      try engine.minimum(of: self.held(objective, at: target), from: coordinates, startKind: .warm)
        .coordinates
    }
    let isUsable = minimum.objective.isFinite && value.isFinite
    return ProfilePoint(
      coordinates: Coordinates(end + [target]), value: isUsable ? value : .infinity,
      isStuck: minimum.isStationary && end.count > 1)
  }

  private func held(_ objective: CurveObjective, at target: Double) -> HeldQuantity {
    HeldQuantity(
      objective, function, target: origin + target * unit, weight: weight / unit)
  }

  /// Returns true if the objective at the same value of the quantity would fall beyond a search bound, as for the profile
  /// of a parameter.
  func isLimitedByBound(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool {
    let layout = function.layout
    let coordinates = point.coordinates.array(self.index)
    let stopped = coordinates.indices.filter { layout.isAtDefaultBound($0, coordinates[$0]) }
    guard !stopped.isEmpty else { return false }
    let objective = held(profiled.objective, at: point.coordinates[self.index])
    return profiled.isStopped(at: coordinates, by: stopped, objective.gradient(at: coordinates)) {
      _ in ProfiledSeries.noticeable
    }
  }
}

/// The objective with a penalty residual that holds a quantity near a target.
private final class HeldQuantity: SumOfSquares {
  private let objective: CurveObjective
  private let function: QuantityFunction
  private let target: Double
  private let weight: Double

  init(
    _ objective: CurveObjective, _ function: QuantityFunction, target: Double, weight: Double
  ) {
    self.objective = objective
    self.function = function
    self.target = target
    self.weight = weight
  }

  var residualCount: Int { objective.residualCount + 1 }
  var lowest: [Double] { objective.lowest }
  var highest: [Double] { objective.highest }
  var roundingError: Double { objective.roundingError }

  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    guard objective.write(residuals: residuals, at: coordinates),
      let value = function.scaled(at: point(coordinates))
    else { return false }
    residuals[objective.residualCount] = weight * (value - target)
    return true
  }

  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let point = point(coordinates)
    guard objective.write(jacobian: jacobian, at: coordinates),
      let gradient = function.gradient(at: clamped(point))
    else { return false }
    let row = jacobian + objective.residualCount * point.count
    for (index, slope) in gradient.enumerated() {
      row[index] = function.layout.isOutside(index, point[index]) ? 0 : weight * slope
    }
    return true
  }

  private func point(_ coordinates: UnsafePointer<Double>) -> [Double] {
    Array(UnsafeBufferPointer(start: coordinates, count: coordinateCount))
  }
}
