import GSL

/// Quantiles for intervals: Student's where the scale of the noise was estimated, else normal.
struct ConfidenceQuantile {
  /// The two-sided quantile.
  let value: Double
  /// n - p; nil where the scale is known.
  let degreesOfFreedom: Double?

  /// The quantile for a solution at a level; nil if there are too few readings.
  init?(_ problem: SeriesProblem, _ solution: Solution, level: Double) {
    guard let noise = solution.noise else { return nil }
    let upper = (1 + level) / 2
    guard noise.isScaleEstimated else {
      degreesOfFreedom = nil
      guard let quantile = try? StandardNormal.quantile(upper) else { return nil }
      value = quantile
      return
    }
    let count = problem.noiseModel.effectiveCount(solution.predictions)
    let degrees = Double(count - problem.layout.count)
    degreesOfFreedom = degrees
    guard degrees > 0,
      let quantile = try? StudentT(degreesOfFreedom: degrees).quantile(upper)
    else { return nil }
    value = quantile
  }
}
