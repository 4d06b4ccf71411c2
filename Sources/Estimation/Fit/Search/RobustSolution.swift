/// A local minimum of the robust scale of residuals (``RobustScale``).
private struct RobustScaleMinimum {
  var coordinates: [Double]
  var noise: Noise
  /// The logarithm of the minimised scale.
  var logarithm: Double
  var rounds = 0
  var isSettled = false
}

extension FitSolver {
  /// The fall of the log scale below which it has converged.
  private static let settledFall = 1e-10

  /// The best fit with a loss: an MM-estimate.
  ///
  /// 1. The S-estimate: the curve whose residuals have the smallest robust scale. From every candidate, the bisquare
  ///    loss at the current scale is minimised and the scale estimated again, until it does not fall (the refinement
  ///    steps of Salibian-Barrera & Yohai 2006). If standard deviations differ between readings, their geometric mean is
  ///    minimised, as in a pseudo-likelihood.
  /// 2. The M-estimate: with scale and standard deviations held at these values (Carroll & Ruppert 1982 for the latter),
  ///    the loss is minimised from every candidate and every S-estimate; the lowest minimum is the result.
  ///
  /// Losses are thus compared at one scale. With separate scales a curve that misses all readings would win by having
  /// the largest one. An additional candidate can only lower the scale, or the loss at the same scale, so more starts
  /// never make the result worse.
  ///
  /// Source: Yohai (1987), Ann. Stat. 15, 642.
  func robustSolution(
    from candidates: [[Double]], _ startKind: StartKind, held: Noise?
  ) throws(SeriesFailure) -> Solution {
    let noiseModel = problem.noiseModel
    var held = held
    var starts = candidates
    var rounds = 0
    var isSettled = true
    if held == nil, noiseModel.estimatesDeviations {
      let lowest = try sEstimate(from: &starts, startKind)
      held = lowest.noise
      rounds = lowest.rounds
      isSettled = lowest.isSettled
    }
    guard
      let noise = held
        ?? noiseModel.noise(for: noiseModel.levels, parameterCount: problem.layout.count)
    else { throw .nothingPredicted }
    let objective = self.objective(noise)
    let minimum = try mEstimate(objective, from: starts, startKind)
    guard let predictions = objective.predictions(at: minimum.coordinates) else {
      throw .notConverged(.evaluationFailed)
    }
    return Solution(
      objective: objective, minimum: minimum, predictions: predictions, noise: noise,
      deviance: minimum.objective, rounds: rounds, isSettled: isSettled)
  }

  /// Returns the lowest minimum of the loss from all starts.
  private func mEstimate(
    _ objective: CurveObjective, from starts: [[Double]], _ startKind: StartKind
  ) throws(SeriesFailure) -> Minimum {
    var minima: [DescentEnd] = []
    for start in starts {
      let minimum = try movedToBoundIfFlat(
        try engine.minimum(of: objective, from: start, startKind: startKind), of: objective)
      let predictions = objective.predictions(at: minimum.coordinates)
      if minimum.objective < objective.zeroCurveObjective,
        predictions?.contains(where: { $0 > 0 }) == true
      {
        minima.append(DescentEnd(minimum))
      }
    }
    guard let best = Search.best(of: minima, slack: objective.roundingError) else {
      throw .nothingPredicted
    }
    return Minimum(best, count: problem.layout.count)
  }

  /// Returns the S-estimate, and appends the local minima to the starts.
  private func sEstimate(
    from starts: inout [[Double]], _ startKind: StartKind
  ) throws(SeriesFailure) -> RobustScaleMinimum {
    var lowest: RobustScaleMinimum?
    for start in starts {
      guard let minimum = try localSEstimate(from: start, startKind) else { continue }
      starts.append(minimum.coordinates)
      if minimum.logarithm < lowest?.logarithm ?? .infinity { lowest = minimum }
    }
    guard let lowest else { throw .nothingPredicted }
    return lowest
  }

  /// Returns the local minimum of the robust scale from a start; nil if the curve is zero at every reading.
  private func localSEstimate(
    from start: [Double], _ startKind: StartKind
  ) throws(SeriesFailure) -> RobustScaleMinimum? {
    let noiseModel = problem.noiseModel
    let parameterCount = problem.layout.count
    var lowest: RobustScaleMinimum?
    var objective = preliminaryObjective
    var coordinates = objective.clamped(start)
    for round in 0..<Self.roundLimit {
      guard let predictions = objective.predictions(at: coordinates),
        predictions.contains(where: { $0 > 0 })
      else { return lowest }
      guard
        let robust = noiseModel.robustDeviations(of: predictions, parameterCount: parameterCount)
      else {
        throw .tooFewReadings(found: noiseModel.positiveCount, needed: parameterCount + 1)
      }
      if let previous = lowest, robust.logarithm > previous.logarithm - Self.settledFall {
        lowest?.isSettled = true
        return lowest
      }
      lowest = RobustScaleMinimum(
        coordinates: coordinates, noise: robust.noise, logarithm: robust.logarithm,
        rounds: round + 1)
      objective = CurveObjective(
        memory, standardDeviations: robust.deviations, loss: .bisquare,
        tuning: RobustScale.tuning)
      coordinates = try engine.minimum(of: objective, from: coordinates, startKind: startKind)
        .coordinates
    }
    return lowest
  }
}

extension NoiseModel {
  /// True if standard deviations are estimated or depend on the curve.
  fileprivate var estimatesDeviations: Bool { error.isEstimated || !error.isConstant }

  /// The measured concentrations, or limits of detection, in g/kg.
  fileprivate var levels: [Double] { observations.all.map(\.level) }
}
