import GSL

/// The profile of one parameter: how much worse the best fit gets as the parameter is moved away
/// from its estimate and the others follow.
final class ProfileLikelihood {
  /// A point of the profile.
  private struct Point {
    let coordinate: Double
    /// The coordinates of the other parameters, by which the next point nearby begins.
    let others: [Double]
  }

  /// A better fit that was met on the way, in the coordinates of all parameters.
  private(set) var better: [Double]?
  /// A bound up to which the fit gets no worse: there is no estimate, only a direction.
  private(set) var flatLimit: Double?

  private let problem: SeriesProblem
  private let solution: Solution
  private let noise: Noise
  private let criterion: ProfileCriterion
  private let layout: ParameterLayout
  private let index: Int
  private let bottom: Double
  private var points: [Point]

  /// How far the measure may fall below that of the estimate, or rise, by rounding.
  private static let tolerance = 1e-6

  /// Prepares the profile of a free parameter; nil for a perfect fit, which has none.
  init?(
    _ problem: SeriesProblem, _ solution: Solution, _ criterion: ProfileCriterion, index: Int
  ) {
    guard let noise = solution.noise,
      solution.minimum.objective > problem.objective.roundingError
    else { return nil }
    self.problem = problem
    self.solution = solution
    self.criterion = criterion
    self.index = index
    self.noise = noise
    layout = problem.layout
    let center = solution.minimum.coordinates
    bottom = criterion.measured(solution)
    points = [Point(coordinate: center[index], others: center.removing(index))]
  }

  /// The ends of the interval as coordinates.
  ///
  /// - Parameter standardError: Of the coordinate, if it is known: how far to look first.
  func interval(standardError: Double?) throws(SeriesFailure) -> ParameterInterval {
    defer {
      problem.objective.layout = layout
      problem.use(noise)
    }
    let stride = standardError.map { $0 * criterion.threshold.squareRoot() } ?? .infinity
    let low = try end(limit: layout.lowest[index], firstStep: stride)
    let high = try end(limit: layout.highest[index], firstStep: stride)
    return ParameterInterval(low: low, high: high, isIdentifiable: low != nil && high != nil)
  }

  /// Where the profile rises above the threshold on the way to a limit; nil if it does not.
  private func end(limit: Double, firstStep: Double) throws(SeriesFailure) -> Double? {
    let center = solution.minimum.coordinates[index]
    let sign: Double = limit < center ? -1 : 1
    var step = min(max(firstStep / 2, 1e-4), 0.5)
    var inside = center
    while inside != limit {
      let next = center + sign * min(step, abs(limit - center))
      let outside = abs(next - limit) <= 1e-12 ? limit : next
      let rise = try rise(at: outside)
      if rise > criterion.threshold {
        let crossing = try crossing(from: inside, to: outside)
        return isArtefact(crossing) ? nil : crossing
      }
      if outside == limit, rise <= Self.tolerance { flatLimit = limit }
      inside = outside
      step *= 1.8
    }
    return nil
  }

  /// Whether a crossing owes its place to where the search stops for another parameter.
  private func isArtefact(_ crossing: Double) -> Bool {
    guard let point = nearest(to: crossing) else { return false }
    let others = layout.free.indices.filter { $0 != index }
    return zip(others, point.others).contains { other, coordinate in
      layout.isAtDefaultBound(other, coordinate)
        && !solution.minimum.atBound.contains(layout.free[other])
    }
  }

  private func nearest(to coordinate: Double) -> Point? {
    points.min { abs($0.coordinate - coordinate) < abs($1.coordinate - coordinate) }
  }

  /// Where the square root of the rise, which is nearly straight, meets that of the threshold.
  private func crossing(from inside: Double, to outside: Double) throws(SeriesFailure) -> Double {
    let target = criterion.threshold.squareRoot()
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

  /// How much the measure is above that of the estimate.
  private func rise(at coordinate: Double) throws(SeriesFailure) -> Double {
    let parameter = layout.free[index]
    problem.objective.layout = layout.holding([parameter: parameter.value(at: coordinate)])
    let start = nearest(to: coordinate)?.others ?? []
    let measured = try criterion.measured(problem, from: start, noise)
    points.append(Point(coordinate: coordinate, others: measured.coordinates))
    let rise = measured.value - bottom
    if rise < -Self.tolerance {
      better = measured.coordinates.inserting(coordinate, at: index)
    }
    return rise.isNaN ? .infinity : rise
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
