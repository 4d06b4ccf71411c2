extension [InputChange] {
  /// When the input changes again, in h; infinite after the last change.
  func end(_ index: Int) -> Double { index + 1 < count ? self[index + 1].time : .infinity }
}

/// Evaluates the curve of a regimen at ascending times, without allocating.
///
/// Fits evaluate models so: the concentration and its derivatives at all readings follow in one pass over
/// drinks and readings.
struct CurveWalk<Model: EliminationKinetics> {
  let changes: [InputChange]
  /// The lag, in h.
  let lag: Double
  private(set) var state: Model
  /// The index of the next change.
  private(set) var next = 0
  /// The present time on the regimen's clock minus the lag, in h; arbitrary before the first change.
  private(set) var time: Double

  /// Starts a walk before the first dose.
  init(_ regimen: Regimen, _ state: Model, lag: Double) {
    changes = regimen.changes(lag: lag)
    self.lag = lag
    self.state = state
    time = changes.first?.time ?? 0
  }

  /// Advances to a time in h, which must not be before that of the last call.
  mutating func advance(toHours hours: Double) {
    let target = hours - lag
    while next < changes.count, changes[next].time <= target {
      let change = changes[next]
      step(to: change.time)
      state.change(change, for: changes.end(next) - change.time)
      next += 1
    }
    if next > 0 { step(to: target) }
  }

  private mutating func step(to target: Double) {
    let tau = target - time
    guard tau > 0 else { return }
    state.advance(by: tau)
    time = target
  }
}

extension EliminationKinetics {
  static func follow(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    guard values.areAllowed(with: ownParameters) else { return false }
    var walk = CurveWalk(regimen, Self(values), lag: values[known: .lag])
    for index in 0..<count {
      walk.advance(toHours: times[index])
      (samples + index).initialize(to: walk.state.sample)
    }
    return !walk.state.hasFailed
  }
}
