import RealModule

// Numerical goals, in order:
// 1. No value is negative or, within the range of numbers, not one, whatever the rate constants.
// 2. Error of every concentration within a few ulps of what was taken, at equal rate constants as well:
//    there the textbook's quotient of two differences is 0 / 0.
// 3. Three exponentials per step.

extension FitParameter {
  /// The rate constant k_e of elimination at first order, in 1/h.
  public static let ke = FitParameter(position: 7)
}

extension EliminationModel {
  /// Elimination at the rate k_e c, as of most drugs (Bateman 1910); of ethanol only where K_m is far
  /// above the concentration. The yardstick of public data sets.
  public static let firstOrder = EliminationModel(FirstOrderKinetics.self)
}

/// First-order elimination after first-order absorption, in closed form.
///
///     g' = R - k g
///     c' = k g + S - e c
///
/// Gut g and blood c are both in g per kg of blood; R flows into the gut and S into the blood. If k and e
/// change places, so does the whole curve but for a factor on the doses (flip-flop): where r is estimated,
/// bounds must say which of the two is meant.
enum FirstOrderKinetics: EliminationKinetics {
  static let name = "first-order"
  static let title = "First-order elimination"
  static let rate = "at the rate k_e c"
  static let ownParameters: [FitParameter.Traits] = [
    FitParameter.Traits(
      parameter: .ke, name: "ke", symbol: "k_e",
      meaning: "rate constant of first-order elimination k_e", unit: "/h", columnName: "ke_per_h",
      bounds: 1e-4...100, startRange: 0.02...3, typicalValue: 0.3)
  ]

  static func follow(
    _ regimen: Regimen, _ values: ParameterValues, at times: UnsafePointer<Double>, count: Int,
    into samples: UnsafeMutablePointer<CurveSample>
  ) -> Bool {
    guard let constants = try? FirstOrderConstants(checking: values) else { return false }
    let changes = regimen.changes(lag: constants.lag)
    var state = FirstOrderState<Double>()
    var (next, time) = (0, changes.first?.time ?? 0)
    for index in 0..<count {
      let target = times[index] - constants.lag
      while next < changes.count, changes[next].time <= target {
        state.advance(by: changes[next].time - time, constants)
        state.change(changes[next], constants)
        time = changes[next].time
        next += 1
      }
      if next > 0, target > time {
        state.advance(by: target - time, constants)
        time = target
      }
      (samples + index).initialize(to: state.sample(constants))
    }
    return state.blood.isFinite && state.gut.content.isFinite
  }

  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<SIMD8<Double>>,
    at times: UnsafePointer<Double>, count: Int, into samples: UnsafeMutablePointer<SIMD8<Double>>
  ) {
    var lanes = FirstOrderLanes(values)
    lanes.follow(
      regimen, lag: values[FitParameter.lag.slot], at: times, count: count, into: samples)
  }

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(KineticsError) -> any BloodCurve {
    FirstOrderTrajectory(regimen, try FirstOrderConstants(checking: values))
  }
}

/// The rate constants in 1/h, and what goes with them.
private struct FirstOrderConstants<Number: KineticNumber> {
  let ka: Number
  let ke: Number
  /// Concentration per dose, 1 / r.
  let perDose: Number
  /// In h.
  let lag: Number
}

extension FirstOrderConstants<Double> {
  init(checking values: ParameterValues) throws(KineticsError) {
    try self.init(
      ka: values[known: .ka].checked("k_a in 1/h", "positive") { $0 > 0 },
      ke: values[known: .ke].checked("k_e in 1/h", "positive") { $0 > 0 },
      perDose: 1 / values[known: .r].checked("r in kg/kg", "positive") { $0 > 0 },
      lag: values[known: .lag].checked("lag in h", "0 or more") { $0 >= 0 })
  }
}

/// Gut and blood at one instant, with derivatives by the rate constants.
private struct FirstOrderState<Number: KineticNumber> {
  var gut = GutContent<Number>()
  /// c, dc/dk and dc/de.
  var blood = Number.zero
  var bloodByKa = Number.zero
  var bloodByKe = Number.zero
  /// R and S.
  var inputRate = Number.zero
  var bloodRate = Number.zero

  /// Goes on by `tau` hours, 0 or more, under the constant input:
  ///
  ///     c(tau) = c e^(-e tau) + k g B + R (P - B) + S P
  ///
  /// with B the convolution of e^(-k t) and e^(-e t), and P that of 1 and e^(-e t).
  @inline(__always)
  mutating func advance(by tau: Number, _ constants: FirstOrderConstants<Number>) {
    let (ka, ke) = (constants.ka, constants.ke)
    let (unabsorbed, absorbed) = Number.decay(ka * tau)
    let (left, eliminated) = Number.decay(ke * tau)
    let b = Convolution(ka, ke, tau, unabsorbed, left)
    bloodByKa =
      bloodByKa * left + (gut.content + ka * gut.byKa) * b.value + ka * gut.content * b.byFirst
    bloodByKe = (bloodByKe - tau * blood) * left + ka * gut.content * b.bySecond
    blood = blood * left + ka * gut.content * b.value
    // Most of the time nothing flows in.
    if Number.isAnywhere((inputRate + bloodRate).isAbove(.zero)) {
      // The convolution of 1 and e^(-e t).
      let share = FallingShare(ke * tau, eliminated)
      let (p, pByKe) = (tau * share.value, tau * tau * share.slope)
      bloodByKa -= inputRate * b.byFirst
      bloodByKe += inputRate * (pByKe - b.bySecond) + bloodRate * pByKe
      blood += inputRate * (p - b.value).orMore(.zero) + bloodRate * p
    }
    gut = gut.after(tau, gone: absorbed, inputRate: inputRate, ka: ka)
  }

  /// dc/dt.
  func slope(_ constants: FirstOrderConstants<Number>) -> Number {
    constants.ka * gut.content + bloodRate - constants.ke * blood
  }
}

extension FirstOrderState<Double> {
  mutating func change(_ change: InputChange, _ constants: FirstOrderConstants<Double>) {
    gut.content += change.bolus * constants.perDose
    blood += change.bloodBolus * constants.perDose
    inputRate = change.rate * constants.perDose
    bloodRate = change.bloodRate * constants.perDose
  }

  /// Time until the concentration turns, which it does at most once under a constant input; nil if it
  /// does not.
  ///
  /// With h = dc/dt, h' = k (R - k g) - e h and k (R - k g) decays by k: h is zero where
  /// (1 - e^(-(k - e) t)) / (k - e) = -h / (k (R - k g)).
  func turn(_ constants: FirstOrderConstants<Double>) -> Double? {
    let (ka, ke) = (constants.ka, constants.ke)
    let ratio = -slope(constants) / (ka * (inputRate - ka * gut.content))
    guard ratio > 0, ratio.isFinite else { return nil }
    let x = (ka - ke) * ratio
    guard x < 1 else { return nil }
    return abs(x) < 1e-8 ? ratio * (1 + x / 2) : -.log(onePlus: -x) / (ka - ke)
  }

  func sample(_ constants: FirstOrderConstants<Double>) -> CurveSample {
    // The curve is linear in the doses, and a lag moves all of it to the right.
    CurveSample(
      concentration: blood,
      derivatives: SIMD8(bloodByKa, blood, -slope(constants), 0, bloodByKe, 0, 0, 0))
  }
}

/// The convolution of e^(-a t) and e^(-b t) from 0 to tau, (e^(-b tau) - e^(-a tau)) / (a - b), and its
/// derivatives by a and b.
///
/// As tau e^(-m) f(d) with m the smaller of a tau and b tau, d what the other is above it, and
/// f(d) = (1 - e^(-d)) / d, no digits are lost anywhere.
private struct Convolution<Number: KineticNumber> {
  let value: Number
  let byFirst: Number
  let bySecond: Number

  /// - Parameters:
  ///   - keptA: e^(-a tau).
  ///   - keptB: e^(-b tau).
  @inline(__always)
  init(_ a: Number, _ b: Number, _ tau: Number, _ keptA: Number, _ keptB: Number) {
    let isLarger = a.isAbove(b)
    let d = (a.orMore(b) - a.orLess(b)) * tau
    let share = FallingShare(d, -Number.expMinusOne(-d))
    let scale = tau * keptB.kept(where: isLarger, else: keptA)
    value = scale * share.value
    // By the larger of the two only d changes, by the smaller d and m.
    let byLarger = tau * scale * share.slope
    let bySmaller = -tau * scale * (share.value + share.slope)
    byFirst = byLarger.kept(where: isLarger, else: bySmaller)
    bySecond = bySmaller.kept(where: isLarger, else: byLarger)
  }
}

/// f(d) = (1 - e^(-d)) / d and f'(d), for d >= 0.
private struct FallingShare<Number: KineticNumber> {
  let value: Number
  let slope: Number

  /// - Parameter gone: 1 - e^(-d).
  @inline(__always)
  init(_ d: Number, _ gone: Number) {
    let one = Number(everywhere: 1)
    let inverse = one / d
    // A division: the reciprocal of the smallest numbers is infinite.
    value = (gone / d).kept(where: d.isAbove(.zero), else: one)
    // e^(-d) = 1 - d f(d), without another exponential. Above 1/2 few digits cancel.
    let quotient = (one - gone - value) * inverse
    let half = Number(everywhere: 0.5)
    guard Number.isAnywhere(half.isAbove(d)) else {
      slope = quotient
      return
    }
    // f' = -1/2 + d/3 - d^2/8 ...: minus the sum of (-d)^n / (n! (n + 2)), exact up to 1/2 with n below 15;
    // even and odd n side by side, which do not wait for each other.
    @inline(__always)
    func times(_ number: Number, _ x: Number, plus next: Double) -> Number {
      number * x + Number(everywhere: next)
    }
    let square = d * d
    var even = Number(everywhere: 1 / (87_178_291_200.0 * 16))
    even = times(even, square, plus: 1 / (479_001_600.0 * 14))
    even = times(even, square, plus: 1 / (3_628_800.0 * 12))
    even = times(even, square, plus: 1 / (40_320.0 * 10))
    even = times(even, square, plus: 1 / (720.0 * 8))
    even = times(even, square, plus: 1 / (24.0 * 6))
    even = times(even, square, plus: 1 / (2.0 * 4))
    even = times(even, square, plus: 1 / 2.0)
    var odd = Number(everywhere: 1 / (6_227_020_800.0 * 15))
    odd = times(odd, square, plus: 1 / (39_916_800.0 * 13))
    odd = times(odd, square, plus: 1 / (362_880.0 * 11))
    odd = times(odd, square, plus: 1 / (5040.0 * 9))
    odd = times(odd, square, plus: 1 / (120.0 * 7))
    odd = times(odd, square, plus: 1 / (6.0 * 5))
    odd = times(odd, square, plus: 1 / 3.0)
    slope = quotient.kept(where: d.isAbove(half), else: odd * d - even)
  }
}

/// Gut and blood of eight parameter vectors.
private struct FirstOrderLanes: LaneState {
  static let parameterCount = 5

  private let constants: FirstOrderConstants<LaneNumber>
  private var state = FirstOrderState<LaneNumber>()

  init(_ values: UnsafePointer<Lanes>) {
    constants = FirstOrderConstants(
      ka: LaneNumber(values[FitParameter.ka.slot]), ke: LaneNumber(values[FitParameter.ke.slot]),
      perDose: LaneNumber(1 / values[FitParameter.r.slot]),
      lag: LaneNumber(values[FitParameter.lag.slot]))
  }

  mutating func advance(by tau: Lanes) {
    state.advance(by: LaneNumber(tau), constants)
  }

  mutating func change(_ input: LaneInput) {
    let perDose = constants.perDose.lanes
    state.gut.content.lanes += input.bolus * perDose
    state.blood.lanes += input.bloodBolus * perDose
    state.inputRate.lanes = input.rate * perDose
    state.bloodRate.lanes = input.bloodRate * perDose
  }

  func write(to row: UnsafeMutablePointer<Lanes>) {
    // The curve is linear in the doses, and a lag moves all of it to the right.
    row[0] = state.blood.lanes
    row[1] = state.bloodByKa.lanes
    row[2] = state.blood.lanes
    row[3] = -state.slope(constants).lanes
    row[4] = .zero
    row[5] = state.bloodByKe.lanes
  }
}

/// The curve of one regimen with first-order elimination: never zero once absorption has begun.
private struct FirstOrderTrajectory: BloodCurve {
  /// A stretch of constant input.
  private struct Stretch {
    let start: Double
    /// Infinite for the last one.
    let duration: Double
    let state: FirstOrderState<Double>
  }

  private let constants: FirstOrderConstants<Double>
  private let stretches: [Stretch]
  let hasFailed: Bool

  init(_ regimen: Regimen, _ constants: FirstOrderConstants<Double>) {
    self.constants = constants
    let changes = regimen.changes(lag: constants.lag)
    var state = FirstOrderState<Double>()
    stretches = changes.indices.map { index in
      let change = changes[index]
      state.change(change, constants)
      let isLast = index + 1 == changes.count
      let duration = isLast ? .infinity : changes[index + 1].time - change.time
      defer { if !isLast { state.advance(by: duration, constants) } }
      return Stretch(start: change.time + constants.lag, duration: duration, state: state)
    }
    hasFailed = !state.blood.isFinite || !state.gut.content.isFinite
  }

  func concentration(at time: Hours) -> GramsPerKilogram {
    guard !hasFailed else { return GramsPerKilogram(.nan) }
    guard let stretch = stretches.last(where: { $0.start <= time.value }) else { return 0 }
    return GramsPerKilogram(state(stretch, after: time.value - stretch.start).blood)
  }

  var peak: Peak? {
    guard !hasFailed else { return nil }
    let candidates = stretches.flatMap { stretch in
      [0, turn(of: stretch)].compactMap(\.self).map { tau in
        (time: stretch.start + tau, blood: state(stretch, after: tau).blood)
      }
    }
    guard let highest = candidates.max(by: { $0.blood < $1.blood }), highest.blood > 0
    else { return nil }
    return Peak(time: Hours(highest.time), concentration: GramsPerKilogram(highest.blood))
  }

  func timeToThreshold(_ threshold: GramsPerKilogram) -> Hours? {
    let level = threshold.value
    guard !hasFailed, level > 0 else { return nil }
    for stretch in stretches.reversed() {
      let turn = turn(of: stretch) ?? 0
      let isHigh = { (tau: Double) in state(stretch, after: tau).blood > level }
      // The concentration falls from the start or from its turn on, or from the start to the turn.
      if stretch.duration.isFinite ? !isHigh(stretch.duration) : true {
        if isHigh(turn) { return fall(in: stretch, from: turn, to: level) }
        if isHigh(0) { return fall(in: stretch, from: 0, to: level) }
      }
    }
    return nil
  }

  /// When the concentration, above the level at `start` and falling from there, has fallen to it.
  ///
  /// Newton's method, kept in a shrinking bracket; should it creep, the bracket is halved.
  private func fall(in stretch: Stretch, from start: Double, to level: Double) -> Hours? {
    var low = start
    var high = min(stretch.duration, start + 1 / min(constants.ka, constants.ke))
    while state(stretch, after: high).blood > level {
      low = high
      high = min(stretch.duration, start + 2 * (high - start))
      guard high > low, high.isFinite else { return nil }
    }
    var tau = low
    for iteration in 0..<1200 {
      let here = state(stretch, after: tau)
      if here.blood > level { low = tau } else { high = tau }
      let newton = tau - (here.blood - level) / here.slope(constants)
      let middle = low + (high - low) / 2
      if newton == tau { return Hours(stretch.start + tau) }
      guard low < middle, middle < high else { break }
      tau = iteration < 50 && low < newton && newton < high ? newton : middle
    }
    return Hours(stretch.start + high)
  }

  private func state(_ stretch: Stretch, after tau: Double) -> FirstOrderState<Double> {
    var state = stretch.state
    state.advance(by: tau, constants)
    return state
  }

  private func turn(of stretch: Stretch) -> Double? {
    stretch.state.turn(constants).flatMap { $0 < stretch.duration ? $0 : nil }
  }
}
