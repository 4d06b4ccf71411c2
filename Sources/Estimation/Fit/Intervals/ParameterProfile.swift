public import AlcoholKinetics

/// The profile of a parameter: the rise of the objective with the parameter fixed and all others re-optimised.
///
/// The rise is (S - S_min) / s^2 or its counterpart for other objectives (see <doc:FittingAndUncertainty>). Values whose
/// rise is at most the threshold are in the interval.
public struct ParameterProfile: Codable, Hashable, Sendable {
  /// A value of the parameter and the rise there.
  public struct Point: Codable, Hashable, Sendable {
    /// The value, in the parameter's unit.
    public let value: Double
    /// The rise above the minimum; not below 0.
    public let rise: Double
  }

  /// Which parameter.
  public let parameter: FitParameter
  /// The points, by ascending value, as far as no other parameter is at a search bound: the rise beyond that is not
  /// known.
  public let points: [Point]
  /// The rise at the ends of the interval.
  public let threshold: Double
}

extension ProfilePass {
  private static let points = 33
  /// The distance that a profile is followed beyond a limit, relative to the distance of the limit from the estimate.
  private static let margin = 0.4
  /// The distance that it is followed where there is no limit, in units of the coordinate.
  private static let openReach = 2.5

  /// Returns the profiles on a grid for figures; empty if there is nothing to profile, as for a perfect fit.
  ///
  /// The points visited on the way to the limits serve as starts, so that the grid is on the lowest branch.
  ///
  /// - Parameter intervals: The intervals of the coordinates, which set the range of the grid.
  func drawn(_ intervals: [ParameterInterval]) throws(SeriesFailure) -> [ParameterProfile] {
    var all: [ParameterProfile] = []
    for index in profiles.indices {
      if let profile = try drawn(index, intervals[index]) { all.append(profile) }
    }
    return all
  }

  private func drawn(
    _ index: Int, _ interval: ParameterInterval
  ) throws(SeriesFailure) -> ParameterProfile? {
    guard let profiled else { return nil }
    var likelihood = profiles[index]
    let parameter = solver.problem.layout.free[index]
    let center = profiled.center[index]
    let span = span(
      of: interval, center, profiled.range(of: index),
      isAtBound: solution.atBound.contains(index))
    let step = (span.upperBound - span.lowerBound) / Double(Self.points - 1)
    let grid = (0..<Self.points).map { span.lowerBound + Double($0) * step } + [center]
    let coordinates = grid.filter(span.contains).sorted()
    var points: [ParameterProfile.Point] = []
    // From the estimate outwards, so that each descent starts next to a visited point.
    for side in [
      coordinates.filter { $0 >= center }, coordinates.filter { $0 < center }.reversed(),
    ] {
      for coordinate in side {
        let rise = max(0, try likelihood.rise(at: coordinate))
        if coordinate != center, try likelihood.isLimitedByBound(at: coordinate) { break }
        points.append(
          ParameterProfile.Point(value: parameter.value(at: coordinate), rise: rise))
      }
    }
    return ParameterProfile(
      parameter: parameter, points: points.sorted { $0.value < $1.value },
      threshold: profiled.threshold)
  }

  /// Returns the range of a figure: a little beyond the ends of the interval, and not all the way to an estimate at a
  /// distant search bound.
  private func span(
    of interval: ParameterInterval, _ center: Double, _ range: ClosedRange<Double>, isAtBound: Bool
  ) -> ClosedRange<Double> {
    let low = interval.low
    let high = interval.high
    var bottom =
      low.map { $0 - Self.margin * min(center - $0, Self.openReach) } ?? center - Self.openReach
    var top =
      high.map { $0 + Self.margin * min($0 - center, Self.openReach) } ?? center + Self.openReach
    if isAtBound {
      if let low { top = min(center, low + Self.openReach) }
      if let high { bottom = max(center, high - Self.openReach) }
    }
    bottom = min(max(bottom, range.lowerBound), range.upperBound)
    return bottom...max(bottom, min(top, range.upperBound))
  }
}
