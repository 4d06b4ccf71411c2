/// The exact blood-alcohol curve of one regimen and one set of parameters.
///
/// The curve is a short list of segments, each with a closed form, so that a value anywhere, the
/// peak and the time to any threshold are exact (to rounding) and need no stepping.
///
///     let regimen = try Regimen([Drink(time: 0, ethanol: .mass(20))], bodyWeight: 76)
///     let parameters = try KineticParameters(ka: 18, beta: 0.15, r: 0.68)
///     let curve = Trajectory(regimen, parameters)
///     curve.timeToThreshold(0)  // when this person is sober
public struct Trajectory: BloodCurve {
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
    GramsPerKilogram(segment(at: time).map { $0.state(after: time.value - $0.start).blood } ?? 0)
  }

  /// A closed form can always be computed.
  public var hasFailed: Bool { false }

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
  /// - Parameter threshold: The concentration; 0 for the times at which the blood begins and ceases to hold ethanol.
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
  /// It is on the regimen's clock: subtract ``Regimen/start`` for the time since the first drink.
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
  /// It measures exposure, as studies of bioavailability compare it.
  ///
  /// - Parameters:
  ///   - start: The start of the period; by default the first dose.
  ///   - end: The end of the period; by default when the blood is empty for good. At or before the start the area is 0.
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

  /// The mass balance of all ethanol taken until a time.
  package func massBalance(at time: Hours) -> MassBalance {
    guard let segment = segment(at: time) else { return .nothing }
    let tau = time.value - segment.start
    let state = segment.state(after: tau)
    return MassBalance(
      gut: GramsPerKilogram(state.gut),
      blood: GramsPerKilogram(state.blood),
      eliminated: GramsPerKilogram(segment.eliminated(after: tau)))
  }

  private func segment(at time: Hours) -> Segment? { segments.last(from: time, \.start) }
}

/// A crossing of a level by the curve.
public struct Crossing: Hashable, Sendable {
  /// The time of the crossing.
  public let time: Hours
  /// Whether the concentration falls there.
  public let isFalling: Bool
}

/// Cuts the curve of a regimen into segments.
struct SegmentBuilder {
  private let ka: Double
  private let beta: Double
  private var segments: [Segment] = []
  private var state = Compartments()
  private var eliminated = 0.0
  private var bloodRate = 0.0

  private var net: Double { beta - bloodRate }

  static func segments(of regimen: Regimen, _ parameters: KineticParameters) -> [Segment] {
    var builder = SegmentBuilder(parameters)
    builder.segments.reserveCapacity(2 * regimen.changes.count + 1)
    let scale = parameters.concentrationPerDose
    let bloodScale = 1 / parameters.r.value
    let lag = parameters.lag.value
    let changes = regimen.changes(lag: lag)
    for (index, change) in changes.enumerated() {
      builder.state.gut += change.bolus * scale
      builder.state.blood += change.bloodBolus * bloodScale
      builder.bloodRate = change.bloodRate * bloodScale
      builder.append(
        from: change.time + lag, to: changes.end(index) + lag, inputRate: change.rate * scale)
    }
    return builder.segments
  }

  private init(_ parameters: KineticParameters) {
    ka = parameters.ka.value
    beta = parameters.beta.value
  }

  /// Appends the segments between two changes of the input: at most three, since blood that has
  /// left zero under a constant input does not return to it.
  private mutating func append(from start: Double, to end: Double, inputRate: Double) {
    var time = start
    var isClamped = state.blood == 0 && ka * state.gut <= net
    while time < end {
      let rest = segment(from: time, to: end, inputRate: inputRate, isClamped: isClamped)
      let phase = rest.phaseDuration
      guard phase < rest.duration else {
        append(rest)
        return
      }
      append(rest.emptied(after: phase))
      if !isClamped {
        state.emptyBlood()
      }
      isClamped.toggle()
      time += phase
    }
  }

  private func segment(
    from start: Double, to end: Double, inputRate: Double, isClamped: Bool
  ) -> Segment {
    let duration = end - start
    let endBlood =
      duration.isFinite
      ? state.unclamped(after: duration, inputRate: inputRate, ka: ka, beta: net).blood
      : -.infinity
    return Segment(
      start: start, duration: duration, endBlood: endBlood, state: state, inputRate: inputRate,
      isClamped: isClamped, eliminatedBefore: eliminated, ka: ka, net: net, bloodRate: bloodRate)
  }

  private mutating func append(_ segment: Segment) {
    segments.append(segment)
    guard segment.duration.isFinite else { return }
    state = segment.state(after: segment.duration)
    eliminated = segment.eliminated(after: segment.duration)
  }
}

extension Segment {
  /// The time for which the blood stays empty, or not empty, under this input.
  fileprivate var phaseDuration: Double {
    guard isClamped else {
      return fall(to: 0) ?? .infinity
    }
    guard inputRate > net else { return .infinity }
    return state.turn(inputRate: inputRate, ka: ka, beta: net) ?? 0
  }

  /// The part up to a time at which the blood is empty.
  fileprivate func emptied(after duration: Double) -> Segment {
    Segment(
      start: start, duration: duration, endBlood: 0, state: state, inputRate: inputRate,
      isClamped: isClamped, eliminatedBefore: eliminatedBefore, ka: ka, net: net,
      bloodRate: bloodRate)
  }
}
