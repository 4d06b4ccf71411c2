import AlcoholKinetics
import GSL

/// The residuals of one series and their Jacobian, as the least-squares solver calls for them.
///
/// Columns of the Jacobian are derivatives by the coordinates of the free parameters. Nothing here
/// allocates: it runs thousands of times per fit.
final class CurveProblem {
  private let kinetics: any EliminationKinetics.Type
  private let regimen: Regimen
  /// Number of observations.
  let count: Int
  /// Times of the observations in h, ascending.
  let times: UnsafePointer<Double>
  /// Turns predictions into residuals.
  var residuals: ResidualRule
  /// Takes what goes together out of the residuals; nil if errors are independent.
  var whitening: Whitening?
  /// Which parameters are moved.
  var layout: ParameterLayout
  /// What the curve was last.
  private var scratch: CurveScratch

  init(
    _ regimen: Regimen, count: Int, times: UnsafePointer<Double>,
    residuals: ResidualRule, layout: ParameterLayout
  ) {
    kinetics = layout.model.kinetics
    self.regimen = regimen
    self.count = count
    self.times = times
    self.residuals = residuals
    self.layout = layout
    scratch = CurveScratch(count: count)
  }

  deinit {
    scratch.deallocate()
  }

  /// Writes what the instrument would show at each time, in g/kg; false if the curve cannot be
  /// followed.
  func write(
    predictions: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    let values = layout.values(at: coordinates)
    guard let samples = samples(of: values) else { return false }
    let gain = values[known: .gain]
    for index in 0..<count { predictions[index] = gain * samples[index].concentration }
    return true
  }

  /// Writes the residuals; false if the curve cannot be followed.
  func write(
    residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
  ) -> Bool {
    guard write(predictions: residuals, at: coordinates) else { return false }
    for index in 0..<count {
      residuals[index] = self.residuals.residual(of: residuals[index], at: index)
    }
    whitening?.whiten(residuals, columns: 1)
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
    guard let samples = samples(of: values) else { return false }
    let gain = values[known: .gain]
    let columns = JacobianColumns(layout, values, at: coordinates)
    let width = layout.count
    for index in 0..<count {
      let prediction = gain * samples[index].concentration
      columns.write(
        samples[index], prediction: prediction,
        times: residuals.slope(slope, of: prediction, at: index), into: jacobian + index * width)
    }
    if slope != .prediction { whitening?.whiten(jacobian, columns: width) }
    return true
  }

  /// The curve at the times; nil where there is none for these values.
  private func samples(of values: ParameterValues) -> UnsafeMutablePointer<CurveSample>? {
    let isFollowed = scratch.follow(kinetics, regimen, values, at: times, count: count)
    return isFollowed ? scratch.samples : nil
  }

  /// The problem as solvers take it; it must live until they are done.
  var leastSquares: LeastSquaresProblem {
    LeastSquaresProblem(
      residualCount: count,
      parameterCount: layout.count,
      context: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()),
      residuals: { coordinates, context, residuals in
        Unmanaged<CurveProblem>.fromOpaque(context).takeUnretainedValue()
          .write(residuals: residuals, at: coordinates)
      },
      jacobian: { coordinates, context, jacobian in
        Unmanaged<CurveProblem>.fromOpaque(context).takeUnretainedValue()
          .write(jacobian: jacobian, at: coordinates)
      })
  }
}
