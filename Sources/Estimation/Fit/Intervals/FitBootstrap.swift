import GSL

/// Intervals from fits to replicates: the fitted curve with new residuals.
///
/// Residuals are drawn again from those of the fit, each brought to the same variance by its leverage
/// and to mean zero (residual bootstrap), or from a normal distribution (parametric). A replicate
/// below a reading's limit of detection is censored as the reading would be, and one below zero is
/// zero, as instruments show no less. Each replicate is fitted from the estimate, its noise estimated anew.
///
/// Quantiles of replicates are those of known errors, as if their size had not been estimated from
/// the same readings. They are therefore taken farther out, as Student's distribution is wider than
/// the normal: at Phi(-t) instead of (1 - level)/2.
///
/// Source: Efron (1979); Davison & Hinkley (1997), sections 2.2 and 6.2; the expanded percentile
/// interval of Hesterberg (2015), Am. Stat. 69, 371.
struct FitBootstrap {
  let solver: FitSolver
  let solution: Solution
  let noise: Noise
  /// Of the readings, in order.
  let leverages: [Double]
  let options: IntervalOptions

  private var problem: FitProblem { solver.problem }

  /// One interval for each free parameter, in its coordinate.
  func intervals(of estimates: [[Double]]) -> [ParameterInterval] {
    problem.layout.free.indices.map { index in
      interval(of: estimates.map { $0[index] }, index)
    }
  }

  /// The estimates of all replicates that can be fitted, in coordinates.
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
        // A replicate that cannot be fitted, for want of readings that are not censored, is none.
        estimates.append(estimate)
      }
    }
    return estimates
  }

  /// Where the descents of many replicates end, at once; nil if the engine does one after the other, and where more
  /// is to be done for each: where standard deviations depend on the readings, or come from predictions.
  private func ends(of replicates: [Observations]) throws(SeriesFailure) -> [DescentEnd]? {
    guard problem.noiseModel.error.isConstant, problem.loss == .linear,
      !problem.needsPredictions
    else { return nil }
    let start = DescentRequest(start: Coordinates(solution.minimum.coordinates))
    return try solver.engine.laneEnds(
      of: solver.preliminaryObjective(of: replicates), replicates.map { _ in start },
      startKind: .warm)
  }

  private func estimate(_ replicate: FitSolver) throws(SeriesFailure) -> [Double]? {
    do {
      let (center, objective) = (solution.minimum.coordinates, replicate.preliminaryObjective)
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

  /// The quantiles of what replicates gave; nil if too few gave anything.
  func quantiles(of values: [Double]) -> (low: Double, high: Double)? {
    guard 2 * values.count >= options.replicates, let sample = Sample(values),
      let quantile = ConfidenceQuantile(problem, solution, level: options.level),
      let tail = try? StandardNormal.lowerTail(-quantile.value),
      let low = sample.quantile(tail), let high = sample.quantile(1 - tail)
    else { return nil }
    return (low, high)
  }

  /// Quantiles of the replicates; an end at a bound is none.
  private func interval(of estimates: [Double], _ index: Int) -> ParameterInterval {
    guard let (low, high) = quantiles(of: estimates) else { return ParameterInterval() }
    // Readings that differ and fits that do not say nothing: all run to the same bound, or stay where
    // they began, as where the curve is zero at every reading.
    let isExact = noise.standardDeviations.allSatisfy { $0 == 0 }
    guard high > low || isExact else {
      return ParameterInterval(low: nil, high: nil, isIdentifiable: false)
    }
    // Where the data set no end, fits run to the bound or stay where they began.
    let slack = 1e-6
    let center = solution.minimum.coordinates[index]
    let hasLow = low > problem.layout.lowest[index] + slack && (low != center || isExact)
    let hasHigh = high < problem.layout.highest[index] - slack && (high != center || isExact)
    return ParameterInterval(
      low: hasLow ? low : nil, high: hasHigh ? high : nil, isIdentifiable: hasLow && hasHigh)
  }
}
