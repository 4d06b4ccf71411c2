import AlcoholKinetics

/// A minimum together with the noise about it.
struct Solution {
  /// What was minimised: the objective at the noise.
  var objective: CurveObjective
  /// Where the minimum is.
  var minimum: Minimum
  /// The predictions there, in g/kg.
  var predictions: [Double]
  /// The standard deviations of the readings; nil if there are too few readings to estimate them.
  var noise: Noise?
  /// By what solutions are compared: the restricted deviance and what a prior adds, or with a loss what
  /// it costs at the one scale that all share; infinite without noise.
  var deviance: Double
  /// How often predictions and standard deviations were brought into line; 0 if they do not depend
  /// on each other.
  var rounds = 0
  /// Whether they are in line.
  var isSettled = true

  /// Whether there is a reading at which the curve is not zero; else it is no fit.
  var predictsAlcohol: Bool { predictions.contains { $0 > 0 } }

  /// The coordinates at a bound: those that press against it, and those that a search for something else left there.
  var atBound: CoordinateSet {
    let coordinates = minimum.coordinates
    return minimum.atBound.union(
      CoordinateSet(
        coordinates.indices.filter {
          coordinates[$0] <= objective.lowest[$0] || coordinates[$0] >= objective.highest[$0]
        }))
  }
}

/// Solves one problem: brings parameters and noise into line.
///
/// It has the memory that a thread needs to evaluate curves of the problem, and no state beyond.
package struct FitSolver {
  let problem: FitProblem
  let memory: CurveMemory
  let engine: LeastSquaresEngine

  /// Rounds after which predictions and standard deviations that still do not agree never will.
  static let roundLimit = 200
  /// A relative rise of the objective that cannot be told from rounding.
  static let negligibleRise = 1e-9
  /// A deviance that is higher by no more is the same; standard deviations settle to 1e-7.
  private static let roundingOfDeviance = 1e-6
  /// A deviance that differs by no more says nothing about which of two fits is right.
  private static let sameDeviance = 1e-3

  package init(_ problem: FitProblem, _ engine: LeastSquaresEngine) {
    self.problem = problem
    memory = engine.memory(for: problem)
    self.engine = engine
  }

  /// What can be minimised before anything is predicted: squares, one-sided for censored readings.
  package var preliminaryObjective: CurveObjective { preliminaryObjective(of: nil) }

  /// The same with readings of replicates in its lanes.
  func preliminaryObjective(of replicates: [Observations]?) -> CurveObjective {
    let noise = problem.noiseModel.preliminary(besidePrior: problem.prior != nil)
    return CurveObjective(
      memory, standardDeviations: noise.standardDeviations, replicates: replicates)
  }

  /// What is minimised at the noise that predictions led to.
  func objective(_ noise: Noise) -> CurveObjective {
    let model = problem.noiseModel
    // Where nothing depends on the scale, leaving it out keeps the sum of squares in (g/kg)^2.
    let deviations =
      problem.needsPredictions || !noise.isScaleEstimated ? noise.standardDeviations : noise.shape
    return CurveObjective(
      memory, standardDeviations: deviations, loss: model.loss, tuning: model.tuning,
      hasLikelihood: model.hasLikelihood, correlation: noise.correlation)
  }

  /// The best solution that any of the different minima leads to. A curve that is zero at every
  /// reading is none: nothing was learnt.
  ///
  /// All minima are followed, so that those of more starts are others besides the same.
  func best(of search: Search, from starts: [[Double]]) throws(SeriesFailure) -> Solution {
    guard problem.loss == .linear else {
      return try finished(
        robustSolution(from: starts + search.minima.map(\.coordinates), .initial, held: nil))
    }
    guard search.best.objective < search.objective.valueOfNothing else { throw .nothingPredicted }
    // Where noise and parameters do not depend on each other, the order of the minima is final.
    let minima = problem.needsPredictions ? search.minima : [preferred(of: search)]
    var best: Solution?
    var failure: SeriesFailure?
    for minimum in minima {
      var minimum = minimum
      // Searches follow curves that are integrated as exactly as they need.
      if problem.model.kinetics.isIntegrated {
        minimum.objective = search.objective.value(at: minimum.coordinates)
      }
      let start = try atBoundIfRunaway(minimum, of: search.objective)
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

  /// The lowest minimum; where it lies beyond what people have, one among people that fits as well, if there is one.
  private func preferred(of search: Search) -> Minimum {
    guard !isAmongPeople(search.best.coordinates) else { return search.best }
    return search.minima.first {
      search.fitsAsWell($0) && isAmongPeople($0.coordinates)
    } ?? search.best
  }

  private func isPreferred(_ solution: Solution, to other: Solution) -> Bool {
    let isAmong = (
      isAmongPeople(solution.minimum.coordinates), isAmongPeople(other.minimum.coordinates)
    )
    guard isAmong.0 != isAmong.1,
      abs(solution.deviance - other.deviance) <= Self.roundingOfDeviance
    else { return solution.deviance < other.deviance }
    return isAmong.0
  }

  private func isAmongPeople(_ coordinates: [Double]) -> Bool {
    zip(problem.layout.free, coordinates).allSatisfy { parameter, coordinate in
      PlausibleRange.bounds[parameter]?.contains(parameter.value(at: coordinate)) ?? true
    }
  }

  /// Solutions that fit as well as one and lie beyond its intervals, which would not say so.
  func others(besides found: FitIntervals, _ search: Search) throws(SeriesFailure) -> [Solution] {
    guard problem.loss == .linear else { return [] }
    var others: [Solution] = []
    for minimum in search.minima where minimum.exit.isConverged && minimum.atBound.isEmpty {
      let isBeyond = zip(found.intervals, minimum.coordinates).contains { !$0.contains($1) }
      guard isBeyond, problem.needsPredictions || search.fitsAsWell(minimum) else { continue }
      guard let other = try? finished(solution(from: minimum, of: search.objective)),
        other.minimum.exit.isConverged, other.atBound.isEmpty, other.predictsAlcohol,
        abs(other.deviance - found.solution.deviance) <= Self.sameDeviance,
        zip(found.intervals, other.minimum.coordinates).contains(where: { !$0.contains($1) })
      else { continue }
      others.append(other)
    }
    return others
  }

  /// Brings parameters and noise into line, beginning at a minimum.
  ///
  /// Iteratively reweighted: standard deviations from the predictions, then the minimum for these
  /// standard deviations, until they no longer change. With a loss see ``robustSolution(from:_:held:)``.
  func solution(
    from start: Minimum, of objective: CurveObjective, held: Noise? = nil
  ) throws(SeriesFailure) -> Solution {
    guard problem.loss == .linear else {
      return try robustSolution(from: [start.coordinates], .warm, held: held)
    }
    var solution = try unsettled(start, of: objective)
    guard problem.needsPredictions else { return solution }
    while !solution.isSettled, solution.rounds < Self.roundLimit, let noise = solution.noise {
      let objective = self.objective(noise)
      let start = DescentRequest(start: Coordinates(solution.minimum.coordinates))
      let end = try engine.ends(of: objective, [start], startKind: .reweighting)[0]
      let rounds = solution.rounds + 1
      let iterations = solution.minimum.iterations
      solution = try unsettled(Minimum(end, count: problem.layout.count), of: objective)
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

  /// A minimum with the noise that its own predictions lead to.
  private func unsettled(
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
    return problem.noiseModel.deviance(of: predictions, noise, lost: problem.layout.count)
      + objective.priorCost(at: coordinates)
  }

  private func noise(
    for predictions: [Double], at minimum: Minimum, of objective: CurveObjective
  ) -> Noise? {
    let model = problem.noiseModel
    let count = problem.layout.count
    guard model.chain != nil else { return model.noise(for: predictions, lost: count) }
    let moved = (0..<count).filter { !minimum.atBound.contains($0) }
    guard let derivatives = objective.derivatives(at: minimum.coordinates, by: moved) else {
      return nil
    }
    return model.correlatedNoise(
      for: predictions, lost: count, jacobian: (derivatives, moved.count))
  }

  /// The minimum at a bound, if the fit is as good there.
  ///
  /// Where the data set a parameter no end, the objective falls ever more slowly towards a limit, and a descent
  /// stops anywhere on the way. If the limit at the bound is as good, that is where the minimum is.
  func atBoundIfRunaway(
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

  /// The bounds that a minimum may belong to, each with its coordinate: all, if the descent did not converge;
  /// else those at which the objective is no higher though the other coordinates stay.
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

  /// A solution with its last digits.
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
    // Noise that depends on predictions was in line with these but for rounding.
    if !problem.needsPredictions { finished.noise = noise }
    finished.deviance = deviance(predictions, finished.noise, solution.objective, at: coordinates)
    // Unless the way went along a kink, which may be lower only as long as the noise stays what it was.
    let settled =
      problem.needsPredictions
      ? deviance(predictions, noise, solution.objective, at: coordinates) : finished.deviance
    guard settled <= solution.deviance + Self.roundingOfDeviance else {
      var kept = solution
      kept.minimum.covariance = finished.minimum.covariance
      return kept
    }
    return finished
  }
}
