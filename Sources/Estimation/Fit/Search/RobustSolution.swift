import GSL

/// A curve whose residuals are small by a ``RobustScale``, as far as a descent from its start makes them.
private struct SpreadMinimum {
  var coordinates: [Double]
  var noise: Noise
  /// The logarithm of the spread that was minimised.
  var logarithm: Double
  var rounds = 0
  var isSettled = false
}

extension SeriesProblem {
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
  ///
  /// - Parameters:
  ///   - candidates: Where to begin, in coordinates.
  ///   - solver: How to descend.
  /// - Throws: ``SeriesFailure/nothingPredicted`` if no curve is better than one that is zero
  ///   at every reading, ``SeriesFailure/tooFewReadings(found:needed:)`` if there is no scale,
  ///   ``SeriesFailure/solver(_:)`` if the solver could not be run.
  func robustSolution(
    from candidates: [[Double]], using solver: BoundedSolver
  ) throws(SeriesFailure) -> Solution {
    var starts = candidates
    var rounds = 0
    var isSettled = true
    if heldNoise == nil, noiseModel.hasSpread {
      let lowest = try leastSpread(from: &starts, using: solver)
      heldNoise = lowest.noise
      rounds = lowest.rounds
      isSettled = lowest.isSettled
    }
    guard let noise = heldNoise ?? noiseModel.noise(for: noiseModel.levels, lost: layout.count)
    else { throw .nothingPredicted }
    use(noise)
    let minimum = try leastLoss(from: starts, using: solver)
    guard let predictions = objective.predictions(at: minimum.coordinates) else {
      throw .notConverged(.evaluationFailed)
    }
    return Solution(
      minimum: minimum, predictions: predictions, noise: noise, deviance: minimum.objective,
      rounds: rounds, isSettled: isSettled)
  }

  /// The best minimum of the loss at the noise in use, from all starts.
  private func leastLoss(
    from starts: [[Double]], using solver: BoundedSolver
  ) throws(SeriesFailure) -> Minimum {
    var minima: [Minimum] = []
    for start in starts {
      let minimum = try solver.atBoundIfRunaway(
        try solver.minimum(of: objective, from: start), of: objective)
      if minimum.objective < objective.valueOfNothing, predictsAlcohol(at: minimum.coordinates) {
        minima.append(minimum)
      }
    }
    minima.sort { $0.objective < $1.objective }
    guard let best = Search.different(minima, slack: objective.roundingError).first else {
      throw .nothingPredicted
    }
    return best
  }

  /// The S-estimate; adds to the starts where each of them led.
  private func leastSpread(
    from starts: inout [[Double]], using solver: BoundedSolver
  ) throws(SeriesFailure) -> SpreadMinimum {
    var lowest: SpreadMinimum?
    for start in starts {
      guard let minimum = try spreadMinimum(from: start, using: solver) else { continue }
      starts.append(minimum.coordinates)
      if minimum.logarithm < lowest?.logarithm ?? .infinity { lowest = minimum }
    }
    guard let lowest else { throw .nothingPredicted }
    return lowest
  }

  /// Where the spread can be made no smaller from a start; nil if the curve is zero at every reading.
  private func spreadMinimum(
    from start: [Double], using solver: BoundedSolver
  ) throws(SeriesFailure) -> SpreadMinimum? {
    var lowest: SpreadMinimum?
    var coordinates = layout.clamped(start)
    for round in 0..<Self.roundLimit {
      guard let predictions = objective.predictions(at: coordinates),
        predictions.contains(where: { $0 > 0 })
      else { return lowest }
      guard let spread = noiseModel.spread(of: predictions, lost: layout.count) else {
        throw .tooFewReadings(found: noiseModel.positiveCount, needed: layout.count + 1)
      }
      if let known = lowest, spread.logarithm > known.logarithm - Self.settledFall {
        lowest?.isSettled = true
        return lowest
      }
      lowest = SpreadMinimum(
        coordinates: coordinates, noise: spread.noise, logarithm: spread.logarithm,
        rounds: round + 1)
      objective.use(
        standardDeviations: spread.deviations, loss: .bisquare, tuning: RobustScale.tuning)
      coordinates = try solver.minimum(of: objective, from: coordinates).coordinates
    }
    return lowest
  }

  private func predictsAlcohol(at coordinates: [Double]) -> Bool {
    objective.predictions(at: coordinates)?.contains { $0 > 0 } ?? false
  }
}

extension NoiseModel {
  /// Whether standard deviations are known only once there is a curve.
  fileprivate var hasSpread: Bool {
    if case .additive(_?) = error { false } else { true }
  }

  /// What was measured, or the limit of detection.
  fileprivate var levels: [Double] { observations.all.map(\.level) }
}
