/// A model's gut and blood at one instant: of one subject, or of eight at once.
///
/// A model has its equations in one such type, generic over the number, and both are the same source.
protocol KineticState<Number> {
  associatedtype Number: KineticNumber

  /// Begins before the first dose.
  ///
  /// - Parameter value: The value of each parameter that the model has; the gain is not asked for.
  init(_ value: (FitParameter) -> Number)
  /// Goes on by the same time in all lanes, 0 or more, in h, under the constant input.
  mutating func advance(by tau: Double)
  /// Goes on by a time for each lane.
  mutating func advance(byEach tau: Number)
  /// Takes in what is added at once, and the input from here on.
  mutating func change(_ input: KineticInput<Number>)
  var sample: KineticSample<Number> { get }
  /// Whether the curve could not be followed.
  var hasFailed: Bool { get }
}

extension KineticState {
  mutating func advance(by tau: Double) { advance(byEach: Number(everywhere: tau)) }
  var hasFailed: Bool { false }
}

/// The input from one instant on, per kg of body weight.
struct KineticInput<Number: KineticNumber> {
  /// Added to the gut at once, in g/kg; 0 in lanes where nothing happens now.
  var bolus = Number.zero
  /// Added to the blood at once, in g/kg.
  var bloodBolus = Number.zero
  /// Rate of input into the gut from now on, in g/kg/h.
  var rate = Number.zero
  /// Rate of input into the blood from now on, in g/kg/h.
  var bloodRate = Number.zero
  /// Time to the next change, in h; infinite after the last.
  var duration = Number.zero
}

extension KineticInput {
  /// One of the changes, in all lanes.
  init(_ changes: [InputChange], _ index: Int) {
    let change = changes[index]
    self.init(
      bolus: Number(everywhere: change.bolus), bloodBolus: Number(everywhere: change.bloodBolus),
      rate: Number(everywhere: change.rate), bloodRate: Number(everywhere: change.bloodRate),
      duration: Number(everywhere: changes.end(index) - change.time))
  }
}

extension [InputChange] {
  /// When the input changes again, in h; infinite after the last change.
  func end(_ index: Int) -> Double { index + 1 < count ? self[index + 1].time : .infinity }
}

/// A concentration and its derivatives: see ``CurveSample``.
struct KineticSample<Number: KineticNumber> {
  var concentration: Number
  var byKa: Number
  var byDoseScale: Number
  /// At the instant of a drink, where the derivative jumps, it is the one from the right.
  var byLag: Number
  /// By the model's own parameters.
  var byOwn: (Number, Number)
}

extension CurveSample {
  init(_ sample: KineticSample<Double>) {
    self.init(
      concentration: sample.concentration,
      derivatives: SIMD8(
        sample.byKa, sample.byDoseScale, sample.byLag, 0, sample.byOwn.0, sample.byOwn.1, 0, 0))
  }
}

extension KineticSample<LaneNumber> {
  /// Writes the lanes into rows of all eight in the order of ``CurveSample``, for a model with one parameter of its own.
  @inline(__always)
  func write(to row: UnsafeMutablePointer<Lanes>) {
    row[0] = concentration.lanes
    row[1] = byKa.lanes
    row[2] = byDoseScale.lanes
    row[3] = byLag.lanes
    row[4] = .zero
    row[5] = byOwn.0.lanes
  }
}

/// Walks along the curve of a regimen, forward in time, without allocating.
///
/// This is how a fit evaluates a model: one walk gives the concentration and its derivatives at every
/// reading in one pass over drinks and readings.
struct CurveWalk<State: KineticState> {
  let changes: [InputChange]
  /// In h. With doses into the blood all lanes have the same.
  let lag: Double
  private(set) var state: State
  /// The index of the next change.
  private(set) var next = 0
  /// Where the walk is on the regimen's clock, lag taken off; before the first change nothing has
  /// happened and the value does not matter.
  private(set) var time: Double

  /// Starts a walk before the first dose.
  init(_ regimen: Regimen, _ state: State, lag: Double) {
    changes = regimen.changes(lag: lag)
    self.lag = lag
    self.state = state
    time = changes.first?.time ?? 0
  }

  /// Goes on to a time, in h; times must not decrease from call to call.
  mutating func advance(toHours hours: Double) {
    let target = hours - lag
    while next < changes.count, changes[next].time <= target {
      step(to: changes[next].time)
      state.change(KineticInput(changes, next))
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

/// A model that is a state of one subject.
protocol WalkedKinetics: EliminationKinetics {
  associatedtype One: KineticState<Double>
}

extension WalkedKinetics {
  static func follow(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    guard values.areAllowed(with: ownParameters) else { return false }
    var walk = CurveWalk(regimen, One { values[known: $0] }, lag: values[known: .lag])
    for index in 0..<count {
      walk.advance(toHours: times[index])
      (samples + index).initialize(to: CurveSample(walk.state.sample))
    }
    return !walk.state.hasFailed
  }
}

/// A model with one parameter of its own that is a state of eight subjects as well.
protocol LanedKinetics: WalkedKinetics {
  associatedtype Eight: KineticState<LaneNumber>
}

extension LanedKinetics {
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<SIMD8<Double>>,
    at times: UnsafePointer<Double>, count: Int, into samples: UnsafeMutablePointer<SIMD8<Double>>,
    looseness: Double
  ) {
    guard shareLag(regimen, values) else {
      return followApart(regimen, values, at: times, count: count, into: samples)
    }
    var walk = CurveWalk(
      regimen, Eight { LaneNumber(values[$0.slot]) }, lag: values[FitParameter.lag.slot][0])
    for index in 0..<count {
      walk.advance(toHours: times[index])
      walk.state.sample.write(to: samples + index * width)
    }
  }

  /// Whether all lanes pass the same changes between the same readings.
  static func shareLag(_ regimen: Regimen, _ values: UnsafePointer<Lanes>) -> Bool {
    let lags = values[FitParameter.lag.slot]
    return all(lags .== lags[0]) || regimen.doses.isEmpty
  }

  /// A concentration and its derivatives.
  private static var width: Int { 6 }

  /// With lags of their own, lanes pass changes at times of their own; those where nothing happens stand
  /// still meanwhile.
  static func followApart(
    _ regimen: Regimen, _ values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<Lanes>
  ) {
    let lags = values[FitParameter.lag.slot]
    let changes = regimen.changes(lag: lags[0])
    var state = Eight { LaneNumber(values[$0.slot]) }
    var next = SIMD8<Int>.zero
    var time = Lanes(repeating: changes[0].time)
    var nextTime = time
    var input = KineticInput<LaneNumber>()
    for index in 0..<count {
      let target = times[index] - lags
      while true {
        let isDue = nextTime .<= target
        guard isDue.isAnywhere else { break }
        let arrival = nextTime.kept(where: isDue, else: time)
        state.advance(byEach: LaneNumber(arrival - time))
        time = arrival
        input.bolus = .zero
        input.bloodBolus = .zero
        for lane in 0..<Lanes.scalarCount where isDue[lane] {
          let change = changes[next[lane]]
          nextTime[lane] = changes.end(next[lane])
          next[lane] += 1
          input.bolus.lanes[lane] = change.bolus
          input.bloodBolus.lanes[lane] = change.bloodBolus
          input.rate.lanes[lane] = change.rate
          input.bloodRate.lanes[lane] = change.bloodRate
          input.duration.lanes[lane] = nextTime[lane] - change.time
        }
        state.change(input)
      }
      let arrival = target.kept(where: target .> time, else: time)
      state.advance(byEach: LaneNumber(arrival - time))
      time = arrival
      state.sample.write(to: samples + index * width)
    }
  }
}
