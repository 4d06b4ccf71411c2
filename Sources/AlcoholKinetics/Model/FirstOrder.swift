import RealModule

// Numerical goals, in order:
// 1. No value is negative or, within the range of numbers, not one, whatever the rate constants.
// 2. Error of every concentration within a few ulps of what was taken, at equal rate constants as well:
//    there the textbook's quotient of two differences is 0 / 0.
// 3. Two exponentials and two of their remainders per step.

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
    guard let constants = try? FirstOrderConstants(values) else { return false }
    let changes = regimen.changes(lag: constants.lag)
    var state = FirstOrderState()
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

  static func curve(
    of regimen: Regimen, _ values: ParameterValues
  ) throws(KineticsError) -> any BloodCurve {
    FirstOrderTrajectory(regimen, try FirstOrderConstants(values))
  }
}

/// The rate constants in 1/h, and what goes with them.
private struct FirstOrderConstants {
  let ka: Double
  let ke: Double
  /// Concentration per dose, 1 / r.
  let perDose: Double
  /// In h.
  let lag: Double

  init(_ values: ParameterValues) throws(KineticsError) {
    ka = try values[known: .ka].checked("k_a in 1/h", "positive") { $0 > 0 }
    ke = try values[known: .ke].checked("k_e in 1/h", "positive") { $0 > 0 }
    perDose = 1 / (try values[known: .r].checked("r in kg/kg", "positive") { $0 > 0 })
    lag = try values[known: .lag].checked("lag in h", "0 or more") { $0 >= 0 }
  }
}

/// Gut and blood at one instant, with derivatives by the rate constants.
private struct FirstOrderState {
  var gut = GutContent()
  /// c, dc/dk and dc/de.
  var blood = 0.0
  var bloodByKa = 0.0
  var bloodByKe = 0.0
  /// R and S.
  var inputRate = 0.0
  var bloodRate = 0.0

  mutating func change(_ change: InputChange, _ constants: FirstOrderConstants) {
    gut.content += change.bolus * constants.perDose
    blood += change.bloodBolus * constants.perDose
    inputRate = change.rate * constants.perDose
    bloodRate = change.bloodRate * constants.perDose
  }

  /// Goes on by `tau` hours under the constant input:
  ///
  ///     c(tau) = c e^(-e tau) + k g B + R (P - B) + S P
  ///
  /// with B the convolution of e^(-k t) and e^(-e t), and P that of 1 and e^(-e t).
  mutating func advance(by tau: Double, _ constants: FirstOrderConstants) {
    guard tau > 0 else { return }
    let (ka, ke) = (constants.ka, constants.ke)
    let left = Double.exp(-ke * tau)
    let (b, p) = (Convolution(ka, ke, tau), Convolution(0, ke, tau))
    bloodByKa =
      bloodByKa * left + (gut.content + ka * gut.byKa) * b.value + ka * gut.content * b.byFirst
      - inputRate * b.byFirst
    bloodByKe =
      (bloodByKe - tau * blood) * left + ka * gut.content * b.bySecond
      + inputRate * (p.bySecond - b.bySecond) + bloodRate * p.bySecond
    blood =
      blood * left + ka * gut.content * b.value + inputRate * max(0, p.value - b.value)
      + bloodRate * p.value
    gut = gut.after(tau, inputRate: inputRate, ka: ka)
  }

  /// dc/dt.
  func slope(_ constants: FirstOrderConstants) -> Double {
    constants.ka * gut.content + bloodRate - constants.ke * blood
  }

  /// Time until the concentration turns, which it does at most once under a constant input; nil if it
  /// does not.
  ///
  /// With h = dc/dt, h' = k (R - k g) - e h and k (R - k g) decays by k: h is zero where
  /// (1 - e^(-(k - e) t)) / (k - e) = -h / (k (R - k g)).
  func turn(_ constants: FirstOrderConstants) -> Double? {
    let (ka, ke) = (constants.ka, constants.ke)
    let ratio = -slope(constants) / (ka * (inputRate - ka * gut.content))
    guard ratio > 0, ratio.isFinite else { return nil }
    let x = (ka - ke) * ratio
    guard x < 1 else { return nil }
    return abs(x) < 1e-8 ? ratio * (1 + x / 2) : -.log(onePlus: -x) / (ka - ke)
  }

  func sample(_ constants: FirstOrderConstants) -> CurveSample {
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
private struct Convolution {
  let value: Double
  let byFirst: Double
  let bySecond: Double

  init(_ a: Double, _ b: Double, _ tau: Double) {
    let least = min(a, b) * tau
    let (share, slope) = Self.share(abs(a - b) * tau)
    let scale = tau * Double.exp(-least)
    value = scale * share
    // By the larger of the two only d changes, by the smaller d and m.
    let byLarger = tau * scale * slope
    let bySmaller = -tau * scale * (share + slope)
    (byFirst, bySecond) = a > b ? (byLarger, bySmaller) : (bySmaller, byLarger)
  }

  /// f(d) and f'(d), for d >= 0.
  private static func share(_ d: Double) -> (value: Double, slope: Double) {
    guard d > 1 else {
      // f' = -1/2 + d/3 - d^2/8 ...: minus the sum of (-d)^n / (n! (n + 2)). 18 terms are exact up to 1.
      var (slope, term) = (0.0, 1.0)
      for n in 0..<18 {
        slope -= term / Double(n + 2)
        term *= -d / Double(n + 1)
      }
      return (d == 0 ? 1 : -Double.expMinusOne(-d) / d, slope)
    }
    let left = Double.exp(-d)
    let value = (1 - left) / d
    return (value, (left - value) / d)
  }
}

/// The curve of one regimen with first-order elimination: never zero once absorption has begun.
private struct FirstOrderTrajectory: BloodCurve {
  /// A stretch of constant input.
  private struct Stretch {
    let start: Double
    /// Infinite for the last one.
    let duration: Double
    let state: FirstOrderState
  }

  private let constants: FirstOrderConstants
  private let stretches: [Stretch]
  let hasFailed: Bool

  init(_ regimen: Regimen, _ constants: FirstOrderConstants) {
    self.constants = constants
    let changes = regimen.changes(lag: constants.lag)
    var state = FirstOrderState()
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

  private func state(_ stretch: Stretch, after tau: Double) -> FirstOrderState {
    var state = stretch.state
    state.advance(by: tau, constants)
    return state
  }

  private func turn(of stretch: Stretch) -> Double? {
    stretch.state.turn(constants).flatMap { $0 < stretch.duration ? $0 : nil }
  }
}
