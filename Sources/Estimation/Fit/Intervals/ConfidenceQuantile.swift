import GSL

/// Quantiles for intervals: Student's where the scale of the noise was estimated, else normal.
struct ConfidenceQuantile {
  /// The two-sided quantile.
  let value: Double
  /// n - p; nil where the scale is known.
  let degreesOfFreedom: Double?

  /// The quantile for a solution at a level; nil if there are too few readings.
  init?(_ problem: SeriesProblem, _ solution: Solution, level: Double) {
    guard solution.noise != nil else { return nil }
    self.init(
      degreesOfFreedom: problem.degreesOfFreedom(of: solution).map(Double.init), level: level)
  }

  /// The quantile at a level; nil if there are too few readings.
  ///
  /// - Parameter degreesOfFreedom: n - p; nil where the scale is known.
  init?(degreesOfFreedom: Double?, level: Double) {
    let upper = (1 + level) / 2
    self.degreesOfFreedom = degreesOfFreedom
    guard let degrees = degreesOfFreedom else {
      guard let quantile = try? StandardNormal.quantile(upper) else { return nil }
      value = quantile
      return
    }
    guard degrees > 0,
      let quantile = try? StudentT(degreesOfFreedom: degrees).quantile(upper)
    else { return nil }
    value = quantile
  }
}
