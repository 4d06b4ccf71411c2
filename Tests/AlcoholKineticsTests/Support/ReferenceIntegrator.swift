import AlcoholKinetics
import CGSL

/// The model as differential equations, integrated by GSL's odeiv2: an independent answer to what
/// ``Trajectory`` computes in closed form.
///
///     g' = R - k g
///     c' = k g - beta, or 0 while c = 0 and k g <= beta
///
/// The two switches of the right-hand side (blood empties, blood fills again) are located by
/// halving the step, so that no step integrates across a kink.
struct ReferenceIntegrator {
  private struct Equations {
    var ka: Double
    var beta: Double
    var inputRate = 0.0
    var isClamped = true
  }

  private struct State {
    var blood = 0.0
    var gut = 0.0
  }

  private var equations: Equations
  private let scale: Double
  private let doses: [Dose]
  private let lag: Double

  init(_ regimen: Regimen, _ parameters: KineticParameters) {
    equations = Equations(ka: parameters.ka.value, beta: parameters.beta.value)
    scale = parameters.absorbedFraction / parameters.r.value
    doses = regimen.doses
    lag = parameters.lag.value
  }

  /// Concentrations at ascending times, in g/kg.
  mutating func concentrations(at times: [Hours]) -> [Double] {
    let starts = doses.map { $0.start.value + lag }
    let ends = doses.map { $0.start.value + $0.duration.value + lag }
    let stops = Set(starts + ends + times.map(\.value)).sorted()
    var state = State()
    var time = stops.first ?? 0
    var results: [Double: Double] = [:]
    for stop in stops {
      state = integrate(state, from: time, to: stop)
      results[stop] = state.blood
      time = stop
      for dose in doses where dose.duration == 0 && dose.start.value + lag == stop {
        state.gut += dose.amount.value * scale
      }
      equations.inputRate = doses.reduce(0) { sum, dose in
        let isUnderWay =
          dose.start.value + lag <= stop
          && stop < dose.start.value + dose.duration.value + lag
        return isUnderWay ? sum + dose.amount.value / dose.duration.value * scale : sum
      }
      equations.isClamped = state.blood == 0 && equations.ka * state.gut <= equations.beta
    }
    return times.map { results[$0.value] ?? .nan }
  }

  private mutating func integrate(_ start: State, from: Double, to: Double) -> State {
    var state = start
    var time = from
    while time < to {
      var step = min(to - time, 1.0 / 60)
      var next = advanced(state, by: step)
      if hasSwitched(next) {
        step = switchTime(state, within: step)
        next = advanced(state, by: step)
        equations.isClamped.toggle()
        next.blood = 0
      }
      state = next
      time += step
      if to - time < 1e-14 { break }
    }
    return state
  }

  private func hasSwitched(_ state: State) -> Bool {
    equations.isClamped
      ? equations.ka * state.gut > equations.beta * (1 + 1e-13) : state.blood < 0
  }

  private func switchTime(_ state: State, within step: Double) -> Double {
    var low = 0.0
    var high = step
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if hasSwitched(advanced(state, by: middle)) { high = middle } else { low = middle }
    }
    return high
  }

  private func advanced(_ state: State, by step: Double) -> State {
    guard step > 0 else { return state }
    var equations = self.equations
    return withUnsafeMutablePointer(to: &equations) { pointer in
      var system = gsl_odeiv2_system()
      system.dimension = 2
      system.params = UnsafeMutableRawPointer(pointer)
      system.function = { _, y, derivative, context in
        guard let y, let derivative,
          let equations = context?.assumingMemoryBound(to: Equations.self).pointee
        else { return Int32(GSL_EBADFUNC) }
        let absorption = equations.ka * y[1]
        derivative[0] = equations.isClamped ? 0 : absorption - equations.beta
        derivative[1] = equations.inputRate - absorption
        return Int32(GSL_SUCCESS)
      }
      let driver = gsl_odeiv2_driver_alloc_y_new(
        &system, cgsl_odeiv2_step_rk8pd(), step, 1e-14, 1e-13)
      defer { gsl_odeiv2_driver_free(driver) }
      var time = 0.0
      var values = [state.blood, state.gut]
      gsl_odeiv2_driver_apply(driver, &time, step, &values)
      return State(blood: values[0], gut: values[1])
    }
  }
}
