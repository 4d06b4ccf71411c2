import AlcoholKinetics
import GSL

/// The model as differential equations, integrated step by step: an independent answer to what the curves
/// compute in closed form.
///
///     g' = R - k g
///     c' = k g + B - e(c)
///
/// g is what the gut holds and c the concentration in blood; R and B are what is being drunk and infused, and e is
/// the rate of elimination. A constant rate stops while the blood is empty and less comes in than it would take out.
struct IntegratedCurve {
  /// The law of elimination.
  enum Elimination: Sendable {
    /// At a constant rate in g/kg/h (Widmark 1932).
    case constant(Double)
    /// Half as fast as `vmax`, in g/kg/h, at `km`, in g/kg (Michaelis & Menten 1913).
    case saturable(vmax: Double, km: Double)
    /// In proportion to the concentration, in 1/h.
    case proportional(Double)
  }

  private struct State {
    var blood = 0.0
    var gut = 0.0
  }

  /// Steps are no longer than this, so that no step passes over an hour in which the blood was empty.
  private static let longestStep = 1.0 / 60

  private let doses: [Dose]
  private let scale: Double
  private let ka: Double
  private let lag: Double
  private let elimination: Elimination
  private var drinking = 0.0
  private var infusing = 0.0
  private var isEmpty = true

  /// Prepares to integrate.
  ///
  /// - Parameters:
  ///   - scale: The concentration in g/kg that 1 g of ethanol per kg of body weight amounts to: F / r.
  ///   - ka: The absorption rate constant, in 1/h.
  ///   - lag: How much later absorption begins, in h.
  init(
    _ regimen: Regimen, scale: Double, ka: Double, lag: Double, _ elimination: Elimination
  ) {
    doses = regimen.doses
    self.scale = scale
    self.ka = ka
    self.lag = lag
    self.elimination = elimination
  }

  /// Prepares to integrate what a model predicts; nil for a model that is not known here.
  init?(_ regimen: Regimen, _ parameters: ModelParameters) {
    let elimination: Elimination
    if let beta = parameters[.beta] {
      elimination = .constant(beta)
    } else if let vmax = parameters[.vmax], let km = parameters[.km] {
      elimination = .saturable(vmax: vmax, km: km)
    } else if let ke = parameters[.ke] {
      elimination = .proportional(ke)
    } else {
      return nil
    }
    self.init(
      regimen, scale: 1 / parameters.r.value, ka: parameters[.ka] ?? 0,
      lag: parameters[.lag] ?? 0, elimination)
  }

  /// Concentrations at ascending times, in g/kg.
  ///
  /// - Throws: `GSLError` if GSL cannot follow the equations.
  func concentrations(at times: [Hours]) throws(GSLError) -> [Double] {
    var curve = self
    return try curve.integrated(to: times)
  }

  private mutating func integrated(to times: [Hours]) throws(GSLError) -> [Double] {
    let edges = doses.flatMap { [begin(of: $0), end(of: $0)] }
    let stops = Set(edges + times.map(\.value)).sorted()
    var state = State()
    var time = stops.first ?? 0
    var found: [Double: Double] = [:]
    for stop in stops {
      state = try integrate(state, from: time, to: stop)
      found[stop] = state.blood
      time = stop
      take(at: stop, &state)
    }
    return times.map { found[$0.value] ?? .nan }
  }

  /// Only what is absorbed comes late.
  private func begin(of dose: Dose) -> Double {
    dose.start.value + (dose.route == .intravenous ? 0 : lag)
  }

  private func end(of dose: Dose) -> Double { begin(of: dose) + dose.duration.value }

  /// Takes what is swallowed at once, and sees what is being taken from now on.
  private mutating func take(at time: Double, _ state: inout State) {
    (drinking, infusing) = (0, 0)
    for dose in doses {
      let amount = dose.amount.value * scale
      if dose.duration == 0 {
        guard begin(of: dose) == time else { continue }
        if dose.route == .intravenous { state.blood += amount } else { state.gut += amount }
      } else if begin(of: dose) <= time, time < end(of: dose) {
        let rate = amount / dose.duration.value
        if dose.route == .intravenous { infusing += rate } else { drinking += rate }
      }
    }
    isEmpty = state.blood == 0 && !fills(state)
  }

  private mutating func integrate(
    _ start: State, from: Double, to: Double
  ) throws(GSLError) -> State {
    guard case .constant = elimination else { return try advanced(start, by: to - from) }
    var state = start
    var time = from
    while to - time > 1e-14 {
      var step = min(to - time, Self.longestStep)
      var next = try advanced(state, by: step)
      if hasSwitched(next) {
        step = try switchTime(state, within: step)
        next = try advanced(state, by: step)
        next.blood = 0
        isEmpty.toggle()
      }
      state = next
      time += step
    }
    return state
  }

  /// Whether more comes into empty blood than is eliminated.
  private func fills(_ state: State) -> Bool {
    guard case .constant(let beta) = elimination else { return true }
    return ka * state.gut + infusing > beta * (1 + 1e-13)
  }

  private func hasSwitched(_ state: State) -> Bool {
    isEmpty ? fills(state) : state.blood < 0
  }

  /// When blood empties or fills, by halving, so that no step integrates across a kink.
  private func switchTime(_ state: State, within step: Double) throws(GSLError) -> Double {
    var (low, high) = (0.0, step)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if hasSwitched(try advanced(state, by: middle)) { high = middle } else { low = middle }
    }
    return high
  }

  private func advanced(_ state: State, by step: Double) throws(GSLError) -> State {
    let values = try InitialValueProblem.solve(
      from: 0, to: max(0, step), [state.blood, state.gut]
    ) { [self] _, state, slope in
      let absorption = ka * state[1]
      slope[0] = isEmpty ? 0 : absorption + infusing - rate(at: state[0])
      slope[1] = drinking - absorption
    }
    return State(blood: values[0], gut: values[1])
  }

  private func rate(at concentration: Double) -> Double {
    switch elimination {
    case .constant(let beta): beta
    case .saturable(let vmax, let km): vmax * concentration / (km + concentration)
    case .proportional(let rate): rate * concentration
    }
  }
}
