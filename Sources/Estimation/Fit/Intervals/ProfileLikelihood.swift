import AlcoholKinetics
import GSL

/// The profile of one coordinate: how much worse the best fit gets as it is moved away from its
/// estimate and the others follow.
struct ProfileLikelihood<Objective: ProfiledObjective> {
  /// A better fit that was met on the way, in all coordinates.
  private(set) var better: [Double]?
  /// A point at a bound up to which the fit gets no worse, in all coordinates: there is no estimate,
  /// only a direction.
  private(set) var flatLimit: [Double]?

  private let objective: Objective
  private let index: Int
  private let center: Double
  private var path: ProfilePath

  /// How far the measure may fall below that of the estimate, or rise, by rounding.
  private static var tolerance: Double { 1e-6 }
  /// How near to an end is near enough, in standard errors; more digits would be those of rounding.
  private static var nearEnough: Double { 1e-6 }
  /// The first step towards an end goes no farther: a factor of 1.6 for most parameters.
  private static var longestFirstStep: Double { 0.5 }
  private static var shortestStep: Double { 1e-4 }

  /// Prepares the profile of a coordinate.
  init(_ objective: Objective, index: Int) {
    self.objective = objective
    self.index = index
    center = objective.center[index]
    var others = objective.center
    others.remove(at: index)
    path = ProfilePath(
      from: ProfilePoint(coordinate: center, others: others, value: objective.bottom))
  }

  /// The ends of the interval as coordinates.
  ///
  /// - Parameter standardError: Of the coordinate, if it is known: how far to look first.
  mutating func interval(standardError: Double?) throws(SeriesFailure) -> ParameterInterval {
    let range = objective.range(of: index)
    let stride = standardError.map { $0 * objective.threshold.squareRoot() } ?? .infinity
    let low = try end(limit: range.lowerBound, firstStep: stride)
    let high = try end(limit: range.upperBound, firstStep: stride)
    return ParameterInterval(low: low, high: high, isIdentifiable: low != nil && high != nil)
  }

  /// The points met so far that the threshold is far from ruling out.
  var allowed: [ProfilePoint] {
    path.points.filter(isAllowed)
  }

  /// The first point at a coordinate that the threshold is far from ruling out; nil if no start leads
  /// to one.
  func allowed(
    at coordinate: Double, from starts: [[Double]]
  ) throws(SeriesFailure) -> ProfilePoint? {
    for others in starts {
      let point = try objective.minimum(holding: index, at: coordinate, from: others)
      if isAllowed(point) { return point }
    }
    return nil
  }

  /// Takes in points that another profile met, from where the ends are then looked for.
  mutating func learn(_ points: [ProfilePoint]) {
    for point in points { path.insert(point) }
  }

  /// How much the measure is above that of the estimate.
  mutating func rise(at coordinate: Double) throws(SeriesFailure) -> Double {
    keep(try point(at: coordinate))
  }

  /// Whether it is a bound of another coordinate that makes the measure rise.
  func isCutShort(at coordinate: Double) throws(SeriesFailure) -> Bool {
    objective.isCutShort(try point(at: coordinate), holding: index)
  }

  /// Where the profile rises above the threshold on the way to a limit; nil if it does not.
  private mutating func end(limit: Double, firstStep: Double) throws(SeriesFailure) -> Double? {
    let sign: Double = limit < center ? -1 : 1
    var step = min(max(0.6 * firstStep, Self.shortestStep), Self.longestFirstStep)
    var inside = allowed.map(\.coordinate).reduce(center) { sign * $1 > sign * $0 ? $1 : $0 }
    var isFlat = false
    while inside != limit, step > 0 {
      let outside = step < abs(limit - inside) ? inside + sign * step : limit
      let point = try point(at: outside)
      if point.isLost, !isFlat {
        guard step < Self.shortestStep else {
          step /= 4
          continue
        }
        // However short the step: here the curve is zero whatever the others are.
        isFlat = true
      }
      let rise = keep(point)
      if rise > objective.threshold {
        let crossing = try crossing(from: inside, to: outside)
        let end = try self.point(at: crossing)
        guard step > Self.shortestStep, let lower = try missed(at: end, sign) else {
          return objective.isCutShort(end, holding: index) ? nil : crossing
        }
        path.removeAll(from: crossing, sign: sign)
        path.insert(lower)
        inside = crossing
        step = min(step, abs(outside - inside)) / 4
        continue
      }
      if outside == limit, rise <= Self.tolerance {
        flatLimit = point.coordinates(holding: index)
      }
      inside = outside
      step = min(1.8 * step, 0.8 * abs(inside - center))
    }
    return nil
  }

  /// A point at a seeming end that the threshold is far from ruling out; nil if there is none.
  ///
  /// A profile has no jumps. Where it seems to jump over the threshold, a descent from far away got
  /// lost, and the minimum is looked for again from all that is known of the side.
  private func missed(
    at end: ProfilePoint, _ sign: Double
  ) throws(SeriesFailure) -> ProfilePoint? {
    if isAllowed(end) { return end }
    guard end.value - objective.bottom > 1.001 * objective.threshold else { return nil }
    let side = path.points.filter { sign * ($0.coordinate - center) >= 0 }
    return try allowed(at: end.coordinate, from: side.map(\.others))
  }

  /// Whether the threshold is far from ruling a point out.
  private func isAllowed(_ point: ProfilePoint) -> Bool {
    point.value - objective.bottom < 0.999 * objective.threshold
  }

  /// The point of the profile at a coordinate.
  ///
  /// A curve that stops at zero makes several minima, and the lowest may lie on another branch than
  /// at the point next to it. So each is looked for from several sides.
  private func point(at coordinate: Double) throws(SeriesFailure) -> ProfilePoint {
    if let known = path.point(at: coordinate) { return known }
    let starts = path.starts(at: coordinate)
    var lowest = try objective.minimum(holding: index, at: coordinate, from: starts[0])
    for others in starts.dropFirst() {
      let point = try objective.minimum(holding: index, at: coordinate, from: others)
      if point.value < lowest.value { lowest = point }
    }
    return lowest
  }

  /// Adds a point to the path and tells how much its measure is above that of the estimate.
  private mutating func keep(_ point: ProfilePoint) -> Double {
    path.insert(point)
    let rise = point.value - objective.bottom
    if rise < -Self.tolerance { better = point.coordinates(holding: index) }
    return rise.isNaN ? .infinity : rise
  }

  /// Where the square root of the rise, which is nearly straight, meets that of the threshold.
  private mutating func crossing(
    from inside: Double, to outside: Double
  ) throws(SeriesFailure) -> Double {
    let target = objective.threshold.squareRoot()
    var failure: SeriesFailure?
    let root = try? BracketedRoot.find(
      from: min(inside, outside), to: max(inside, outside), absoluteTolerance: 1e-7,
      relativeTolerance: 0
    ) { coordinate in
      do throws(SeriesFailure) {
        let excess = max(0, try rise(at: coordinate)).squareRoot() - target
        return abs(excess) < Self.nearEnough ? 0 : excess
      } catch {
        failure = error
        return .nan
      }
    }
    if let failure { throw failure }
    return (root ?? nil) ?? outside
  }
}
