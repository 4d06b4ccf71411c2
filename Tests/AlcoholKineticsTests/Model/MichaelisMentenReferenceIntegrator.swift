import AlcoholKinetics
import CGSL

/// Michaelis-Menten elimination integrated by GSL's odeiv2, gut and blood both, from edge to edge of
/// the doses.
struct MichaelisMentenReferenceIntegrator {
  private struct Equations {
    var ka: Double
    var vmax: Double
    var km: Double
    var inputRate = 0.0
  }

  private let random: MichaelisMentenCase

  init(_ random: MichaelisMentenCase) {
    self.random = random
  }

  /// Concentrations at ascending times, in g/kg.
  func concentrations(at times: [Hours]) -> [Double] {
    let parameters = random.parameters
    var equations = Equations(
      ka: parameters.ka.value, vmax: parameters.vmax.value, km: parameters.km.value)
    let lag = parameters.lag.value
    var time = 0.0
    var values = [0.0, 0.0]
    var results: [Double: Double] = [:]
    for stop in Set(random.edges + times.map(\.value)).sorted() {
      values = Self.integrate(values, equations, from: time, to: stop)
      results[stop] = values[0]
      time = stop
      equations.inputRate = 0
      for dose in random.regimen.doses {
        let start = dose.start.value + lag
        let amount = dose.amount.value * random.scale
        if dose.duration == 0 {
          values[1] += start == stop ? amount : 0
        } else if start <= stop, stop < dose.start.value + dose.duration.value + lag {
          equations.inputRate += amount / dose.duration.value
        }
      }
    }
    return times.map { results[$0.value] ?? .nan }
  }

  private static func integrate(
    _ start: [Double], _ equations: Equations, from: Double, to: Double
  ) -> [Double] {
    guard to > from else { return start }
    var equations = equations
    return withUnsafeMutablePointer(to: &equations) { pointer in
      var system = gsl_odeiv2_system()
      system.dimension = 2
      system.params = UnsafeMutableRawPointer(pointer)
      system.function = { _, y, derivative, context in
        guard let y, let derivative,
          let equations = context?.assumingMemoryBound(to: Equations.self).pointee
        else { return Int32(GSL_EBADFUNC) }
        let absorption = equations.ka * y[1]
        derivative[0] = absorption - equations.vmax * y[0] / (equations.km + y[0])
        derivative[1] = equations.inputRate - absorption
        return Int32(GSL_SUCCESS)
      }
      let driver = gsl_odeiv2_driver_alloc_y_new(
        &system, cgsl_odeiv2_step_rk8pd(), 1e-6, 1e-15, 1e-13)
      defer { gsl_odeiv2_driver_free(driver) }
      var time = from
      var values = start
      let status = gsl_odeiv2_driver_apply(driver, &time, to, &values)
      return status == Int32(GSL_SUCCESS) ? values : [.nan, .nan]
    }
  }
}
