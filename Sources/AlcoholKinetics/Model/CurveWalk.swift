extension [InputChange] {
  /// When the input changes again, in h; infinite after the last change.
  func end(_ index: Int) -> Double { index + 1 < count ? self[index + 1].time : .infinity }
}

/// Walks along the curve of a regimen, forward in time, without allocating.
///
/// A fit evaluates a model so: one walk gives the concentration and its derivatives at every
/// reading in one pass over drinks and readings.
struct CurveWalk<Model: EliminationKinetics> {
  let changes: [InputChange]
  /// In h.
  let lag: Double
  private(set) var state: Model
  /// The index of the next change.
  private(set) var next = 0
  /// Where the walk is on the regimen's clock, lag taken off; before the first change nothing has
  /// happened and the value does not matter.
  private(set) var time: Double

  /// Starts a walk before the first dose.
  init(_ regimen: Regimen, _ state: Model, lag: Double) {
    changes = regimen.changes(lag: lag)
    self.lag = lag
    self.state = state
    time = changes.first?.time ?? 0
  }

  /// Goes on to a time, in h; times must not decrease from call to call.
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
