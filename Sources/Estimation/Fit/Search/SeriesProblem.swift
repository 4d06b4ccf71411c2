import AlcoholKinetics
import GSL

/// One series, ready to be fitted: the curve, the noise, and a solver.
///
/// A class, since its objective carries the noise that is used at the moment.
package final class SeriesProblem {
  /// What is estimated.
  let layout: ParameterLayout
  let regimen: Regimen
  package let objective: CurveObjective
  let noiseModel: NoiseModel
  /// The tuning constant of the loss, in residual SDs.
  let tuning: Double
  /// Descends from near a minimum.
  let solver: BoundedSolver
  /// The noise at which a loss is minimised and solutions are compared; nil before it was estimated,
  /// and for squares, whose noise follows the solution.
  var heldNoise: Noise?
  /// Whether the errors of neighbouring readings go together.
  let correlation: ErrorCorrelation

  /// Rounds after which predictions and standard deviations that still do not agree never will.
  static let roundLimit = 200
  /// Relative change of a standard deviation below which they agree.
  static let settledChange = 1e-7
  /// The same where a time constant is estimated, whose minimum rounding hides sooner.
  static let settledCorrelatedChange = 1e-6

  /// Relative change below which noise and predictions agree.
  var settledChange: Double {
    noiseModel.chain == nil ? Self.settledChange : Self.settledCorrelatedChange
  }

  init(
    _ regimen: Regimen, _ layout: ParameterLayout, _ noiseModel: NoiseModel,
    tuning: Double, _ solver: BoundedSolver, _ correlation: ErrorCorrelation
  ) {
    self.regimen = regimen
    self.layout = layout
    self.noiseModel = noiseModel
    self.tuning = tuning
    self.solver = solver
    self.correlation = correlation
    objective = CurveObjective(noiseModel.observations, regimen, layout)
    usePreliminaryNoise()
  }

  /// The same problem with other concentrations.
  func replicate(_ concentrations: [Double]) -> SeriesProblem {
    let replicate = observations.replicate(concentrations)
    return SeriesProblem(
      regimen, layout,
      NoiseModel(
        error: noiseModel.error, loss: loss, instrument: noiseModel.instrument,
        censoring: noiseModel.censoring, observations: replicate,
        chain: CorrelationChain(replicate, correlation)),
      tuning: tuning, solver, correlation)
  }

  var loss: Loss { noiseModel.loss }
  var observations: Observations { noiseModel.observations }

  /// Sets what can be set before anything is predicted: squares, one-sided for censored readings.
  func usePreliminaryNoise() {
    objective.use(standardDeviations: noiseModel.preliminary.standardDeviations)
  }

  /// Sets the noise that predictions led to.
  func use(_ noise: Noise) {
    // Where nothing depends on the scale, leaving it out keeps the sum of squares in (g/kg)^2.
    let deviations =
      noiseModel.needsPredictions || !noise.isScaleEstimated
      ? noise.standardDeviations : noise.shape
    objective.use(
      standardDeviations: deviations, loss: loss, tuning: tuning,
      hasLikelihood: noiseModel.hasLikelihood, correlation: noise.correlation)
  }

  /// The degrees of freedom n - p with which the scale of the noise was estimated; nil where it was
  /// known.
  func degreesOfFreedom(of solution: Solution) -> Int? {
    guard let noise = solution.noise, noise.isScaleEstimated else { return nil }
    return noiseModel.effectiveCount(solution.predictions) - layout.count
  }

  /// Brings parameters and noise into line, beginning at a minimum.
  ///
  /// Iteratively reweighted: standard deviations from the predictions, then the minimum for these
  /// standard deviations, until they no longer change. With a loss see ``robustSolution(from:using:)``.
  ///
  /// - Throws: ``SeriesFailure/notConverged(_:)`` if the curve cannot be followed at the minimum,
  ///   ``SeriesFailure/tooFewReadings(found:needed:)`` if the noise is needed and cannot be
  ///   estimated, ``SeriesFailure/solver(_:)`` if the solver could not be run.
  func solution(from start: Minimum) throws(SeriesFailure) -> Solution {
    guard loss == .linear else {
      return try robustSolution(from: [start.coordinates], using: solver)
    }
    var solution = try unsettled(start)
    guard noiseModel.needsPredictions else { return solution }
    while !solution.isSettled, solution.rounds < Self.roundLimit, let noise = solution.noise {
      use(noise)
      let minimum = try solver.minimum(of: objective, from: solution.minimum.coordinates)
      let rounds = solution.rounds + 1
      let iterations = solution.minimum.iterations + minimum.iterations
      solution = try unsettled(minimum)
      solution.minimum.iterations = iterations
      solution.rounds = rounds
      let change = solution.noise?.relativeChange(from: noise) ?? .infinity
      solution.isSettled = change < settledChange
    }
    if let noise = solution.noise {
      use(noise)
      solution.minimum.objective = objective.value(at: solution.minimum.coordinates)
    }
    return solution
  }

  /// A minimum with the noise that its own predictions lead to.
  private func unsettled(_ minimum: Minimum) throws(SeriesFailure) -> Solution {
    guard let predictions = objective.predictions(at: minimum.coordinates) else {
      throw .notConverged(.evaluationFailed)
    }
    let noise = noise(for: predictions, at: minimum)
    guard noise != nil || !noiseModel.needsPredictions else {
      let spare = noiseModel.chain == nil ? 1 : 2
      throw .tooFewReadings(found: observations.quantifiedCount, needed: layout.count + spare)
    }
    return Solution(
      minimum: minimum,
      predictions: predictions,
      noise: noise,
      deviance: noise.map {
        noiseModel.deviance(of: predictions, $0, lost: layout.count)
      } ?? .infinity,
      isSettled: !noiseModel.needsPredictions)
  }

  private func noise(for predictions: [Double], at minimum: Minimum) -> Noise? {
    guard noiseModel.chain != nil else {
      return noiseModel.noise(for: predictions, lost: layout.count)
    }
    let moved = layout.free.indices.filter { !minimum.atBound.contains(layout.free[$0]) }
    guard let derivatives = objective.derivatives(at: minimum.coordinates, by: moved) else {
      return nil
    }
    return noiseModel.correlatedNoise(
      for: predictions, lost: layout.count, jacobian: (derivatives, moved.count))
  }
}
