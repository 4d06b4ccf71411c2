/// A curve given at some times, linearly interpolated between them.
public struct SampledCurve: BloodCurve, Hashable {
  /// The times of the points, in ascending order.
  public let times: [Hours]
  /// The blood concentration at each of them.
  public let concentrations: [GramsPerKilogram]

  /// Joins points by straight lines.
  ///
  /// - Parameters:
  ///   - times: Different times in ascending order.
  ///   - concentrations: The blood concentration at each of them.
  public init(times: [Hours], concentrations: [GramsPerKilogram]) {
    self.times = times
    self.concentrations = concentrations
  }

  /// Whether there is no point, or a concentration is not finite.
  public var hasFailed: Bool {
    times.isEmpty || times.count != concentrations.count
      || !concentrations.allSatisfy(\.value.isFinite)
  }

  /// Whether a time lies between the first and the last point.
  public func covers(_ time: Hours) -> Bool {
    guard let first = times.first, let last = times.last else { return false }
    return first <= time && time <= last
  }

  /// The concentration on the line; NaN at a time that the points do not cover.
  public func concentration(at time: Hours) -> GramsPerKilogram {
    guard covers(time) else { return GramsPerKilogram(.nan) }
    var low = 0
    var high = times.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle } else { high = middle }
    }
    // Exact at the points themselves, whatever the rounding of the interpolation.
    if times[low] == time { return concentrations[low] }
    if times[high] == time { return concentrations[high] }
    let share = (time - times[low]) / (times[high] - times[low])
    let from = concentrations[low].value
    let to = concentrations[high].value
    return GramsPerKilogram(from + share * (to - from))
  }

  /// The highest point, the first of several; nil if no point is above zero.
  public var peak: Peak? {
    guard !hasFailed, let highest = concentrations.max(), highest > 0,
      let index = concentrations.firstIndex(of: highest)
    else { return nil }
    return Peak(time: times[index], concentration: highest)
  }

  public func timeToThreshold(_ threshold: GramsPerKilogram) -> Hours? {
    guard case .at(let time, _, _) = crossing(of: threshold) else { return nil }
    return time
  }

  /// The last crossing of a threshold by a sampled curve.
  public enum Crossing: Hashable, Sendable {
    /// No point is above the threshold.
    case neverAbove
    /// The interpolated time, with the times of the points before and after it.
    case at(Hours, after: Hours, before: Hours)
    /// The last point, at this time, is above the threshold.
    case laterThan(Hours)
  }

  /// The last crossing of a threshold from above.
  public func crossing(of threshold: GramsPerKilogram) -> Crossing {
    guard let last = concentrations.lastIndex(where: { $0 > threshold }) else { return .neverAbove }
    let next = last + 1
    guard next < times.count else { return .laterThan(times[last]) }
    let above = concentrations[last].value
    let below = concentrations[next].value
    let share = (above - threshold.value) / (above - below)
    return .at(
      times[last] + (times[next] - times[last]) * share, after: times[last], before: times[next])
  }
}
