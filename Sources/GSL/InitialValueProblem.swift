internal import CGSL

/// Ordinary differential equations, followed from a known state.
///
/// Source: Prince and Dormand, "High order embedded Runge-Kutta formulae", J Comput Appl Math 7 (1981) 67-75;
/// order 8 with steps chosen by the error, computed by GSL's `gsl_odeiv2_driver`.
public enum InitialValueProblem {
  /// Writes the slope of a state at a time: as many numbers as the state has.
  public typealias Slope = (
    _ time: Double, _ state: UnsafePointer<Double>, _ slope: UnsafeMutablePointer<Double>
  ) -> Void

  /// Follows a state from one time to a later one.
  ///
  /// ```swift
  /// let half = try InitialValueProblem.solve(from: 0, to: 1, [1]) { _, y, slope in slope[0] = -y[0] }
  /// // [0.36787944117144233]
  /// ```
  ///
  /// - Parameters:
  ///   - start: when the state is known.
  ///   - end: when it is asked for, not before `start`.
  ///   - state: the state at `start`, in its own units.
  ///   - absoluteTolerance: the error that a step may add, in the units of the state; at least 0.
  ///   - relativeTolerance: the same in proportion to the state; at least 0.
  ///   - slope: the differential equations.
  /// - Returns: the state at `end`.
  /// - Throws: ``GSLError``: `GSL_EINVAL` for times that are not finite or not in order or an empty state,
  ///   `GSL_EBADTOL` for an impossible tolerance, `GSL_ENOMEM` without memory, and what GSL says of equations
  ///   that it cannot follow.
  public static func solve(
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
