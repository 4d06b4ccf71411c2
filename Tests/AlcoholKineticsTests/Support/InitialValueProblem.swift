import CGSL
import GSL

/// Ordinary differential equations, followed from a known state.
///
/// Source: Prince and Dormand, "High order embedded Runge-Kutta formulae", J Comput Appl Math 7 (1981) 67-75;
/// order 8 with steps chosen by the error, computed by GSL's `gsl_odeiv2_driver`.
enum InitialValueProblem {
  /// Writes the slope of a state at a time: as many numbers as the state has.
  typealias Slope = (
    _ time: Double, _ state: UnsafePointer<Double>, _ slope: UnsafeMutablePointer<Double>
  ) -> Void

  /// Follows a state from one time to a later one.
  ///
  /// ```swift
  /// let half = try InitialValueProblem.solve(from: 0, to: 1, [1]) { _, y, slope in slope[0] = -y[0] }
  /// // [0.36787944117144233]
  /// ```
  static func solve(
    from start: Double, to end: Double, _ state: [Double], absoluteTolerance: Double = 1e-15,
    relativeTolerance: Double = 1e-13, slope: Slope
  ) throws(GSLError) -> [Double] {
    guard start.isFinite, end.isFinite, start <= end, !state.isEmpty else {
      throw GSLError(
        code: Int32(GSL_EINVAL), reason: "the times are not in order, or there is no state")
    }
    guard absoluteTolerance >= 0, relativeTolerance >= 0 else {
      throw GSLError(code: Int32(GSL_EBADTOL), reason: "a tolerance is negative")
    }
    guard start < end else { return state }
    gsl_set_error_handler_off()
    var values = state
    let status = withoutActuallyEscaping(slope) { slope in
      withUnsafePointer(to: Equations(slope: slope)) { equations in
        var system = gsl_odeiv2_system()
        system.dimension = state.count
        system.params = UnsafeMutableRawPointer(mutating: equations)
        system.function = { time, state, slope, equations in
          guard let state, let slope,
            let equations = equations?.assumingMemoryBound(to: Equations.self)
          else { return Int32(GSL_EBADFUNC) }
          equations.pointee.slope(time, state, slope)
          return Int32(GSL_SUCCESS)
        }
        let driver = gsl_odeiv2_driver_alloc_y_new(
          &system, cgsl_odeiv2_step_rk8pd(), end - start, absoluteTolerance, relativeTolerance)
        guard let driver else { return Int32(GSL_ENOMEM) }
        defer { gsl_odeiv2_driver_free(driver) }
        var time = start
        return gsl_odeiv2_driver_apply(driver, &time, end, &values)
      }
    }
    guard status == GSL_SUCCESS else { throw GSLError(code: status) }
    return values
  }

  private struct Equations {
    let slope: Slope
  }
}
