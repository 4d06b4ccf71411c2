/// A curve whose residuals are small by a ``RobustScale``, as far as a descent from its start makes them.
private struct SpreadMinimum {
  var coordinates: [Double]
  var noise: Noise
  /// The logarithm of the spread that was minimised.
  var logarithm: Double
  var rounds = 0
  var isSettled = false
}

extension FitSolver {
  /// A spread that falls by less than this part is at its minimum.
  private static let settledFall = 1e-10

  /// The best fit with a loss: an MM-estimate.
  ///
  /// 1. The S-estimate: of all curves the one whose residuals have the least robust scale. From every
  ///    candidate the bisquare of ``RobustScale`` is minimised at the scale of the curve, which makes that
  ///    scale smaller, again and again until it does not fall (as the refinements of Salibian-Barrera
  ///    & Yohai 2006 do). Where standard deviations differ, it is their geometric mean that is made
  ///    least, as a pseudo-likelihood would.
  /// 2. Scale and standard deviations stay as they are there (Carroll & Ruppert 1982 for the latter). The
  ///    loss at these is minimised from every candidate, every S-estimate among them, and the least wins.
  ///
  /// Losses are thus compared at one scale. At scales of their own a curve that misses everything would
  /// win by having the largest. Since a candidate more can but find a lower spread, and at the same spread
  /// a lower loss, more starts never make the result worse.
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
    if held == nil, noiseModel.hasSpread {
      let lowest = try leastSpread(from: &starts, startKind)
      held = lowest.noise
      rounds = lowest.rounds
      isSettled = lowest.isSettled
    }
    guard
      let noise = held ?? noiseModel.noise(for: noiseModel.levels, lost: problem.layout.count)
    else { throw .nothingPredicted }
    let objective = self.objective(noise)
    let minimum = try leastLoss(objective, from: starts, startKind)
    guard let predictions = objective.predictions(at: minimum.coordinates) else {
      throw .notConverged(.evaluationFailed)
    }
    return Solution(
      objective: objective, minimum: minimum, predictions: predictions, noise: noise,
      deviance: minimum.objective, rounds: rounds, isSettled: isSettled)
  }

  /// The best minimum of the loss from all starts.
  private func leastLoss(
    _ objective: CurveObjective, from starts: [[Double]], _ startKind: StartKind
  ) throws(SeriesFailure) -> Minimum {
    var minima: [DescentEnd] = []
    for start in starts {
      let minimum = try atBoundIfRunaway(
        try engine.minimum(of: objective, from: start, startKind: startKind), of: objective)
      let predictions = objective.predictions(at: minimum.coordinates)
      if minimum.objective < objective.valueOfNothing,
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

  /// The S-estimate; adds to the starts where each of them led.
  private func leastSpread(
    from starts: inout [[Double]], _ startKind: StartKind
  ) throws(SeriesFailure) -> SpreadMinimum {
    var lowest: SpreadMinimum?
    for start in starts {
      guard let minimum = try spreadMinimum(from: start, startKind) else { continue }
      starts.append(minimum.coordinates)
      if minimum.logarithm < lowest?.logarithm ?? .infinity { lowest = minimum }
    }
    guard let lowest else { throw .nothingPredicted }
    return lowest
  }

  /// Where the spread can be made no smaller from a start; nil if the curve is zero at every reading.
  private func spreadMinimum(
    from start: [Double], _ startKind: StartKind
  ) throws(SeriesFailure) -> SpreadMinimum? {
    let noiseModel = problem.noiseModel
    let lost = problem.layout.count
    var lowest: SpreadMinimum?
    var objective = preliminaryObjective
    var coordinates = objective.clamped(start)
    for round in 0..<Self.roundLimit {
      guard let predictions = objective.predictions(at: coordinates),
        predictions.contains(where: { $0 > 0 })
      else { return lowest }
      guard let spread = noiseModel.spread(of: predictions, lost: lost) else {
        throw .tooFewReadings(found: noiseModel.positiveCount, needed: lost + 1)
      }
      if let known = lowest, spread.logarithm > known.logarithm - Self.settledFall {
        lowest?.isSettled = true
        return lowest
      }
      lowest = SpreadMinimum(
        coordinates: coordinates, noise: spread.noise, logarithm: spread.logarithm,
        rounds: round + 1)
      objective = CurveObjective(
        memory, standardDeviations: spread.deviations, loss: .bisquare,
        tuning: RobustScale.tuning)
      coordinates = try engine.minimum(of: objective, from: coordinates, startKind: startKind)
        .coordinates
    }
    return lowest
  }
}

extension NoiseModel {
  /// Whether standard deviations are known only once there is a curve.
  fileprivate var hasSpread: Bool { error.isEstimated || !error.isConstant }

  /// What was measured, or the limit of detection.
  fileprivate var levels: [Double] { observations.all.map(\.level) }
}
