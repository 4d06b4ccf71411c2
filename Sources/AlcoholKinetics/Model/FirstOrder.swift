import RealModule

// Numerical goals, in order:
// 1. No value is negative or, within the range of numbers, not one, whatever the rate constants.
// 2. The error of a concentration is within a few ulps of the amount taken, also at equal rate constants,
//    where the Bateman function is 0 / 0.
// 3. Three exponentials per step.

extension FitParameter {
  /// The rate constant k_e of elimination at first order, in 1/h.
  public static let ke = FitParameter(position: 7)
}

extension EliminationModel {
  /// Elimination at the rate k_e c, as for most drugs (Bateman 1910); for ethanol only if K_m is far above
  /// the concentration. Public data sets of other drugs use it as a benchmark.
  public static let firstOrder = EliminationModel(FirstOrderKinetics.self)
}

/// First-order elimination after first-order absorption, in closed form: the state of gut and blood with derivatives by the
/// rate constants, and the present input.
///
///     g' = R - k g
///     c' = k g + S - e c
///
/// Gut g and blood c are both in g per kg of blood; R flows into the gut and S into the blood. Exchanging
/// k and e gives the same curve up to a factor on the doses (flip-flop kinetics): if r is estimated, bounds
/// must distinguish the two.
struct FirstOrderKinetics: EliminationKinetics {
  static let name = "first-order"
  static let title = "First-order elimination"
  static let rate = "at the rate k_e c"
  static let ownParameters: [FitParameter.Traits] = [
    FitParameter.Traits(
      parameter: .ke, name: "ke", symbol: "k_e", unit: "/h", columnName: "ke_per_h",
      bounds: 1e-4...100, startRange: 0.02...3, typicalValue: 0.3)
  ]

  static func eliminationRate(at concentration: Double, _ values: ParameterValues) -> Double {
    values[known: .ke] * concentration
  }

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(Problem) -> any BloodCurve {
    for parameter in [FitParameter.ka, .ke, .r, .lag] {
      try parameter.check(values[known: parameter])
    }
    return FirstOrderTrajectory(regimen, values)
  }

  /// The rate constants, in 1/h.
  let ka: Double
  let ke: Double
  /// Concentration per dose, 1 / r.
  private let perDose: Double

  private(set) var gut = GutContent()
  /// c, dc/dk and dc/de.
  private(set) var blood = 0.0
  private var bloodByKa = 0.0
  private var bloodByKe = 0.0
  /// R and S.
  private var inputRate = 0.0
  private var bloodRate = 0.0

  init(_ values: ParameterValues) {
    ka = values[known: .ka]
    ke = values[known: .ke]
    perDose = 1 / values[known: .r]
  }

  /// Advances by `tau` hours, 0 or more, under constant input:
  ///
  ///     c(tau) = c e^(-e tau) + k g B + R (P - B) + S P
  ///
  /// with B the convolution of e^(-k t) and e^(-e t), and P that of 1 and e^(-e t).
  mutating func advance(by tau: Double) {
    let absorbed = -Double.expMinusOne(-(ka * tau))
    let left = Double.exp(-(ke * tau))
    let b = Convolution(ka, ke, tau, .exp(-(ka * tau)), left)
    bloodByKa =
      bloodByKa * left + (gut.content + ka * gut.byKa) * b.value + ka * gut.content * b.byFirst
    bloodByKe = (bloodByKe - tau * blood) * left + ka * gut.content * b.bySecond
    blood = blood * left + ka * gut.content * b.value
    // Most of the time nothing flows in.
    if inputRate + bloodRate > 0 {
      // The convolution of 1 and e^(-e t).
      let share = FallingShare(ke * tau, -Double.expMinusOne(-(ke * tau)))
      let p = tau * share.value
      let pByKe = tau * tau * share.slope
      bloodByKa -= inputRate * b.byFirst
      bloodByKe += inputRate * (pByKe - b.bySecond) + bloodRate * pByKe
      blood += inputRate * (p > b.value ? p - b.value : 0) + bloodRate * p
    }
    gut = gut.after(tau, gone: absorbed, inputRate: inputRate, ka: ka)
  }

  mutating func change(_ input: InputChange, for duration: Double) {
    gut.content += input.bolus * perDose
    blood += input.bloodBolus * perDose
    inputRate = input.rate * perDose
    bloodRate = input.bloodRate * perDose
  }

  /// dc/dt.
  var slope: Double { ka * gut.content + bloodRate - ke * blood }

  var sample: CurveSample {
    // The curve is linear in the doses, and a lag moves all of it to the right.
    CurveSample(
      blood, byKa: bloodByKa, byDoseScale: blood, byLag: -slope, byOwn: (bloodByKe, 0))
  }

  var hasFailed: Bool { !(blood < .infinity && gut.content < .infinity) }

  /// The time until the concentration has an extremum, of which there is at most one under constant input;
  /// nil if there is none.
  ///
  /// With h = dc/dt, h' = k (R - k g) - e h and k (R - k g) decays by k: h is zero where
  /// (1 - e^(-(k - e) t)) / (k - e) = -h / (k (R - k g)).
  var turn: Double? {
    let ratio = -slope / (ka * (inputRate - ka * gut.content))
    guard ratio > 0, ratio.isFinite else { return nil }
    let x = (ka - ke) * ratio
    guard x < 1 else { return nil }
    return abs(x) < 1e-8 ? ratio * (1 + x / 2) : -.log(onePlus: -x) / (ka - ke)
  }
}

/// The convolution of e^(-a t) and e^(-b t) from 0 to tau, (e^(-b tau) - e^(-a tau)) / (a - b), and its
/// derivatives by a and b.
///
/// As tau e^(-m) f(d) with m the smaller of a tau and b tau, d what the other is above it, and
/// f(d) = (1 - e^(-d)) / d, no digits are lost anywhere.
private struct Convolution {
  let value: Double
  let byFirst: Double
  let bySecond: Double

  init(_ a: Double, _ b: Double, _ tau: Double, _ keptA: Double, _ keptB: Double) {
    let isLarger = a > b
    let d = (isLarger ? a - b : b - a) * tau
    let share = FallingShare(d, -Double.expMinusOne(-d))
    let scale = tau * (isLarger ? keptB : keptA)
    value = scale * share.value
    // By the larger of the two only d changes, by the smaller d and m.
    let byLarger = tau * scale * share.slope
    let bySmaller = -tau * scale * (share.value + share.slope)
    byFirst = isLarger ? byLarger : bySmaller
    bySecond = isLarger ? bySmaller : byLarger
  }
}

/// f(d) = (1 - e^(-d)) / d and f'(d), for d >= 0.
private struct FallingShare {
  let value: Double
  let slope: Double

  /// - Parameter gone: 1 - e^(-d).
  init(_ d: Double, _ gone: Double) {
    // A division: the reciprocal of the smallest numbers is infinite.
    value = d > 0 ? gone / d : 1
    guard d <= 0.5 else {
      // e^(-d) = 1 - d f(d), without another exponential. Above 1/2 few digits cancel.
      slope = (1 - gone - value) * (1 / d)
      return
    }
    // f' = -1/2 + d/3 - d^2/8 ...: minus the sum of (-d)^n / (n! (n + 2)), exact up to 1/2 with n below 15;
    // even and odd n side by side, which do not wait for each other.
    let square = d * d
    var even = 1 / (87_178_291_200.0 * 16)
    even = even * square + 1 / (479_001_600.0 * 14)
    even = even * square + 1 / (3_628_800.0 * 12)
    even = even * square + 1 / (40_320.0 * 10)
    even = even * square + 1 / (720.0 * 8)
    even = even * square + 1 / (24.0 * 6)
    even = even * square + 1 / (2.0 * 4)
    even = even * square + 1 / 2.0
    var odd = 1 / (6_227_020_800.0 * 15)
    odd = odd * square + 1 / (39_916_800.0 * 13)
    odd = odd * square + 1 / (362_880.0 * 11)
    odd = odd * square + 1 / (5040.0 * 9)
    odd = odd * square + 1 / (120.0 * 7)
    odd = odd * square + 1 / (6.0 * 5)
    odd = odd * square + 1 / 3.0
    slope = odd * d - even
  }
}

/// The curve of one regimen with first-order elimination: never zero once absorption has begun.
private struct FirstOrderTrajectory: BloodCurve {
  /// A piece of constant input.
  private struct Piece {
    let start: Double
    /// Infinite for the last one.
    let duration: Double
    let state: FirstOrderKinetics

    func state(after tau: Double) -> FirstOrderKinetics {
      var state = self.state
      state.advance(by: tau)
      return state
    }

    var turn: Double? { state.turn.flatMap { $0 < duration ? $0 : nil } }
  }

  private let pieces: [Piece]
  let hasFailed: Bool

  init(_ regimen: Regimen, _ values: ParameterValues) {
    let lag = values[known: .lag]
    let changes = regimen.changes(lag: lag)
    var state = FirstOrderKinetics(values)
    pieces = changes.indices.map { index in
      let duration = changes.end(index) - changes[index].time
      state.change(changes[index], for: duration)
      defer { if duration.isFinite { state.advance(by: duration) } }
      return Piece(start: changes[index].time + lag, duration: duration, state: state)
    }
    hasFailed = state.hasFailed
  }

  func concentration(at time: Hours) -> GramsPerKilogram {
    guard !hasFailed else { return GramsPerKilogram(.nan) }
    guard let piece = pieces.last(from: time, \.start) else { return 0 }
    return GramsPerKilogram(piece.state(after: time.value - piece.start).blood)
  }

  var peak: Peak? {
    guard !hasFailed else { return nil }
    let candidates = pieces.flatMap { piece in
      [0, piece.turn].compactMap(\.self).map { tau in
        (time: piece.start + tau, blood: piece.state(after: tau).blood)
      }
    }
    guard let highest = candidates.max(by: { $0.blood < $1.blood }), highest.blood > 0
    else { return nil }
    return Peak(time: Hours(highest.time), concentration: GramsPerKilogram(highest.blood))
  }

  func timeToThreshold(_ threshold: GramsPerKilogram) -> Hours? {
    let level = threshold.value
    guard !hasFailed, level > 0 else { return nil }
    for piece in pieces.reversed() {
      let turn = piece.turn ?? 0
      let isHigh = { (tau: Double) in piece.state(after: tau).blood > level }
      // The concentration falls from the start or from its turn on, or from the start to the turn.
      if piece.duration.isFinite ? !isHigh(piece.duration) : true {
        if isHigh(turn) { return fall(in: piece, from: turn, to: level) }
        if isHigh(0) { return fall(in: piece, from: 0, to: level) }
      }
    }
    return nil
  }

  /// The time at which the concentration, above the level at `start` and falling, reaches it.
  ///
  /// Newton's method within a shrinking bracket, with bisection after 50 iterations.
  private func fall(in piece: Piece, from start: Double, to level: Double) -> Hours? {
    var low = start
    var high = min(piece.duration, start + 1 / min(piece.state.ka, piece.state.ke))
    while piece.state(after: high).blood > level {
      low = high
      high = min(piece.duration, start + 2 * (high - start))
      guard high > low, high.isFinite else { return nil }
    }
    var tau = low
    for iteration in 0..<1200 {
      let state = piece.state(after: tau)
      if state.blood > level { low = tau } else { high = tau }
      let newton = tau - (state.blood - level) / state.slope
      let middle = low + (high - low) / 2
      if newton == tau { return Hours(piece.start + tau) }
      guard low < middle, middle < high else { break }
      tau = iteration < 50 && low < newton && newton < high ? newton : middle
    }
    return Hours(piece.start + high)
  }
}
