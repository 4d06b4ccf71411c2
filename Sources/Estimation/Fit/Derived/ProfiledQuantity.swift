import AlcoholKinetics

/// A solution from which a function of its parameters is moved away while the fit stays as good as it can.
///
/// The profile of a quantity q is the best fit of all with q at a value; the values whose rise is not above the
/// threshold are its interval, which are the values that q takes anywhere in the likelihood region of all
/// parameters (Venzon & Moolgavkar 1988, Pawitan 2001, section 3.5). Here q is held by one more residual,
/// w (q - target): where the sum of squares with it is least, no other point with the same q fits better. So
/// every such point is on the profile, whatever the weight; its place there is where q came to be. The target
/// is what is walked outwards, as one more coordinate after those of the parameters.
final class ProfiledQuantity: ProfiledObjective {
  let center: [Double]

  private let profiled: ProfiledSeries
  private let function: QuantityFunction
  /// The quantity at the solution, on its scale.
  private let origin: Double
  /// What the quantity moves by where its coordinate does by 1.
  private let unit: Double
  /// Of the residual that holds the quantity, per unit of its coordinate.
  private let weight: Double

  /// How often the fit was looked for with the quantity held.
  private var descents = 0

  /// More descents mean that the fit jumps about so much that no end can be told.
  ///
  /// Smooth profiles take some 40; where parameters stand at bounds a few thousand found no ends either, in minutes.
  private static let mostDescents = 150
  /// A residual stands this firm against all readings: its square rises so many times faster.
  private static let firmness = 10.0
  /// The farthest targets, in logarithms, or in h before the first drink and after the estimate.
  private static let farthest = (logarithm: 5.0, before: 1.0, after: 72.0)

  /// Prepares the profile; nil where there is none of the parameters either.
  ///
  /// - Parameters:
  ///   - origin: The quantity at the solution, on its scale.
  ///   - standardError: Of the same, where it is known.
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

  var isOneDescentEnough: Bool { false }
  /// What the quantity is at an end, a point tells that was met there.
  var hasEndsBetweenPoints: Bool { false }

  var bottom: Double { profiled.bottom }
  var threshold: Double { profiled.threshold }

  /// Whether the ends cannot be told.
  var isExhausted: Bool { descents > Self.mostDescents }

  /// The place of the target among the coordinates.
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
    take: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    try requests.answerEach(
      { request throws(SeriesFailure) in
        descents += 1
        return isExhausted
          ? ProfilePoint(coordinates: request.start, value: .infinity)
          : try point(request, startKind)
      }, take: take)
  }

  private func point(
    _ request: DescentRequest, _ startKind: StartKind
  ) throws(SeriesFailure) -> ProfilePoint {
    let (start, target) = (request.start.array(index), request.start[index])
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
      isLost: minimum.isStationary && end.count > 1)
  }

  private func held(_ objective: CurveObjective, at target: Double) -> HeldQuantity {
    HeldQuantity(
      objective, function, target: origin + target * unit, weight: weight / unit)
  }

  /// Whether a bound of the search keeps the fit from being better with the quantity where it is, as for the
  /// profile of a parameter.
  func isCutShort(_ point: ProfilePoint, holding index: Int) throws(SeriesFailure) -> Bool {
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

/// The sum of squares of a fit with one more residual, which holds a quantity near a target.
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
