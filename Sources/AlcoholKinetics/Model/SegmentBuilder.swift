/// Cuts the curve of a regimen into segments.
struct SegmentBuilder {
  private let ka: Double
  private let beta: Double
  private var segments: [Segment] = []
  private var state = CompartmentState()
  private var eliminated = 0.0

  static func segments(of regimen: Regimen, _ parameters: KineticParameters) -> [Segment] {
    var builder = SegmentBuilder(parameters)
    builder.segments.reserveCapacity(2 * regimen.changes.count + 1)
    let scale = parameters.concentrationPerDose
    let lag = parameters.lag.value
    for (index, change) in regimen.changes.enumerated() {
      let isLast = index + 1 == regimen.changes.count
      let end = isLast ? .infinity : regimen.changes[index + 1].time + lag
      builder.state.gut += change.bolus * scale
      builder.append(from: change.time + lag, to: end, inputRate: change.rate * scale)
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
    var isClamped = state.blood == 0 && ka * state.gut <= beta
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
      ? state.unclamped(after: duration, inputRate: inputRate, ka: ka, beta: beta).blood
      : -.infinity
    return Segment(
      start: start, duration: duration, endBlood: endBlood, state: state, inputRate: inputRate,
      isClamped: isClamped, eliminatedBefore: eliminated, ka: ka, beta: beta)
  }

  private mutating func append(_ segment: Segment) {
    segments.append(segment)
    guard segment.duration.isFinite else { return }
    state = segment.state(after: segment.duration)
    eliminated = segment.eliminated(after: segment.duration)
  }
}

extension Segment {
  /// How long the blood stays empty, or not empty, under this input.
  fileprivate var phaseDuration: Double {
    guard isClamped else {
      return fall(to: 0) ?? .infinity
    }
    guard inputRate > beta else { return .infinity }
    return state.turningTime(inputRate: inputRate, ka: ka, beta: beta) ?? 0
  }

  /// The part up to a time at which the blood is empty.
  fileprivate func emptied(after duration: Double) -> Segment {
    Segment(
      start: start, duration: duration, endBlood: 0, state: state, inputRate: inputRate,
      isClamped: isClamped, eliminatedBefore: eliminatedBefore, ka: ka, beta: beta)
  }
}
