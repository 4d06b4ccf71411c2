/// The exact blood-alcohol curve of one regimen and one set of parameters.
///
/// The curve is a short list of segments, each with a closed form, so that a value anywhere, the
/// peak and the time to any threshold are exact (to rounding) and need no stepping.
///
///     let regimen = try Regimen([Drink(time: 0, ethanol: .mass(20))], bodyWeight: 76)
///     let parameters = try KineticParameters(ka: 18, beta: 0.15, r: 0.68)
///     let curve = Trajectory(regimen, parameters)
///     curve.timeToThreshold(0)  // when this person is sober
public struct Trajectory: Sendable {
  /// The parameters of the curve.
  public let parameters: KineticParameters

  let segments: [Segment]

  /// Computes the curve.
  public init(_ regimen: Regimen, _ parameters: KineticParameters) {
    self.parameters = parameters
    segments = SegmentBuilder.segments(of: regimen, parameters)
  }

  /// Blood concentration at a time; 0 before the first dose.
  public func concentration(at time: Hours) -> GramsPerKilogram {
    GramsPerKilogram(state(at: time)?.blood ?? 0)
  }

  /// Derivatives of the concentration at a time by the parameters.
  public func sensitivities(at time: Hours) -> Sensitivities {
    Sensitivities(
      state(at: time) ?? CompartmentState(),
      ka: parameters.ka.value,
      beta: parameters.beta.value)
  }

  /// The highest concentration and the first time at which it is reached; nil if the blood is
  /// always empty.
  public var peak: Peak? {
    var best: Peak?
    for segment in segments {
      // Within a segment the highest value is at the turn or at an end, and an end is the next
      // segment's start.
      best = higher(best, segment.start, segment.state.blood)
      if let top = segment.top {
        best = higher(best, segment.start + top.tau, top.value)
      }
    }
    return best
  }

  private func higher(_ peak: Peak?, _ time: Double, _ value: Double) -> Peak? {
    guard value > peak?.concentration.value ?? 0 else { return peak }
    return Peak(time: Hours(time), concentration: GramsPerKilogram(value))
  }

  /// All crossings of a threshold, in order of time.
  ///
  /// - Parameter threshold: Concentration; 0 asks when the blood is entered and left.
  public func crossings(of threshold: GramsPerKilogram) -> [Crossing] {
    segments.flatMap { segment in
      let fall = segment.fall(to: threshold.value).map { (tau: $0, isFalling: true) }
      let rise = segment.rise(above: threshold.value).map { (tau: $0, isFalling: false) }
      return [fall, rise].compactMap(\.self).sorted { $0.tau < $1.tau }.map { crossing in
        Crossing(time: Hours(segment.start + crossing.tau), isFalling: crossing.isFalling)
      }
    }
  }

  /// The time from which on the concentration stays at or below a threshold; nil if it is never
  /// above.
  ///
  /// The same clock as the regimen's: subtract ``Regimen/start`` for a span since the first drink.
  public func timeToThreshold(_ threshold: GramsPerKilogram) -> Hours? {
    for segment in segments.reversed() {
      if let fall = segment.fall(to: threshold.value) {
        return Hours(segment.start + fall)
      }
    }
    return nil
  }

  /// The area under the curve between two times, in g/kg h.
  ///
  /// The measure of exposure: what is eliminated is beta times the time in which the blood is not
  /// empty, the area is what a study of availability compares.
  ///
  /// - Parameters:
  ///   - start: From when; from the first dose unless set.
  ///   - end: Until when; until the blood is empty for good unless set. No later than the start
  ///     gives 0.
  public func area(
    from start: Hours = Hours(-.infinity), to end: Hours = Hours(.infinity)
  ) -> GramHoursPerKilogram {
    let area = segments.reduce(0.0) { area, segment in
      let from = max(0, start.value - segment.start)
      let to = min(segment.duration, end.value - segment.start)
      return from < to ? area + segment.area(from: from, to: to) : area
    }
    return GramHoursPerKilogram(area)
  }

  /// Where all ethanol taken so far is at a time.
  public func massBalance(at time: Hours) -> MassBalance {
    guard let segment = segment(at: time) else { return .nothing }
    let tau = time.value - segment.start
    let state = segment.state(after: tau)
    return MassBalance(
      gut: GramsPerKilogram(state.gut),
      blood: GramsPerKilogram(state.blood),
      eliminated: GramsPerKilogram(segment.eliminated(after: tau)))
  }

  private func state(at time: Hours) -> CompartmentState? {
    segment(at: time).map { $0.state(after: time.value - $0.start) }
  }

  /// The last segment that starts at or before a time.
  private func segment(at time: Hours) -> Segment? {
    var low = 0
    var high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].start <= time.value { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? segments[low - 1] : nil
  }
}
