import AlcoholKinetics
import GSL

/// The residuals of one series and their Jacobian, as the least-squares solver calls for them.
///
/// Columns of the Jacobian are derivatives by the coordinates of the free parameters. Nothing here
/// allocates: it runs thousands of times per fit.
struct CurveProblem {
  let model: EliminationModel
  let regimen: Regimen
  /// Number of observations.
  let count: Int
  /// Times of the observations in h, ascending.
  let times: UnsafePointer<Double>
  /// Turns predictions into residuals.
  var residuals: ResidualRule
  /// Which parameters are moved.
  var layout: ParameterLayout

  /// Writes what the instrument would show at each time, in g/kg; false if the curve cannot be
  /// followed.
  func write(
    predictions: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let values = layout.values(at: coordinates)
    switch model {
    case .widmark:
      guard let parameters = values.kinetics else { return false }
      return write(predictions, CurveWalk(regimen, parameters), values)
    case .michaelisMenten:
      guard let parameters = values.michaelisMenten else { return false }
      return write(predictions, MichaelisMentenWalk(regimen, parameters), values)
    }
  }

  /// Writes the residuals; false if the curve cannot be followed.
  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    guard write(predictions: residuals, at: coordinates) else { return false }
    for index in 0..<count {
      residuals[index] = self.residuals.residual(of: residuals[index], at: index)
    }
    return true
  }

  /// Writes the Jacobian, row-major; false if the curve cannot be followed.
  ///
  /// - Parameter slope: What to multiply the derivatives of a prediction with.
  func write(
    jacobian: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>,
    slope: ResidualRule.Slope = .residual
  ) -> Bool {
    let values = layout.values(at: coordinates)
    switch model {
    case .widmark:
      guard let parameters = values.kinetics else { return false }
      return write(jacobian, CurveWalk(regimen, parameters), values, coordinates, slope)
    case .michaelisMenten:
      guard let parameters = values.michaelisMenten else { return false }
      return write(jacobian, MichaelisMentenWalk(regimen, parameters), values, coordinates, slope)
    }
  }

  private func write(
    _ predictions: UnsafeMutablePointer<Double>, _ start: some ModelWalk, _ values: ParameterValues
  ) -> Bool {
    var walk = start
    let gain = values[known: .gain]
    for index in 0..<count {
      walk.advance(toHours: times[index])
      predictions[index] = gain * walk.concentration
    }
    return !walk.hasFailed
  }

  private func write(
    _ jacobian: UnsafeMutablePointer<Double>,
    _ start: some ModelWalk,
    _ values: ParameterValues,
    _ coordinates: UnsafePointer<Double>,
    _ slope: ResidualRule.Slope
  ) -> Bool {
    var walk = start
    let gain = values[known: .gain]
    var row = jacobian
    for index in 0..<count {
      walk.advance(toHours: times[index])
      let prediction = gain * walk.concentration
      let factor = residuals.slope(slope, of: prediction, at: index)
      layout.write(
        walk.derivatives, prediction: prediction, at: values, coordinates, times: factor, into: row)
      row += layout.count
    }
    return !walk.hasFailed
  }

  /// Hands a problem to a solver. The problem must stay where it is until the solver is done.
  static func leastSquares(_ problem: UnsafePointer<CurveProblem>) -> LeastSquaresProblem {
    LeastSquaresProblem(
      residualCount: problem.pointee.count,
      parameterCount: problem.pointee.layout.count,
      context: UnsafeRawPointer(problem),
      residuals: { coordinates, context, residuals in
        context.assumingMemoryBound(to: CurveProblem.self).pointee
          .write(residuals: residuals, at: coordinates)
      },
      jacobian: { coordinates, context, jacobian in
        context.assumingMemoryBound(to: CurveProblem.self).pointee
          .write(jacobian: jacobian, at: coordinates)
      })
  }
}
