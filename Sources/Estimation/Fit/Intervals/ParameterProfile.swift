public import AlcoholKinetics

/// How much worse the best fit gets as a parameter is moved away from its estimate.
///
/// The rise is (S - S_min) / s^2 or what stands for it (see <doc:FittingAndUncertainty>); values whose
/// rise is not above the threshold are in the interval.
public struct ParameterProfile: Codable, Hashable, Sendable {
  /// A value and how much worse the best fit with it is.
  public struct Point: Codable, Hashable, Sendable {
    /// The value, in the parameter's unit.
    public let value: Double
    /// The rise above the minimum; not below 0.
    public let rise: Double
  }

  /// Which parameter.
  public let parameter: FitParameter
  /// In order of their values, as far as no other parameter is stopped by a bound of the search: how
  /// well a fit could do beyond it is not known.
  public let points: [Point]
  /// The rise up to which values are not ruled out.
  public let threshold: Double
}

extension ProfilePass {
  private static let points = 33
  /// How far beyond the ends of an interval a profile is followed, in parts of the way to the end.
  private static let margin = 0.4
  /// How far it is followed where there is no end, in units of the coordinate.
  private static let openReach = 2.5

  /// The profiles with points enough for a figure; none where there is nothing to profile, as for a
  /// perfect fit.
  ///
  /// What was met on the way to the ends is kept, and leads the points in between to the lowest branch.
  ///
  /// - Parameter intervals: Of the coordinates: how far there is something to see.
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
    // From the estimate outwards, so that each point begins next to one that is known.
    for side in [
      coordinates.filter { $0 >= center }, coordinates.filter { $0 < center }.reversed(),
    ] {
      for coordinate in side {
        let rise = max(0, try likelihood.rise(at: coordinate))
        if coordinate != center, try likelihood.isCutShort(at: coordinate) { break }
        points.append(
          ParameterProfile.Point(value: parameter.value(at: coordinate), rise: rise))
      }
    }
    return ParameterProfile(
      parameter: parameter, points: points.sorted { $0.value < $1.value },
      threshold: profiled.threshold)
  }

  /// The coordinates between which there is something to see: a little beyond the ends of the
  /// interval, and not all the way to an estimate that stands at a bound far away.
  private func span(
    of interval: ParameterInterval, _ center: Double, _ range: ClosedRange<Double>, isAtBound: Bool
  ) -> ClosedRange<Double> {
    let (low, high) = (interval.low, interval.high)
    let (margin, openReach) = (Self.margin, Self.openReach)
    var bottom = low.map { $0 - margin * min(center - $0, openReach) } ?? center - openReach
    var top = high.map { $0 + margin * min($0 - center, openReach) } ?? center + openReach
    if isAtBound {
      if let low { top = min(center, low + openReach) }
      if let high { bottom = max(center, high - openReach) }
    }
    bottom = min(max(bottom, range.lowerBound), range.upperBound)
    return bottom...max(bottom, min(top, range.upperBound))
  }
}
