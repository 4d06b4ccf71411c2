import GSL

/// Bootstrap intervals: quantiles over fits to replicates, each the fitted curve with new residuals.
///
/// Residuals are resampled from those of the fit, divided by sqrt(1 - leverage) and centred (residual bootstrap), or
/// drawn from a normal distribution (parametric bootstrap). A replicate below a reading's limit of detection is censored
/// as the reading would be, and one below zero is set to zero, as instruments show no less. Each replicate is fitted from
/// the estimate, with its noise estimated anew.
///
/// Plain percentiles ignore that the error variance was estimated from the same readings. The quantiles are therefore
/// expanded as Student's distribution is wider than the normal: at Phi(-t) instead of (1 - level)/2.
///
/// Source: Efron (1979); Davison & Hinkley (1997), sections 2.2 and 6.2; the expanded percentile
/// interval of Hesterberg (2015), Am. Stat. 69, 371.
struct FitBootstrap {
  let solver: FitSolver
  let solution: Solution
  let noise: Noise
  /// The leverages h_ii of the readings, in order.
  let leverages: [Double]
  let options: IntervalOptions

  private var problem: FitProblem { solver.problem }

  /// Returns one interval for each free parameter, in its coordinate.
  func intervals(of estimates: [[Double]]) -> [ParameterInterval] {
    problem.layout.free.indices.map { index in
      interval(of: estimates.map { $0[index] }, index)
    }
  }

  /// Returns the estimates of all replicates that can be fitted, in coordinates.
  func replicates(seed: UInt64) throws(SeriesFailure) -> [[Double]] {
    let generator: RandomGenerator
    do { generator = try RandomGenerator(seed: seed) } catch { throw .solver(error.description) }
    let residuals = standardisedResiduals
    let replicates = (0..<options.replicates).map { _ in
      problem.observations.replicate(concentrations(generator, residuals))
    }
    let ends = try ends(of: replicates)
    let count = problem.layout.count
    var estimates: [[Double]] = []
    for (index, replicate) in replicates.enumerated() {
      if let end = ends?[index], end.exit.isConverged {
        estimates.append(end.coordinates.array(count))
      } else if let estimate = try estimate(
        FitSolver(problem.replicate(replicate), solver.engine))
      {
        // A replicate with too few uncensored readings cannot be fitted and is left out.
        estimates.append(estimate)
      }
    }
    return estimates
  }

  /// Returns the ends of the descents of all replicates, made in lanes; nil if the engine has no lanes, with correlated
  /// errors, and if standard deviations depend on readings or predictions, so that each replicate needs a full fit.
  private func ends(of replicates: [Observations]) throws(SeriesFailure) -> [DescentEnd]? {
    guard problem.noiseModel.error.isConstant, problem.loss == .linear,
      problem.noiseModel.chain == nil, !problem.needsPredictions
    else { return nil }
    let start = DescentRequest(start: Coordinates(solution.minimum.coordinates))
    return try solver.engine.laneEnds(
      of: solver.preliminaryObjective(of: replicates), replicates.map { _ in start },
      startKind: .warm)
  }

  private func estimate(_ replicate: FitSolver) throws(SeriesFailure) -> [Double]? {
    do {
      let center = solution.minimum.coordinates
      let objective = replicate.preliminaryObjective
      let minimum = try solver.engine.minimum(of: objective, from: center, startKind: .warm)
      guard problem.loss == .linear else {
        return try replicate.robustSolution(
          from: [center, minimum.coordinates], .warm, held: nil
        ).minimum.coordinates
      }
      return try replicate.solution(from: minimum, of: objective).minimum.coordinates
    } catch {
      if error.endsFit { throw error }
      return nil
    }
  }

  private func concentrations(_ generator: RandomGenerator, _ residuals: [Double]) -> [Double] {
    let deviations = noise.standardDeviations
    var errors = solution.predictions.indices.map { _ in draw(generator, residuals) }
    if let correlation = noise.correlation {
      errors = correlation.chain.coloured(errors, time: correlation.time)
    }
    return solution.predictions.indices.map { index in
      max(0, solution.predictions[index] + deviations[index] * errors[index])
    }
  }

  private func draw(_ generator: RandomGenerator, _ residuals: [Double]) -> Double {
    guard options.kind == .residualBootstrap, !residuals.isEmpty else {
      return generator.nextNormal()
    }
    let position = Int(generator.nextUniform() * Double(residuals.count))
    return residuals[min(residuals.count - 1, position)]
  }

  /// Residuals in standard deviations, corrected for leverage and for their mean.
  private var standardisedResiduals: [Double] {
    let deviations = noise.standardDeviations
    let residuals = problem.observations.all.enumerated()
      .filter { !$0.element.isCensored && leverages[$0.offset] < 1 - 1e-9 }
      .map { index, observation in
        (observation.level - solution.predictions[index])
          / (deviations[index] * (1 - leverages[index]).squareRoot())
      }
    let mean = residuals.reduce(0, +) / Double(max(1, residuals.count))
    return residuals.map { $0 - mean }
  }

  /// Returns the expanded quantiles of the values of replicates; nil if fewer than half of them have one.
  func quantiles(of values: [Double]) -> (low: Double, high: Double)? {
    guard 2 * values.count >= options.replicates, let sample = Sample(values),
      let quantile = ConfidenceQuantile(problem, solution, level: options.level),
      let tail = try? StandardNormal.lowerTail(-quantile.value),
      let low = sample.quantile(tail), let high = sample.quantile(1 - tail)
    else { return nil }
    return (low, high)
  }

  /// Returns the quantiles over replicates; an end at a search bound is open.
  private func interval(of estimates: [Double], _ index: Int) -> ParameterInterval {
    guard let (low, high) = quantiles(of: estimates) else { return ParameterInterval() }
    // Equal fits of different readings carry no information: all ran to the same bound, or could not move from
    // the start, as where the curve is zero at every reading.
    let isExact = noise.standardDeviations.allSatisfy { $0 == 0 }
    guard high > low || isExact else {
      return ParameterInterval(low: nil, high: nil, isIdentifiable: false)
    }
    // Without information in the data, fits run to the bound or stay at the start.
    let slack = 1e-6
    let center = solution.minimum.coordinates[index]
    let hasLow = low > problem.layout.lowest[index] + slack && (low != center || isExact)
    let hasHigh = high < problem.layout.highest[index] - slack && (high != center || isExact)
    return ParameterInterval(
      low: hasLow ? low : nil, high: hasHigh ? high : nil, isIdentifiable: hasLow && hasHigh)
  }
}
