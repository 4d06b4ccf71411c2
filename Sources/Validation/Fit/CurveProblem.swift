import AlcoholKinetics
import GSL
import RealModule

/// The residuals of one series and their Jacobian, as the least-squares solver calls for them.
///
/// Residuals are predicted minus measured, in g/kg; columns of the Jacobian are derivatives by the
/// logarithms of the estimated parameters.
struct CurveProblem {
  let regimen: Regimen
  /// Times of the readings in h, ascending.
  let times: UnsafeBufferPointer<Double>
  /// Measured concentrations in g/kg.
  let measured: UnsafeBufferPointer<Double>
  let layout: ParameterLayout

  /// Hands the problem to a solver. The problem must not move until the solver is done.
  static func leastSquares(_ problem: UnsafePointer<CurveProblem>) -> LeastSquaresProblem {
    LeastSquaresProblem(
      residualCount: problem.pointee.times.count,
      parameterCount: problem.pointee.layout.count,
      context: UnsafeRawPointer(problem),
      residuals: { logarithms, context, residuals in
        context.assumingMemoryBound(to: CurveProblem.self).pointee
          .write(residuals: residuals, at: logarithms)
      },
      jacobian: { logarithms, context, jacobian in
        context.assumingMemoryBound(to: CurveProblem.self).pointee
          .write(jacobian: jacobian, at: logarithms)
      })
  }

  private func write(
    residuals: UnsafeMutablePointer<Double>, at logarithms: UnsafePointer<Double>
  ) -> Bool {
    guard let parameters = layout.parameters(at: logarithms) else { return false }
    var walk = CurveWalk(regimen, parameters)
    for index in times.indices {
      walk.advance(toHours: times[index])
      residuals[index] = walk.concentration - measured[index]
    }
    return true
  }

  private func write(
    jacobian: UnsafeMutablePointer<Double>, at logarithms: UnsafePointer<Double>
  ) -> Bool {
    guard let parameters = layout.parameters(at: logarithms) else { return false }
    var walk = CurveWalk(regimen, parameters)
    var row = jacobian
    for time in times {
      walk.advance(toHours: time)
      layout.write(walk.sensitivities, at: parameters, into: row)
      row += layout.count
    }
    return true
  }
}
