import RealModule

/// How much worse a fit may be before a value of a parameter is ruled out.
///
/// Noise keeps its shape along a profile; its scale is profiled out where it was estimated. With n
/// readings, p parameters, nu = n - p and t the quantile of Student's distribution, values are kept
/// while the restricted deviance is above its minimum by no more than nu ln(1 + t^2/nu). For plain
/// least squares that is (S - S_min)/s^2 <= t^2, the t-profile of Bates & Watts (1988), section 6.1.
struct ProfileCriterion {
  /// What is profiled.
  private enum Measure {
    /// nu ln S, S being the sum of squares: the scale is profiled out in closed form.
    case sumOfSquares(degreesOfFreedom: Double)
    /// The deviance, its scale solved for at each point: with censored readings.
    case deviance
    /// S over the variance of residuals: known standard deviations, or a loss.
    case scaled(variance: Double)
  }

  /// The largest rise above the minimum that is not ruled out.
  let threshold: Double
  private let measure: Measure

  /// The criterion for a solution at a level; nil if there is none, for want of readings.
  init?(_ problem: SeriesProblem, _ solution: Solution, level: Double) {
    guard let quantile = ConfidenceQuantile(problem, solution, level: level),
      let variance = ResidualVariance(problem, solution)
    else { return nil }
    let square = quantile.value * quantile.value
    guard let nu = quantile.degreesOfFreedom, problem.loss == .linear else {
      measure = .scaled(variance: variance.forProfile)
      threshold = square
      return
    }
    measure =
      problem.noiseModel.hasLikelihood ? .deviance : .sumOfSquares(degreesOfFreedom: nu)
    threshold = nu * .log(onePlus: square / nu)
  }

  /// The measure at the solution itself.
  func measured(_ solution: Solution) -> Double {
    if case .deviance = measure { return solution.deviance }
    return value(of: solution.minimum.objective)
  }

  /// The measure at the minimum of the other parameters, from a start; and where that minimum is.
  ///
  /// - Parameter noise: The noise at the solution.
  func measured(
    _ problem: SeriesProblem, from start: [Double], _ noise: Noise
  ) throws(SeriesFailure) -> (value: Double, coordinates: [Double]) {
    guard case .deviance = measure else {
      let minimum = try problem.solver.minimum(of: problem.objective, from: start)
      return (value(of: minimum.objective), minimum.coordinates)
    }
    return try deviance(problem, from: start, noise)
  }

  /// The measure for an objective; without censored readings.
  private func value(of objective: Double) -> Double {
    switch measure {
    case .sumOfSquares(let nu): nu * .log(objective)
    case .scaled(let variance): objective / variance
    case .deviance: objective
    }
  }

  /// The deviance with the other parameters and the scale at their best, in turns.
  private func deviance(
    _ problem: SeriesProblem, from start: [Double], _ noise: Noise
  ) throws(SeriesFailure) -> (value: Double, coordinates: [Double]) {
    var noise = noise
    var coordinates = start
    let lost = problem.layout.count
    for _ in 0..<SeriesProblem.roundLimit {
      problem.use(noise)
      coordinates = try problem.solver.minimum(of: problem.objective, from: coordinates).coordinates
      guard let predictions = problem.objective.predictions(at: coordinates) else { break }
      let next = problem.noiseModel.rescaled(noise, for: predictions, lost: lost)
      let isSettled = abs(next.scale / noise.scale - 1) < SeriesProblem.settledChange
      noise = next
      if isSettled || !noise.isScaleEstimated {
        return (
          problem.noiseModel.deviance(of: predictions, noise, lost: lost), coordinates
        )
      }
    }
    return (.infinity, coordinates)
  }
}
