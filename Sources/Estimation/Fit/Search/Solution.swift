import AlcoholKinetics

/// A minimum of the objective together with the noise estimated at it.
struct Solution {
  /// The objective, with the standard deviations of ``noise``.
  var objective: CurveObjective
  /// The minimum of the objective.
  var minimum: Minimum
  /// The predictions there, in g/kg.
  var predictions: [Double]
  /// The standard deviations of the readings; nil if there are too few readings to estimate them.
  var noise: Noise?
  /// The criterion for comparing solutions: the restricted deviance plus the cost of a prior or, with a robust loss, the
  /// objective at the scale that all solutions share; infinite without noise.
  var deviance: Double
  /// The number of reweighting rounds; 0 if standard deviations do not depend on predictions.
  var rounds = 0
  /// True if the reweighting converged.
  var isSettled = true

  /// True if the curve is above zero at some reading; else the solution is not a usable fit.
  var predictsAlcohol: Bool { predictions.contains { $0 > 0 } }

  /// The coordinates at a bound, active or not.
  var atBound: CoordinateSet {
    let coordinates = minimum.coordinates
    return minimum.atBound.union(
      CoordinateSet(
        coordinates.indices.filter {
          coordinates[$0] <= objective.lowest[$0] || coordinates[$0] >= objective.highest[$0]
        }))
  }
}

/// Estimates the parameters and the noise of one problem by iterative reweighting.
///
/// It holds the curve workspace of a thread and has no other state.
package struct FitSolver {
  let problem: FitProblem
  let memory: CurveMemory
  let engine: LeastSquaresEngine

  /// The largest number of reweighting rounds.
  static let roundLimit = 200
  /// The relative rise of the objective below which it is rounding.
  static let negligibleRise = 1e-9
  /// Differences of deviances below this are rounding: standard deviations converge to 1e-7.
  private static let roundingOfDeviance = 1e-6
  /// Differences of deviances below this do not distinguish between fits.
  private static let sameDeviance = 1e-3

  package init(_ problem: FitProblem, _ engine: LeastSquaresEngine) {
    self.problem = problem
    memory = engine.memory(for: problem)
    self.engine = engine
  }

  /// The objective before standard deviations are estimated: squares, one-sided for censored readings.
  package var preliminaryObjective: CurveObjective { preliminaryObjective(of: nil) }

  /// Returns the preliminary objective with the readings of one replicate in each lane.
  func preliminaryObjective(of replicates: [Observations]?) -> CurveObjective {
    let model = problem.noiseModel
    let noise = model.preliminary(besidePrior: problem.prior != nil)
    // If nothing depends on predictions, the minima of this objective are final.
    let chain = problem.needsPredictions ? nil : model.chain
    return CurveObjective(
      memory, standardDeviations: noise.standardDeviations,
      whitening: chain.flatMap { chain in chain.givenTime.flatMap { chain.whitening(time: $0) } },
      replicates: replicates)
  }

  /// Returns the objective with the standard deviations of a noise.
  func objective(_ noise: Noise) -> CurveObjective {
    let model = problem.noiseModel
    // Without the scale, where nothing depends on it, the sum of squares stays in (g/kg)^2.
    let deviations =
      problem.needsPredictions || !noise.isScaleEstimated ? noise.standardDeviations : noise.shape
    return CurveObjective(
      memory, standardDeviations: deviations, loss: model.loss, tuning: model.tuning,
      hasLikelihood: model.hasLikelihood,
      whitening: noise.correlation.flatMap { $0.chain.whitening(time: $0.time) })
  }

  /// Returns the best solution reached from the distinct minima of a search.
  ///
  /// All minima are followed, so that more starts can only improve the result. Curves that are zero at every reading do
  /// not count as solutions.
  ///
  /// - Throws: ``SeriesFailure`` if there is no solution, or the task was cancelled.
  func best(of search: Search, from starts: [[Double]]) throws(SeriesFailure) -> Solution {
    guard problem.loss == .linear else {
      return try finished(
        robustSolution(from: starts + search.minima.map(\.coordinates), .initial, held: nil))
    }
    guard search.best.objective < search.objective.zeroCurveObjective else {
      throw .nothingPredicted
    }
    // If standard deviations do not depend on predictions, the order of the minima is final.
    let minima = problem.needsPredictions ? search.minima : [preferred(of: search)]
    var best: Solution?
    var failure: SeriesFailure?
    for minimum in minima {
      var minimum = minimum
      // Searches integrate curves with a larger tolerance, so the objective is evaluated again.
      if problem.model.kinetics.isIntegrated {
        minimum.objective = search.objective.value(at: minimum.coordinates)
      }
      let start = try movedToBoundIfFlat(minimum, of: search.objective)
      do throws(SeriesFailure) {
        let solution = try solution(from: start, of: search.objective)
        let isBetter = best.map { isPreferred(solution, to: $0) } ?? true
        if isBetter, solution.predictsAlcohol { best = solution }
      } catch {
        if error.endsFit { throw error }
        failure = failure ?? error
      }
    }
    guard let best else { throw failure ?? .nothingPredicted }
    return try finished(best)
  }

  // MARK: Minima that fit equally well

  /// Returns the lowest minimum or, if it is outside the plausible ranges, an equally low one inside them if there is one.
  private func preferred(of search: Search) -> Minimum {
    guard !isPlausible(search.best.coordinates) else { return search.best }
    return search.minima.first {
      search.fitsAsWell($0) && isPlausible($0.coordinates)
    } ?? search.best
  }

  private func isPreferred(_ solution: Solution, to other: Solution) -> Bool {
    let isPlausible = isPlausible(solution.minimum.coordinates)
    guard isPlausible != self.isPlausible(other.minimum.coordinates),
      abs(solution.deviance - other.deviance) <= Self.roundingOfDeviance
    else { return solution.deviance < other.deviance }
    return isPlausible
  }

  private func isPlausible(_ coordinates: [Double]) -> Bool {
    zip(problem.layout.free, coordinates).allSatisfy { parameter, coordinate in
      PlausibleRange.bounds[parameter]?.contains(parameter.value(at: coordinate)) ?? true
    }
  }

  /// Returns the solutions of a search that fit as well as a result but lie outside its intervals.
  func equivalents(of result: FitIntervals, _ search: Search) throws(SeriesFailure) -> [Solution] {
    guard problem.loss == .linear else { return [] }
    var equivalents: [Solution] = []
    for minimum in search.minima where minimum.exit.isConverged && minimum.atBound.isEmpty {
      let isBeyond = zip(result.intervals, minimum.coordinates).contains { !$0.contains($1) }
      guard isBeyond, problem.needsPredictions || search.fitsAsWell(minimum) else { continue }
      guard let solution = try? finished(solution(from: minimum, of: search.objective)),
        solution.minimum.exit.isConverged, solution.atBound.isEmpty, solution.predictsAlcohol,
        abs(solution.deviance - result.solution.deviance) <= Self.sameDeviance,
        zip(result.intervals, solution.minimum.coordinates).contains(where: { !$0.contains($1) })
      else { continue }
      equivalents.append(solution)
    }
    return equivalents
  }

  /// Estimates parameters and noise by iteratively reweighted least squares, starting at a minimum: standard deviations
  /// from the predictions, then the minimum for these standard deviations, until they no longer change. A robust loss
  /// needs another method (``robustSolution(from:_:held:)``).
  func solution(
    from start: Minimum, of objective: CurveObjective, held: Noise? = nil
  ) throws(SeriesFailure) -> Solution {
    guard problem.loss == .linear else {
      return try robustSolution(from: [start.coordinates], .warm, held: held)
    }
    var solution = try evaluated(start, of: objective)
    guard problem.needsPredictions else { return solution }
    while !solution.isSettled, solution.rounds < Self.roundLimit, let noise = solution.noise {
      let objective = self.objective(noise)
      let start = DescentRequest(start: Coordinates(solution.minimum.coordinates))
      let end = try engine.ends(of: objective, [start], startKind: .reweighting)[0]
      let rounds = solution.rounds + 1
      let iterations = solution.minimum.iterations
      solution = try evaluated(Minimum(end, count: problem.layout.count), of: objective)
      solution.minimum.iterations += iterations
      solution.rounds = rounds
      let change = solution.noise?.relativeChange(from: noise) ?? .infinity
      solution.isSettled = change < problem.settledChange
    }
    if let noise = solution.noise {
      solution.objective = self.objective(noise)
      solution.minimum.objective = solution.objective.value(at: solution.minimum.coordinates)
    }
    return solution
  }

  /// Returns a minimum with its predictions, and the noise and deviance that follow from them.
  private func evaluated(
    _ minimum: Minimum, of objective: CurveObjective
  ) throws(SeriesFailure) -> Solution {
    guard let predictions = objective.predictions(at: minimum.coordinates) else {
      throw .notConverged(.evaluationFailed)
    }
    let count = problem.layout.count
    let noise = noise(for: predictions, at: minimum, of: objective)
    guard noise != nil || !problem.needsPredictions else {
      let spare = problem.noiseModel.chain?.fewestSpare ?? 1
      throw .tooFewReadings(found: problem.observations.quantifiedCount, needed: count + spare)
    }
    return Solution(
      objective: objective, minimum: minimum, predictions: predictions, noise: noise,
      deviance: deviance(predictions, noise, objective, at: minimum.coordinates),
      isSettled: !problem.needsPredictions)
  }

  private func deviance(
    _ predictions: [Double], _ noise: Noise?, _ objective: CurveObjective,
    at coordinates: [Double]
  ) -> Double {
    guard let noise else { return .infinity }
    return problem.noiseModel.deviance(of: predictions, noise, parameterCount: problem.layout.count)
      + objective.priorCost(at: coordinates)
  }

  private func noise(
    for predictions: [Double], at minimum: Minimum, of objective: CurveObjective
  ) -> Noise? {
    let model = problem.noiseModel
    let count = problem.layout.count
    guard model.chain != nil else { return model.noise(for: predictions, parameterCount: count) }
    let moved = (0..<count).filter { !minimum.atBound.contains($0) }
    guard let derivatives = objective.derivatives(at: minimum.coordinates, by: moved) else {
      return nil
    }
    return model.correlatedNoise(
      for: predictions, parameterCount: count, jacobian: (derivatives, moved.count))
  }

  /// Returns a minimum at a search bound if the objective there is no higher; else the given minimum.
  ///
  /// If the data do not limit a parameter, the objective falls ever more slowly towards an asymptote, and a descent stops
  /// at an arbitrary point on the way. The bound then marks the parameter as undetermined.
  func movedToBoundIfFlat(
    _ minimum: Minimum, of objective: CurveObjective
  ) throws(SeriesFailure) -> Minimum {
    let bar = minimum.objective * (1 + Self.negligibleRise)
    var best = minimum
    for (index, start) in boundsInReach(of: minimum, objective, bar) {
      let held = minimum.atBound.union(CoordinateSet(index))
      var limit = try engine.minimum(
        of: objective, from: start.array(minimum.coordinates.count), holding: held,
        startKind: .initial)
      limit.atBound.formUnion(held)
      limit.iterations += minimum.iterations
      guard limit.exit.isConverged, limit.objective <= bar else { continue }
      if limit.objective < best.objective || best.atBound == minimum.atBound { best = limit }
    }
    return best
  }

  /// Returns the bounds that a minimum may belong to, with starts at them: all bounds if the descent did not converge;
  /// else those at which the objective is no higher with the other coordinates unchanged.
  private func boundsInReach(
    of minimum: Minimum, _ objective: CurveObjective, _ bar: Double
  ) -> [(index: Int, start: Coordinates)] {
    let center = Coordinates(minimum.coordinates)
    let lowest = objective.lowest
    let highest = objective.highest
    var all: [(index: Int, start: Coordinates)] = []
    all.reserveCapacity(2 * lowest.count)
    for index in lowest.indices where !minimum.atBound.contains(index) {
      all.append((index, center.moved(index, to: lowest[index])))
      all.append((index, center.moved(index, to: highest[index])))
    }
    guard minimum.exit.isConverged else { return all }
    let values = engine.values(of: objective, at: all.map(\.start))
    return all.indices.filter { values[$0] <= bar }.map { all[$0] }
  }

  /// Restarts a minimisation that did not converge.
  private func restarted(
    _ minimum: Minimum, of objective: CurveObjective
  ) throws(SeriesFailure) -> Minimum {
    guard !minimum.exit.isConverged else { return minimum }
    var restarted = try engine.minimum(
      of: objective, from: minimum.coordinates, holding: minimum.atBound, startKind: .warm)
    guard restarted.exit.isConverged, restarted.objective <= minimum.objective else {
      return minimum
    }
    restarted.atBound.formUnion(minimum.atBound)
    restarted.iterations += minimum.iterations
    return restarted
  }

  /// Polishes a solution to full precision, and updates its predictions, noise and deviance.
  func finished(_ solution: Solution) throws(SeriesFailure) -> Solution {
    var finished = solution
    finished.minimum = try engine.finish(
      try restarted(solution.minimum, of: solution.objective), of: solution.objective)
    let coordinates = finished.minimum.coordinates
    guard coordinates != solution.minimum.coordinates,
      let predictions = solution.objective.predictions(at: coordinates)
    else { return finished }
    finished.predictions = predictions
    guard problem.loss == .linear else {
      finished.deviance = finished.minimum.objective
      return finished
    }
    let noise = noise(for: predictions, at: finished.minimum, of: solution.objective)
    // Noise that depends on predictions had converged but for rounding.
    if !problem.needsPredictions { finished.noise = noise }
    finished.deviance = deviance(predictions, finished.noise, solution.objective, at: coordinates)
    guard problem.needsPredictions else { return finished }
    // A descent along a kink may be lower only for the old noise; such a result is discarded.
    let reestimated = deviance(predictions, noise, solution.objective, at: coordinates)
    guard reestimated <= solution.deviance + Self.roundingOfDeviance else {
      var kept = solution
      kept.minimum.covariance = finished.minimum.covariance
      return kept
    }
    return finished
  }
}
