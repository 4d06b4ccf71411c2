import GSL

/// The profile of one coordinate: how much worse the best fit gets as it is moved away from its
/// estimate and the others follow.
struct ProfileLikelihood<Objective: ProfiledObjective> {
  /// A better fit that was met on the way, in all coordinates.
  private(set) var better: [Double]?
  /// A bound up to which the fit gets no worse: there is no estimate, only a direction.
  private(set) var flatLimit: Double?

  private let objective: Objective
  private let index: Int
  private let center: Double
  /// Points of the profile, by which the next one nearby begins.
  private var points: [ProfilePoint]

  /// How far the measure may fall below that of the estimate, or rise, by rounding.
  private static var tolerance: Double { 1e-6 }

  /// Prepares the profile of a coordinate.
  init(_ objective: Objective, index: Int) {
    self.objective = objective
    self.index = index
    center = objective.center[index]
    points = [
      ProfilePoint(
        coordinate: center, others: objective.center.removing(index), value: objective.bottom)
    ]
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

  /// How much the measure is above that of the estimate.
  mutating func rise(at coordinate: Double) throws(SeriesFailure) -> Double {
    let point = try objective.minimum(
      holding: index, at: coordinate, from: nearest(to: coordinate).others)
    points.append(point)
    let rise = point.value - objective.bottom
    if rise < -Self.tolerance { better = point.others.inserting(coordinate, at: index) }
    return rise.isNaN ? .infinity : rise
  }

  /// Where the profile rises above the threshold on the way to a limit; nil if it does not.
  private mutating func end(limit: Double, firstStep: Double) throws(SeriesFailure) -> Double? {
    let sign: Double = limit < center ? -1 : 1
    var step = min(max(firstStep / 2, 1e-4), 0.5)
    var inside = center
    while inside != limit {
      let next = center + sign * min(step, abs(limit - center))
      let outside = abs(next - limit) <= 1e-12 ? limit : next
      let rise = try rise(at: outside)
      if rise > objective.threshold {
        let crossing = try crossing(from: inside, to: outside)
        return objective.isCutShort(nearest(to: crossing), holding: index) ? nil : crossing
      }
      if outside == limit, rise <= Self.tolerance { flatLimit = limit }
      inside = outside
      step *= 1.8
    }
    return nil
  }

  /// The point that was computed next to a coordinate.
  private func nearest(to coordinate: Double) -> ProfilePoint {
    points.dropFirst().reduce(points[0]) { nearest, point in
      abs(point.coordinate - coordinate) < abs(nearest.coordinate - coordinate) ? point : nearest
    }
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
        return max(0, try rise(at: coordinate)).squareRoot() - target
      } catch {
        failure = error
        return .nan
      }
    }
    if let failure { throw failure }
    return (root ?? nil) ?? outside
  }
}

extension [Double] {
  fileprivate func removing(_ index: Int) -> [Double] {
    var copy = self
    copy.remove(at: index)
    return copy
  }

  fileprivate func inserting(_ value: Double, at index: Int) -> [Double] {
    var copy = self
    copy.insert(value, at: index)
    return copy
  }
}
